"""Starts the vLLM server and proves it: a real completion, and none without the key."""

from collections.abc import Callable, Mapping
from typing import Final

from app.host.loopback import ask_loopback
from app.host.protocol import Machine, OutputLine
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.served import Ask, Served
from app.running.vllm.settings import ServerSettings, serve_arguments
from app.running.wsl.linux import ending, in_distro, led

READY_S: Final = 1800.0
"""A first start downloads the model and compiles kernels; half an hour is a long wait on a fast line."""

HEALTH: Final = "/health"


def server_command(settings: ServerSettings, wsl: str) -> tuple[str, ...]:
    """The whole command as a person would type it, in the distro where the settings name one."""
    inside = (settings.python, *serve_arguments(settings))
    return in_distro(wsl, settings.distro, *inside) if settings.distro else inside


def server_environment(settings: ServerSettings, key: str) -> Mapping[str, str]:
    """The key goes by the environment. WSLENV names what may cross into Linux (learn.microsoft.com/windows/wsl/filesystems).

    The person's own mirror and token of the model hub cross too, where they have set them.
    """
    crossing = {"WSLENV": "VLLM_API_KEY/u:VLLM_NO_USAGE_STATS/u:HF_ENDPOINT/u:HF_TOKEN/u"} if settings.distro else {}
    return {"VLLM_API_KEY": key, "VLLM_NO_USAGE_STATS": "1", **crossing}


def serve(settings: ServerSettings, key: str, host: Machine, on_line: Callable[[OutputLine], None], wsl: str = "wsl.exe") -> Served:
    """The server, not yet started; `on_line` sees every line it prints, the key included."""
    environment = server_environment(settings, key)
    if not settings.distro:
        return Served(server_command(settings, wsl), host, on_line, words="vllm.", environment=environment)
    session = f"/tmp/triton-setup-vllm-{settings.port}.session"  # noqa: S108 - one server a port, in the distro's own /tmp
    command = in_distro(wsl, settings.distro, *led(session, (settings.python, *serve_arguments(settings))))
    ended = in_distro(wsl, settings.distro, *ending(session))
    return Served(command, host, on_line, words="vllm.", environment=environment, ending=ended)


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
