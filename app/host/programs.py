"""Running a program with its whole family of children: streamed lines, cancel, time limit, nothing left behind."""

import codecs
import contextlib
import errno
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Final, Literal

import psutil

from app.host.protocol import Encoding, OutputLine
from app.host.starting import own_dlls_hidden
from app.model.cancel import Cancel
from app.model.problem import Cancelled, ExitCode, Problem, reason_of
from app.model.text import Text

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_LONGEST_LINE: Final = 32_768
_DRAIN_S: Final = 2.0

_CREATE_NO_WINDOW: Final = 0x08000000
_CREATE_SUSPENDED: Final = 0x00000004


class LineSplitter:
    """Bytes of one stream to lines. A carriage return ends a line that the next one overwrites."""

    def __init__(self, stream: Literal["stdout", "stderr"], encoding: str) -> None:
        self._stream: Literal["stdout", "stderr"] = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._text = ""
        self._after_return = False

    def feed(self, chunk: bytes, final: bool = False) -> Iterator[OutputLine]:
        """The lines that `chunk` completes; with `final` also the unfinished rest."""
        self._text += self._decoder.decode(chunk, final)
        while (end := re.search(r"[\r\n]", self._text)) is not None:
            line, mark, self._text = self._text[: end.start()], end[0], self._text[end.end() :]
            if mark == "\n" and not line and self._after_return:
                # The second half of a Windows line end, or a newline after a finished progress line: nothing new to show.
                self._after_return = False
                continue
            yield self._line(line)
            self._after_return = mark == "\r"
        if self._text and (final or len(self._text) > _LONGEST_LINE):
            yield self._line(self._text)
            self._text, self._after_return = "", False

    def _line(self, line: str) -> OutputLine:
        return OutputLine(_ANSI.sub("", line), self._stream, self._after_return)


def codec_of(encoding: Encoding) -> str:
    """The Python codec for an encoding of the protocol; `oem` and `ansi` are code pages of Windows, UTF-8 elsewhere."""
    if encoding in ("oem", "ansi"):
        if sys.platform == "win32":
            return "oem" if encoding == "oem" else "mbcs"
        return "utf-8"
    return encoding


def execute(
    argv: Sequence[str],
    on_line: Callable[[OutputLine], None],
    cancel: Cancel,
    *,
    cwd: str | None,
    environment: Mapping[str, str],
    timeout_s: float | None,
    encoding: Encoding,
) -> int:
    """Runs `argv` to its end and returns its exit code (unsigned on Windows, negative signal on POSIX).

    `on_line` is called in the calling thread. A set token ends the program and all its children and raises Cancelled;
    Problem says that it could not be started or ran out of `timeout_s` seconds.
    """
    cancel.check()
    family = _Family(argv, cwd, environment)
    take_back = cancel.on_cancel(family.end)
    lines: queue.SimpleQueue[OutputLine | None] = queue.SimpleQueue()
    codec = codec_of(encoding)
    splitters = ((family.stdout, LineSplitter("stdout", codec)), (family.stderr, LineSplitter("stderr", codec)))
    readers = [threading.Thread(target=_read, args=(pipe, splitter, lines), daemon=True) for pipe, splitter in splitters]
    for reader in readers:
        reader.start()
    try:
        _pass_on(lines, len(readers), family, on_line, cancel=cancel, timeout_s=timeout_s)
        return family.exit_code()
    finally:
        take_back()
        family.end()
        for reader in readers:
            reader.join(_DRAIN_S)
        family.close()


def _pass_on(
    lines: "queue.SimpleQueue[OutputLine | None]",
    streams: int,
    family: "_Family",
    on_line: Callable[[OutputLine], None],
    *,
    cancel: Cancel,
    timeout_s: float | None,
) -> None:
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    ended_at: float | None = None
    while streams:
        try:
            line = lines.get(timeout=0.1)
        except queue.Empty:
            cancel.check()
            # A grandchild may hold the pipes open after the program ended; it is not waited for.
            if family.has_ended():
                ended_at = ended_at or time.monotonic()
                if time.monotonic() - ended_at > _DRAIN_S:
                    return
        else:
            if line is None:
                streams -= 1
            else:
                on_line(line)
        if deadline is not None and time.monotonic() > deadline:
            raise Problem(Text("run.program-timed-out", {"program": family.program}))
    if cancel.is_set:
        raise Cancelled


def _read(pipe: IO[bytes], splitter: LineSplitter, lines: "queue.SimpleQueue[OutputLine | None]") -> None:
    with contextlib.suppress(OSError, ValueError):
        while chunk := os.read(pipe.fileno(), 65_536):
            for line in splitter.feed(chunk):
                lines.put(line)
    for line in splitter.feed(b"", final=True):
        lines.put(line)
    lines.put(None)


class _Family:
    """A started program and everything it starts."""

    def __init__(self, argv: Sequence[str], cwd: str | None, environment: Mapping[str, str]) -> None:
        self.program = argv[0]
        self._ended = False
        self._lock = threading.Lock()
        try:
            with own_dlls_hidden():
                self._start(list(argv), cwd, dict(environment))
        except OSError as error:
            raise Problem(Text("run.program-cannot-start", {"program": argv[0], "reason": reason_of(error)}), ExitCode.FAILED) from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdout: IO[bytes] = self._process.stdout
        self.stderr: IO[bytes] = self._process.stderr

    def _start(self, argv: list[str], cwd: str | None, environment: dict[str, str]) -> None:
        if sys.platform == "win32":
            from app.host.job_object import JobObject

            self._job = JobObject()
            # Suspended until it is in the job, so that no grandchild can be born outside it.
            self._process = subprocess.Popen(
                argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                creationflags=_CREATE_NO_WINDOW | _CREATE_SUSPENDED,
            )  # fmt: skip
            try:
                self._job.add(int(self._process._handle))  # type: ignore[attr-defined]  # Popen keeps it under this name only
            finally:
                psutil.Process(self._process.pid).resume()
        else:
            self._process = subprocess.Popen(
                [*_ended_with_us(argv[0], environment), *argv],
                cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def exit_code(self) -> int:
        return self._process.wait()

    def end(self) -> None:
        """Ends the program and all that it started; may be called from any thread, and again."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
        if sys.platform == "win32":
            self._job.terminate()
        else:
            self._end_group()

    if sys.platform != "win32":

        def _end_group(self) -> None:
            strays = []
            with contextlib.suppress(psutil.Error):
                # A child that made a session of its own is no longer in the group.
                strays = psutil.Process(self._process.pid).children(recursive=True)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            for stray in strays:
                with contextlib.suppress(psutil.Error):
                    stray.kill()

    def close(self) -> None:
        self._process.wait()
        self.stdout.close()
        self.stderr.close()
        if sys.platform == "win32":
            self._job.close()


def _ended_with_us(program: str, environment: Mapping[str, str]) -> list[str]:
    """What to put before a command so that Linux ends it when this program is killed, as a job object does on Windows."""
    if shutil.which(program, path=environment.get("PATH")) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
