"""A server that is started, waited for and ended by us: its whole process tree ends with it, in Linux too."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from app.host.loopback import ask_loopback
from app.host.protocol import Machine, OutputLine
from app.model.cancel import Cancel
from app.model.problem import Problem
from app.model.text import Text
from app.running.waiting import answer_of

Ask = Callable[..., tuple[int, Any]]


class Served:
    """Runs `command` in a thread of its own from entering to leaving.

    `ending` is a command that ends what `command` started where that is no child of this program (Linux behind wsl.exe). `words` is
    the beginning of the codes of its sentences: `<words>ended` and `<words>silent`.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        host: Machine,
        on_line: Callable[[OutputLine], None],
        *,
        words: str,
        environment: Mapping[str, str] | None = None,
        ending: tuple[str, ...] = (),
    ) -> None:
        self._command, self._host, self._on_line = command, host, on_line
        self._words, self._environment, self._ending = words, environment, ending
        self._cancel = Cancel()
        self.exit_code: int | None = None
        self._thread = threading.Thread(target=self._serve, name="served", daemon=True)

    def __enter__(self) -> "Served":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._ending and self._thread.is_alive():
            self._host.query(self._ending, timeout_s=30.0)
        self._cancel.set()
        self._thread.join(30.0)

    def _serve(self) -> None:
        try:
            self.exit_code = self._host.execute(self._command, self._on_line, self._cancel, environment=self._environment)
        except Exception:  # a cancel, or a program that cannot start: either way it is over
            self.exit_code = self.exit_code if self.exit_code is not None else -1

    def wait_until_ready(self, port: int, path: str, cancel: Cancel, limit_s: float, ask: Ask = ask_loopback) -> None:
        """Returns once `path` answers with 200. Problem if the server ends or stays silent; the log holds what it said."""
        deadline = time.monotonic() + limit_s
        while answer_of(lambda: ask(port, path, timeout_s=2.0), cancel)[0] != 200:
            if self.exit_code is not None:
                raise Problem(Text(f"{self._words}ended", {"exit_code": self.exit_code}))
            if time.monotonic() > deadline:
                raise Problem(Text(f"{self._words}silent", {"minutes": round(limit_s / 60)}))
            cancel.wait(0.5)
