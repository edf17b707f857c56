"""The way into a distro: every command as an argv, ended on the Linux side too when the person cancels.

`wsl.exe -e` hands arguments on without a shell. Ending wsl.exe does not reliably end what runs in Linux
(github.com/microsoft/WSL/issues/2496), so a command leads a session of its own whose id it writes down first.
"""

import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Final

from app.host.protocol import Encoding, OutputLine, Readings
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.run import Run
from app.running.wsl.errors import find_error, problem_of

# $1: the file for the session's id; the rest: the command. setsid -w waits for it and gives its exit code.
_LEAD: Final = 'file=$1; shift; setsid -w /bin/sh -c \'echo $$ >"$0"; exec "$@"\' "$file" "$@"; code=$?; rm -f "$file"; exit $code'
# A command that has only just been started may not have written its id yet.
# `-s NAME --` is the form that every sh reads; dash takes `-TERM --` for a number.
_END: Final = (
    'n=0; while [ ! -s "$1" ] && [ $n -lt 5 ]; do sleep 1; n=$((n + 1)); done; '
    'id=$(cat "$1") && kill -s TERM -- "-$id"; sleep 1; kill -s KILL -- "-$id" 2>/dev/null; rm -f "$1"'
)


def led(session: str, command: Sequence[str]) -> tuple[str, ...]:
    """A Linux command that leads a session of its own, whose id it writes into the file `session`."""
    return ("/bin/sh", "-c", _LEAD, "sh", session, *command)


def ending(session: str) -> tuple[str, ...]:
    """The Linux command that ends all that runs in a session, politely first."""
    return ("/bin/sh", "-c", _END, "sh", session)


def in_distro(wsl: str, distro: str, *command: str, user: str = "root") -> tuple[str, ...]:
    """The whole argv on the Windows side for a command in a distro."""
    return (wsl, "-d", distro, "-u", user, "--cd", "~", "-e", *command)


_END_S: Final = 20.0

_OWN_FAILURE: Final = (0xFFFFFFFF, 0xFF)
"""Exit codes that wsl.exe itself gives when it fails (4294967295; its low byte where only a byte arrives)."""

_ENVIRONMENT: Final = {"WSL_UTF8": "1", "WSL_DISABLE_WARNINGS": "1"}


def wsl_program(run: Run) -> str:
    return wsl_at(run.host)


def wsl_at(host: Readings) -> str:
    """Windows' own wsl.exe; by its name alone where this is no Windows."""
    root = next((value for name, value in host.environment().items() if name.upper() == "SYSTEMROOT"), None)
    return str(PureWindowsPath(root) / "System32" / "wsl.exe") if host.family == "windows" and root else "wsl.exe"


def call_wsl(run: Run, step: Step, *arguments: str, timeout_s: float | None = None) -> str:
    """Runs wsl.exe for itself and returns what it printed. Problem by the code in it if it fails."""
    printed: list[str] = []
    encoding: Encoding = "utf-16-le"

    def keep(line: OutputLine) -> bool:
        printed.append(line.text)
        return False

    argv = (wsl_program(run), *arguments)
    code = run.execute(step, argv, timeout_s=timeout_s, encoding=encoding, keep=keep)
    text = "\n".join(printed)
    if code:
        raise problem_of(text, code)
    return text


@dataclass(frozen=True, slots=True)
class Linux:
    """A distro that commands run in, as `user`."""

    run: Run
    distro: str
    user: str = "root"

    def execute(self, step: Step, argv: Sequence[str], *, timeout_s: float | None = None) -> tuple[int, tuple[str, ...]]:
        """Exit code and lines of a Linux command. Problem if wsl.exe itself could not run it."""
        # A file of its own for every command: the id of one that has ended must not stand for the next.
        session = f"/tmp/triton-setup-{self.run.id}-{uuid.uuid4().hex[:8]}.session"  # noqa: S108 - in the distro's own /tmp
        lines: list[str] = []

        def keep(line: OutputLine) -> bool:
            lines.append(line.text)
            return False

        ending_it = threading.Thread(target=self._end, args=(session,), name="end-in-linux", daemon=True)
        take_back = self.run.cancel.on_cancel(ending_it.start)
        try:
            code = self.run.execute(step, self.argv(*led(session, argv)), environment=_ENVIRONMENT, timeout_s=timeout_s, keep=keep)
        finally:
            take_back()
            if ending_it.ident is not None:
                ending_it.join(_END_S)
        # A Linux program may end with 255 too: only a code of wsl.exe makes it wsl.exe's failure.
        if code in _OWN_FAILURE and (code != 0xFF or find_error("\n".join(lines))):
            raise problem_of("\n".join(lines), code)
        return code, tuple(lines)

    def check(self, step: Step, argv: Sequence[str], *, timeout_s: float | None = None) -> tuple[str, ...]:
        """The lines of a Linux command; Problem if its exit code is not 0."""
        code, lines = self.execute(step, argv, timeout_s=timeout_s)
        if code:
            raise Problem(Text("wsl.command-failed", {"program": argv[0], "exit_code": code, "distro": self.distro}))
        return lines

    def argv(self, *command: str) -> tuple[str, ...]:
        """The whole argv on the Windows side."""
        return in_distro(wsl_program(self.run), self.distro, *command, user=self.user)

    def _end(self, session: str) -> None:
        self.run.host.query(self.argv(*ending(session)), timeout_s=_END_S)
