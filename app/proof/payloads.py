"""Runs a payload in the target Python and follows what it says.

A payload runs several checks in one process, because importing torch takes seconds. A crash, a hang or an access
violation is the result of the check that had begun; the checks after it run in a fresh process.
"""

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from app.host.protocol import Changes, OutputLine
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, ProofArrived
from app.model.problem import Cancelled, Problem
from app.model.proof import Check, CheckOutcome, Number
from app.model.text import Text
from app.resources import assets
from app.texts import words

KEPT_LINES: Final = 40
"""Lines of ordinary output kept as evidence for a crash."""

MAX_LINE: Final = 64_000


@dataclass(frozen=True, slots=True)
class Target:
    """The Python to prove, the door to start it through, and who listens. `distro`: the Python lies in this WSL distro."""

    python: str
    host: Changes
    emit: Callable[[Event], None]
    cancel: Cancel
    distro: str | None = None


@dataclass(frozen=True, slots=True)
class Payload:
    """A script of `assets/payloads` with its checks in order. `limit_s` is how long one check may stay silent."""

    script: str
    checks: tuple[str, ...]
    limit_s: float
    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """All that a payload said: its checks, and other objects by their kind."""

    checks: tuple[Check, ...]
    said: tuple[Mapping[str, Any], ...]

    def of(self, kind: str) -> tuple[Mapping[str, Any], ...]:
        return tuple(line for line in self.said if line["proof"] == kind)


def run_payload(target: Target, payload: Payload) -> Heard:
    """Runs every check of the payload, starting a new process after each one that dies. Raises Cancelled."""
    checks: list[Check] = []
    said: list[Mapping[str, Any]] = []
    remaining = payload.checks
    while True:
        listener = _Listener(target.emit, remaining)
        ending = _run_once(target, payload, remaining, listener)
        said += listener.said
        checks += listener.checks
        done = {check.code for check in listener.checks}
        remaining = tuple(name for name in remaining if name not in done)
        if not remaining:
            break
        if listener.finished:
            checks += skipped(remaining, "not-offered")
            break
        # The one that had begun is the one that died; if none had, the process did not even get to its first.
        broken = listener.running or remaining[0]
        checks.append(Check(broken, "failed", listener.evidence(ending), ending.numbers()))
        target.emit(ProofArrived(broken, "failed", checks[-1].detail))
        remaining = tuple(name for name in remaining if name != broken)
        if not listener.running and not done:
            checks += skipped(remaining, "not-started")
            break
        if not remaining:
            break
    return Heard(tuple(checks), tuple(said))


def skipped(names: Sequence[str], reason: str) -> tuple[Check, ...]:
    """Checks that were left out, with the reason's code."""
    return tuple(Check(name, "skipped", "", {"reason": reason}) for name in names)


@dataclass(frozen=True, slots=True)
class _Ending:
    kind: Literal["ended", "time-limit", "cannot-start"]
    exit_code: int | None = None
    detail: str = ""

    def numbers(self) -> dict[str, Number]:
        return {"ended": "crash" if self.kind == "ended" else self.kind, "exit_code": self.exit_code}


def _run_once(target: Target, payload: Payload, names: Sequence[str], listener: "_Listener") -> _Ending:
    arguments = (*(("--checks", ",".join(names)) if names else ()), *payload.arguments)
    inner, silence = Cancel(), threading.Event()
    take_back = target.cancel.on_cancel(inner.set)

    def stop() -> None:
        silence.set()
        inner.set()

    watch = _Watch(payload.limit_s, stop)
    listener.heard = watch.heard
    try:
        with watch:
            argv, environment = _command(target, payload, arguments, inner)
            return _Ending("ended", target.host.execute(argv, listener.hear, inner, environment=environment))
    except Cancelled:
        if target.cancel.is_set or not silence.is_set():
            raise
        return _Ending("time-limit", None, f"no answer for {payload.limit_s:.0f} s")
    except Problem as problem:
        target.cancel.check()
        if silence.is_set():
            return _Ending("time-limit", None, f"no answer for {payload.limit_s:.0f} s")
        return _Ending("cannot-start", None, words(problem.text))
    finally:
        take_back()


def _command(target: Target, payload: Payload, arguments: Sequence[str], cancel: Cancel) -> tuple[list[str], Mapping[str, str]]:
    """What starts the payload: argv and additions to the environment. In a distro both travel in argv."""
    script = assets() / "payloads" / payload.script
    # -s: packages of the user's own folder do not belong to this environment. -X utf8: the same output everywhere.
    options = ("-s", "-X", "utf8", "-u")
    if target.distro is None:
        return [target.python, *options, str(script), *arguments], payload.environment
    # Slashes: wsl.exe may eat backslashes on their way.
    inside = ask_distro(target, ("wslpath", "-a", script.as_posix()), cancel)
    settings = [f"{name}={value}" for name, value in payload.environment.items()]
    return in_distro(target.distro, ("env", *settings, target.python, *options, inside, *arguments)), {"WSL_UTF8": "1"}


def in_distro(distro: str, command: Sequence[str]) -> list[str]:
    """A command run in a WSL distro, as the user that owns our environments there, without a shell."""
    return ["wsl.exe", "-d", distro, "-u", "root", "--cd", "~", "-e", *command]


def ask_distro(target: Target, command: Sequence[str], cancel: Cancel) -> str:
    """The last line that a short command in the distro prints. Problem where it fails."""
    lines: list[str] = []
    code = target.host.execute(
        in_distro(target.distro or "", command), lambda line: lines.append(line.text), cancel, environment={"WSL_UTF8": "1"}, timeout_s=60.0
    )
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if code != 0:
        raise Problem(Text("proof.distro-failed", {"distro": target.distro or "", "detail": said[:200]}))
    return said


class _Watch:
    """Calls `on_silence` once when nothing was heard for `limit_s`."""

    def __init__(self, limit_s: float, on_silence: Callable[[], object]) -> None:
        self._limit_s = limit_s
        self._on_silence = on_silence
        self._last = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="proof-watch", daemon=True)

    def heard(self) -> None:
        self._last = time.monotonic()

    def _watch(self) -> None:
        while not self._over.wait(max(0.05, self._last + self._limit_s - time.monotonic())):
            if time.monotonic() - self._last >= self._limit_s:
                self._on_silence()
                return

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class _Listener:
    """Turns output lines into checks and events. The output is foreign: what does not fit is an ordinary line."""

    def __init__(self, emit: Callable[[Event], None], expected: Sequence[str]) -> None:
        self._emit = emit
        self._expected = frozenset(expected)
        self._lines: list[str] = []
        self.checks: list[Check] = []
        self.said: list[Mapping[str, Any]] = []
        self.running: str | None = None
        self.finished = False
        self.heard: Callable[[], None] = lambda: None

    def hear(self, line: OutputLine) -> None:
        self.heard()
        said = _said(line.text) if line.stream == "stdout" else None
        if said is None:
            self._lines = [*self._lines[-KEPT_LINES + 1 :], line.text[:2000]]
            self._emit(LogLine("prove", line.text, _now(), line.stream, line.replaces))
            return
        kind, code = said["proof"], str(said.get("check"))
        if kind == "started" and code in self._expected:
            self.running = code
            self._emit(ProofArrived(code, "running", ""))
        elif kind == "check" and code in self._expected and said.get("outcome") in ("passed", "failed", "skipped"):
            self.running = None
            outcome: CheckOutcome = said["outcome"]
            check = Check(code, outcome, str(said.get("detail", "")), scalars(said.get("numbers")))
            self.checks.append(check)
            self._emit(ProofArrived(code, outcome, check.detail))
        elif kind == "finished":
            self.finished = True
        else:
            self.said.append(said)

    def evidence(self, ending: _Ending) -> str:
        """How the process ended and the last thing it printed."""
        code = ending.exit_code
        # Windows exit codes are easier to look up as the NTSTATUS they are.
        shown = "" if code is None else f"exit code {code & 0xFFFFFFFF:#010x}" if code > 255 or code < -255 else f"exit code {code}"
        last = next((line.strip() for line in reversed(self._lines) if line.strip()), "")
        return ": ".join(part for part in (ending.detail or shown, last) if part)[:400]


def _said(text: str) -> Mapping[str, Any] | None:
    if not text.startswith('{"proof"') or len(text) > MAX_LINE:
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) and isinstance(said.get("proof"), str) else None


def scalars(found: object) -> dict[str, Number]:
    """The numbers of a foreign object: what is no scalar, or not finite, is left out."""
    if not isinstance(found, dict):
        return {}
    return {str(key): value for key, value in found.items() if is_number(value)}


def is_number(value: object) -> bool:
    """Whether a value of foreign JSON may stand among the numbers: a scalar, and finite."""
    return value is None or isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and math.isfinite(value))


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime())
