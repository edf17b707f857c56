"""Real readings of the machine this program runs on."""

import fnmatch
import functools
import mmap
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import psutil

from app.host.answers import Completed, Drive, Entry, NvmlAnswer, ProgramFile, RegistryKey, RunningPython, SystemValues
from app.host.child_environment import child_environment
from app.host.nvml import read_nvml
from app.host.program_file import HEAD_BYTES, kernel_version, kernel_version_place, program_arch, resource_range, resource_version
from app.host.starting import own_dlls_hidden
from app.model.facts import Arch, Family

MAX_OUTPUT_BYTES: Final = 1 << 20
"""Of one stream of a queried command; the rest is read and dropped, so that the command does not block."""

_ARCHES: Final[Mapping[str, Arch]] = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64", "i386": "x86", "i686": "x86", "x86": "x86"}


class LiveReadings:
    """Reads, never writes. Safe to call from several threads at once."""

    recorded_at: str | None = None

    @functools.cached_property
    def family(self) -> Family:
        if sys.platform == "win32":
            return "windows"
        release = self.read_bytes("/proc/sys/kernel/osrelease") or b""
        return "wsl" if b"microsoft" in release.lower() else "linux"

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        start = time.perf_counter()

        def ended(exit_code: int | None, out: bytes, err: bytes, failure: Literal["not-found", "timed-out", "cannot-start"] | None) -> Completed:
            return Completed(tuple(argv), exit_code, out, err, round((time.perf_counter() - start) * 1000, 1), failure)

        try:
            with own_dlls_hidden():
                child = subprocess.Popen(
                    list(argv),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=child_environment(dict(os.environ), getattr(sys, "_MEIPASS", None), environment),
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                    start_new_session=sys.platform != "win32",
                )
        except FileNotFoundError:
            return ended(None, b"", b"", "not-found")
        except (OSError, ValueError) as error:
            return ended(None, b"", str(error).encode(), "cannot-start")
        assert child.stdout is not None
        assert child.stderr is not None
        out, err = _Collector(child.stdout), _Collector(child.stderr)
        try:
            exit_code = child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _end_tree(child)
            return ended(None, out.taken(0.2), err.taken(0.2), "timed-out")
        # A grandchild may keep the pipes open for ever; what the command itself said is there by now.
        return ended(exit_code & 0xFFFFFFFF if sys.platform == "win32" else exit_code, out.taken(1.0), err.taken(1.0), None)

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        if sys.platform == "win32":
            from app.host.windows_readings import read_key

            return read_key(key, view, names)
        return None

    def list_files(self, folder: str) -> tuple[Entry, ...] | None:
        try:
            with os.scandir(folder) as entries:
                return tuple(sorted(_entries(entries), key=lambda entry: entry.name))
        except (OSError, ValueError):
            return None

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        fits = _matcher(patterns)
        try:
            with os.scandir(folder) as entries:
                names = [f"{entry.name}/" if _is_folder(entry) else entry.name for entry in entries if fits is None or fits(entry.name)]
        except (OSError, ValueError):
            return None
        return tuple(sorted(names))

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - see modified
                return file.read(limit_bytes)
        except (OSError, ValueError):
            return None

    def find_text(self, path: str, pattern: str) -> str | None:
        try:
            with Path(path).open("rb") as file:
                if os.fstat(file.fileno()).st_size == 0:
                    return ""
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                    found = re.search(pattern.encode("ascii"), content)
                    return "" if found is None else found[0].decode("ascii", "replace")
        except (OSError, ValueError):
            return None

    def modified(self, path: str) -> float | None:
        try:
            # A scan asks this thousands of times, and making a Path costs more than the answer.
            return os.stat(path).st_mtime  # noqa: PTH116
        except (OSError, ValueError):
            return None

    def resolve(self, path: str) -> str | None:
        try:
            return os.path.realpath(path, strict=True)
        except (OSError, ValueError):
            return None

    def writable(self, folder: str) -> bool | None:
        if not os.path.isdir(folder):  # noqa: PTH112 - see modified
            return None
        if sys.platform == "win32":
            from app.host.windows_readings import may_add_files

            return may_add_files(folder)
        return os.access(folder, os.W_OK | os.X_OK)

    def program_file(self, path: str) -> ProgramFile | None:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - see modified
                size = os.fstat(file.fileno()).st_size
                head = file.read(HEAD_BYTES)
                place = resource_range(head)
                version = None
                if place is not None:
                    file.seek(place[0])
                    version = resource_version(file.read(place[1]))
                elif (kernel := kernel_version_place(head)) is not None:
                    file.seek(kernel)
                    version = kernel_version(file.read(256))
            return ProgramFile(size, program_arch(head), version)
        except (OSError, ValueError):
            # An app execution alias cannot be opened as a file; it has no bytes and a reparse target.
            if sys.platform == "win32":
                from app.host.windows_readings import alias_target

                target = alias_target(path)
                return None if target is None else ProgramFile(0, alias_of=target)
            return None

    def environment(self) -> Mapping[str, str]:
        return dict(os.environ)

    def disk_free(self, path: str) -> int | None:
        try:
            return shutil.disk_usage(path).free
        except (OSError, ValueError):
            return None

    def drives(self) -> tuple[Drive, ...]:
        if sys.platform == "win32":
            from app.host.windows_readings import list_drives

            return list_drives()
        from app.host.linux_readings import list_drives as list_mounts

        return list_mounts()

    def system(self) -> SystemValues:
        if sys.platform == "win32":
            from app.host.windows_readings import system_values

            return system_values()
        memory = psutil.virtual_memory().total
        return SystemValues(
            version=platform.release(),
            arch=_ARCHES.get(platform.machine().lower()),
            cores=psutil.cpu_count(logical=False) or psutil.cpu_count(),
            total_bytes=memory,
            commit_limit_bytes=memory + psutil.swap_memory().total,
            elevated=os.geteuid() == 0,
        )

    def nvml(self, timeout_s: float = 10.0) -> NvmlAnswer:
        return read_nvml(timeout_s)

    def python_processes(self) -> tuple[RunningPython, ...] | None:
        try:
            return tuple(_running_pythons())
        except (OSError, psutil.Error):
            return None


class _Collector:
    """Reads a pipe in a thread of its own until it ends, keeps the first MAX_OUTPUT_BYTES."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._chunks: list[bytes] = []
        self._thread = threading.Thread(target=self._read, name="query-output", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        kept = 0
        with self._pipe:
            while chunk := self._pipe.read1(65536):
                if kept < MAX_OUTPUT_BYTES:
                    self._chunks.append(chunk)
                    kept += len(chunk)

    def taken(self, seconds: float) -> bytes:
        self._thread.join(seconds)
        return b"".join(list(self._chunks))[:MAX_OUTPUT_BYTES]


def _end_tree(child: "subprocess.Popen[bytes]") -> None:
    try:
        children = psutil.Process(child.pid).children(recursive=True)
    except (OSError, psutil.Error):
        children = []
    child.kill()
    for member in children:
        try:
            member.kill()
        except (OSError, psutil.Error):
            continue
    try:
        child.wait(1.0)
    except subprocess.TimeoutExpired:
        return


@functools.lru_cache(maxsize=64)
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], object] | None:
    """Ends, beginnings and whole names are compared as such: a regular expression for thousands of names costs ten times as much."""
    if not patterns:
        return None
    lower = [pattern.lower() for pattern in patterns]
    plain = [pattern for pattern in lower if not any(mark in pattern.strip("*") for mark in "*?[") and pattern.count("*") <= 1]
    ends = tuple(pattern[1:] for pattern in plain if pattern.startswith("*"))
    begins = tuple(pattern[:-1] for pattern in plain if pattern.endswith("*"))
    wholes = frozenset(pattern for pattern in plain if "*" not in pattern)
    others = [fnmatch.translate(pattern) for pattern in lower if pattern not in plain]
    rest = re.compile("|".join(others)).match if others else None

    def fits(name: str) -> object:
        name = name.lower()
        return name.endswith(ends) or name.startswith(begins) or name in wholes or (rest is not None and rest(name))

    return fits


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _entries(entries: Iterator[os.DirEntry[str]]) -> Iterator[Entry]:
    for entry in entries:
        try:
            status = entry.stat()
        except OSError:
            yield Entry(entry.name, False, 0, 0.0)
            continue
        yield Entry(entry.name, _is_folder(entry), status.st_size, status.st_mtime)


def _running_pythons() -> Iterator[RunningPython]:
    for process in psutil.process_iter():
        name = _name(process)
        if name is None or not name.lower().startswith(("python", "pypy")):
            continue
        command, executable = _command(process), _executable(process)
        # On Linux a venv's python is a link; only the command still names the environment.
        if command and not (sys.platform == "win32" and executable):
            executable = _started_as(process, command[0]) or executable
        yield RunningPython(process.pid, name, executable, _script(command))


def _name(process: psutil.Process) -> str | None:
    try:
        return process.name()
    except (OSError, psutil.Error):
        executable = _executable(process)
        return None if executable is None else Path(executable).name


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (OSError, psutil.Error):
        return []


def _executable(process: psutil.Process) -> str | None:
    try:
        return process.exe() or None
    except (OSError, psutil.Error):
        if sys.platform == "win32":
            from app.host.windows_readings import image_path

            return image_path(process.pid)
        return None


def _started_as(process: psutil.Process, first: str) -> str | None:
    if Path(first).is_absolute():
        return first
    try:
        return str(Path(process.cwd(), first)) if os.sep in first else None
    except (OSError, psutil.Error):
        return None


def _script(command: Sequence[str]) -> str | None:
    for index, argument in enumerate(command[1:], start=1):
        if argument == "-m" and index + 1 < len(command):
            return f"-m {command[index + 1]}"
        if argument == "-c":
            return "-c"
        if not argument.startswith("-"):
            return str(Path(*Path(argument).parts[-2:]))
    return None
