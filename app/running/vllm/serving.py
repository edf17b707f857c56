"""Starts the server, waits until it answers, and proves it: a real completion, and none without the key."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from app.host.loopback import ask_loopback
from app.host.protocol import Machine, OutputLine
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.vllm.settings import ServerSettings, serve_arguments
from app.running.wsl.linux import ending, led

READY_S: Final = 1800.0
"""A first start downloads the model and compiles kernels; half an hour is a long wait on a fast line."""

Ask = Callable[..., tuple[int, Any]]


def server_command(settings: ServerSettings, wsl: str) -> tuple[str, ...]:
    """The whole command as a person would type it, in the distro where the settings name one."""
    return _in_distro(settings, wsl, (settings.python, *serve_arguments(settings)))


def _in_distro(settings: ServerSettings, wsl: str, command: tuple[str, ...]) -> tuple[str, ...]:
    return (wsl, "-d", settings.distro, "-u", "root", "--cd", "~", "-e", *command) if settings.distro else command


def server_environment(settings: ServerSettings, key: str) -> Mapping[str, str]:
    """The key goes by the environment. WSLENV names what may cross into Linux (learn.microsoft.com/windows/wsl/filesystems).

    The person's own mirror and token of the model hub cross too, where they have set them.
    """
    crossing = {"WSLENV": "VLLM_API_KEY/u:VLLM_NO_USAGE_STATS/u:HF_ENDPOINT/u:HF_TOKEN/u"} if settings.distro else {}
    return {"VLLM_API_KEY": key, "VLLM_NO_USAGE_STATS": "1", **crossing}


class Server:
    """A server that runs in a thread of its own until `stop`; its whole process tree ends with it, in Linux too."""

    def __init__(self, settings: ServerSettings, key: str, host: Machine, on_line: Callable[[OutputLine], None], wsl: str = "wsl.exe") -> None:
        self._settings, self._key = settings, key
        self._host, self._on_line, self._wsl = host, on_line, wsl
        self._cancel = Cancel()
        self._session = f"/tmp/triton-setup-vllm-{settings.port}.session"  # noqa: S108 - one server a port, in the distro's own /tmp
        self.exit_code: int | None = None
        self._thread = threading.Thread(target=self._serve, name="vllm-server", daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._settings.distro and self._thread.is_alive():
            self._host.query(_in_distro(self._settings, self._wsl, ending(self._session)), timeout_s=30.0)
        self._cancel.set()
        self._thread.join(30.0)

    def _serve(self) -> None:
        settings, environment = self._settings, server_environment(self._settings, self._key)
        command = server_command(settings, self._wsl)
        if settings.distro:
            command = _in_distro(settings, self._wsl, led(self._session, (settings.python, *serve_arguments(settings))))
        try:
            self.exit_code = self._host.execute(command, self._on_line, self._cancel, environment=environment)
        except Exception:  # a cancel, or a program that cannot start: either way it is over
            self.exit_code = self.exit_code if self.exit_code is not None else -1

    def wait_until_ready(self, cancel: Cancel, limit_s: float = READY_S, ask: Ask = ask_loopback) -> None:
        """Problem if the server ends or stays silent; the log holds what it said."""
        deadline = time.monotonic() + limit_s
        while ask(self._settings.port, "/health", timeout_s=2.0)[0] != 200:
            cancel.check()
            if self.exit_code is not None:
                raise Problem(Text("vllm.ended", {"exit_code": self.exit_code}))
            if time.monotonic() > deadline:
                raise Problem(Text("vllm.silent", {"minutes": round(limit_s / 60)}))
            cancel.wait(0.5)


def prove_server(settings: ServerSettings, key: str, ask: Ask = ask_loopback) -> str:
    """The text of a real completion; Problem if there is none, or if the server answers without the key."""
    if ask(settings.port, "/v1/models")[0] != 401:
        raise Problem(Text("vllm.open-without-key"), ExitCode.FAILED)
    body = {"model": settings.model, "prompt": "The capital of France is", "max_tokens": 8, "temperature": 0}
    status, answer = ask(settings.port, "/v1/completions", key, body, timeout_s=300.0)
    choices = answer.get("choices") if isinstance(answer, dict) else None
    text = choices[0].get("text") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    if status != 200 or not isinstance(text, str) or not text:
        raise Problem(Text("vllm.no-completion", {"status": status}), ExitCode.FAILED)
    return text
