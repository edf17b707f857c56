"""The two halves of the door: Readings cannot change a machine by type, Changes can.

Paths are text in the form of the machine they belong to (a recording of a Windows machine is read on Linux too).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from app.model.cancel import Cancel
from app.model.facts import Family

Encoding = Literal["utf-8", "utf-16-le", "oem", "ansi"]


@dataclass(frozen=True, slots=True)
class Completed:
    """What a short command answered. `exit_code` None: it never ended by itself, `failure` says why."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    milliseconds: float
    failure: Literal["not-found", "timed-out", "cannot-start", "not-recorded"] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder. `modified` is seconds since 1970."""

    name: str
    is_folder: bool
    size_bytes: int
    modified: float


@dataclass(frozen=True, slots=True)
class RegistryKey:
    """Values (name to text, number, list of texts or bytes) and names of the subkeys."""

    values: Mapping[str, str | int | bytes | tuple[str, ...]]
    subkeys: tuple[str, ...]


class Readings(Protocol):
    """Everything that only looks. A failure is an answer (None, or Completed.failure), never an exception."""

    @property
    def family(self) -> Family: ...

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed: ...

    def registry(self, key: str, view: Literal[32, 64] = 64) -> RegistryKey | None: ...

    def list_files(self, folder: str) -> tuple[Entry, ...] | None: ...

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None: ...

    def environment(self) -> Mapping[str, str]: ...

    def disk_free(self, path: str) -> int | None: ...


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One line of a running program; `replaces`: it was ended by a carriage return before and overwrites."""

    text: str
    stream: Literal["stdout", "stderr"]
    replaces: bool = False


class Changes(Protocol):
    """Everything that changes a machine. Failures raise Problem, a set token raises Cancelled."""

    def execute(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        cancel: Cancel,
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        encoding: Encoding = "utf-8",
    ) -> int: ...

    def download(
        self,
        url: str,
        target: str,
        *,
        sha256: str | None,
        size_bytes: int | None,
        on_progress: Callable[[int, int | None], None],
        cancel: Cancel,
    ) -> None: ...

    def write_file(self, path: str, content: bytes) -> None: ...

    def remove(self, path: str) -> None: ...

    def rename(self, source: str, target: str) -> None: ...


class Host(Readings, Changes, Protocol):
    """A whole machine."""
