"""The two halves of the door: Readings cannot change a machine by type, Changes can.

Paths are text in the form of the machine they belong to (a recording of a Windows machine is read on Linux too).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from app.host.answers import (
    Completed,
    DisplayDevice,
    Drive,
    Entry,
    Holder,
    NvmlAnswer,
    NvmlDevice,
    ProgramFile,
    RegistryKey,
    RunningPython,
    SystemValues,
)
from app.model.cancel import Cancel
from app.model.facts import Family

__all__ = [
    "Changes",
    "Completed",
    "DisplayDevice",
    "Drive",
    "Encoding",
    "Entry",
    "Holder",
    "Host",
    "Machine",
    "NvmlAnswer",
    "NvmlDevice",
    "OutputLine",
    "ProgramFile",
    "Readings",
    "RegistryKey",
    "RunningPython",
    "SystemValues",
]

Encoding = Literal["utf-8", "utf-16-le", "oem", "ansi"]


class Readings(Protocol):
    """Everything that only looks. A failure is an answer (None, or Completed.failure), never an exception."""

    @property
    def family(self) -> Family: ...

    @property
    def recorded_at(self) -> str | None:
        """When the answers were recorded; None: they are read now."""
        ...

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        """Runs a short command that changes nothing. `environment` is added to the cleaned one of a child."""
        ...

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        """A key such as `HKLM\\SOFTWARE\\Python` with the named values, all if None; None where there is no such key, always on Linux.

        Keys hold personal things beside what is wanted (product keys, names): ask for what you use.
        """
        ...

    def list_files(self, folder: str) -> tuple[Entry, ...] | None: ...

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        """Sorted names, folders with a trailing `/`; with patterns (`*.dist-info`) only those that fit one. None: no such folder."""
        ...

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None: ...

    def find_text(self, path: str, pattern: str) -> str | None:
        """The first match of a pattern of ASCII letters in a file of any size, such as a library; None: no file, `""`: no match."""
        ...

    def modified(self, path: str) -> float | None:
        """When it was last changed, seconds since 1970; None: there is no such file or folder."""
        ...

    def resolve(self, path: str) -> str | None:
        """The path behind all links; None where it leads nowhere."""
        ...

    def writable(self, folder: str) -> bool | None:
        """Whether files may be added to the folder, asked without writing; None: no such folder."""
        ...

    def program_file(self, path: str) -> ProgramFile | None: ...

    def environment(self) -> Mapping[str, str]: ...

    def disk_free(self, path: str) -> int | None: ...

    def drives(self) -> tuple[Drive, ...]: ...

    def system(self) -> SystemValues: ...

    def nvml(self, timeout_s: float = 10.0) -> NvmlAnswer:
        """The GPUs by the driver's own library, without starting a program."""
        ...

    def python_processes(self) -> tuple[RunningPython, ...] | None:
        """The Pythons that run now; None: this system does not tell."""
        ...


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


class Machine(Host, Protocol):
    """A whole machine on which an environment can be changed and put back."""

    def flush_files(self, root: str, files: Iterable[str]) -> None:
        """Brings `files`, which lie below `root`, to the disk, so that they outlast a power cut."""
        ...

    def find_holders(self, folder: str, files: Iterable[str] = ()) -> tuple[Holder, ...]:
        """Programs other than this one that run from `folder` or hold files below it; `files` are those about to be replaced."""
        ...

    def silence(self, url: str, timeout_s: float) -> str | None:
        """Why nothing useful answers at `url`; None if something does."""
        ...

    def text(self, url: str, timeout_s: float = 15.0) -> str | None:
        """A small document behind an address; None if it cannot be had."""
        ...

    def trust(self, certificates: str) -> None:
        """Counts the authorities in a PEM file as trusted too, besides the system's, for all that is fetched. Problem if it cannot be read."""
        ...

    def disconnect(self) -> None:
        """Ends idle connections to servers; later calls make new ones."""
        ...

    def expect_downloads(self) -> None:
        """Loads what downloads need in the background, as it takes a moment."""
        ...
