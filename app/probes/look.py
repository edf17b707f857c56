"""What a probe looks through: the host's readings, with paths of its family, notes of every question, facts and gaps."""

import ntpath
import posixpath
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, Literal, TypeVar

from app.host.answers import Completed, Drive, Entry, NvmlAnswer, ProgramFile, RegistryKey, RunningPython, SystemValues
from app.host.credentials import names_secret, without_credentials
from app.host.protocol import Readings
from app.model.cancel import Cancel
from app.model.facts import Family, Gap
from app.model.scan import Reading
from app.model.unknown import UNKNOWN
from app.probes.decoding import decode

_T = TypeVar("_T")

MAX_RAW: Final = 4000
MAX_READINGS: Final = 400
"""Of one probe, and letters of one answer: what a supporter reads, not what a machine with 300 environments could fill."""


class Shared:
    """Answers that several probes want and that must be the same for all of them, such as the room on a drive."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._answers: dict[str, Any] = {}

    def once(self, name: str, ask: Callable[[], _T]) -> _T:
        # A lock for each name: a drive that does not answer holds up nobody who asks for something else.
        with self._locks[name]:
            if name not in self._answers:
                self._answers[name] = ask()
            answer: _T = self._answers[name]
            return answer


class Look:
    """One probe's view of a machine. Facts put and gaps noted until a time-out are kept."""

    def __init__(self, host: Readings, probe: str, cancel: Cancel, shared: Shared) -> None:
        self._host = host
        self._shared = shared
        self.probe = probe
        self.cancel = cancel
        self._lock = threading.Lock()
        self._facts: dict[str, Any] = {}
        self._gaps: list[Gap] = []
        self._readings: list[Reading] = []

    # What was found

    def put(self, path: str, fact: Any) -> None:
        """A fact by its path in machine/1: `gpus`, `os.locale`."""
        with self._lock:
            self._facts[path] = fact

    def gap(self, path: str, code: str, detail: str | None = None) -> None:
        """Why a fact is not known."""
        with self._lock:
            self._gaps.append(Gap(path, code, UNKNOWN if detail is None else detail[:300]))

    def taken(self) -> tuple[dict[str, Any], list[Gap], list[Reading]]:
        """Facts, gaps and notes until now."""
        with self._lock:
            return dict(self._facts), list(self._gaps), list(self._readings)

    # Paths, in the form of the machine that is looked at

    @property
    def family(self) -> Family:
        return self._host.family

    @property
    def is_replay(self) -> bool:
        """Whether answers come from a recording, where nothing takes time."""
        return self._host.recorded_at is not None

    @property
    def on_windows(self) -> bool:
        return self._host.family == "windows"

    @property
    def paths(self) -> ModuleType:
        return ntpath if self.on_windows else posixpath

    def join(self, *parts: str) -> str:
        joined: str = self.paths.join(*parts)
        return joined

    def parent(self, path: str) -> str:
        parent: str = self.paths.dirname(path.rstrip("\\/") if len(path.rstrip("\\/")) > 2 else path)
        return parent

    def name(self, path: str) -> str:
        name: str = self.paths.basename(path.rstrip("\\/"))
        return name

    def same(self, path: str) -> str:
        """The form by which two spellings of one path are told to be one."""
        normal: str = self.paths.normcase(self.paths.normpath(path))
        return normal

    # Readings

    def _note(self, source: str, started: float, raw: str) -> None:
        with self._lock:
            if len(self._readings) < MAX_READINGS:
                spent = (time.perf_counter() - started) * 1000
                self._readings.append(Reading(self.probe, source, round(spent, 2), without_credentials(raw[:MAX_RAW])))

    def query(self, *argv: str, timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        self.cancel.check()
        started = time.perf_counter()
        answer = self._host.query(argv, timeout_s, environment)
        said = decode(answer.stdout) + decode(answer.stderr)
        ended = answer.failure or f"exit code {answer.exit_code}"
        self._note(" ".join(argv), started, f"{said}\n[{ended}]" if answer.failure or answer.exit_code else said)
        return answer

    def registry(self, key: str, *names: str, view: Literal[32, 64] = 64) -> RegistryKey | None:
        """A key with its subkeys and the named values, none but those."""
        started = time.perf_counter()
        answer = self._host.registry(key, view, names)
        lines = [] if answer is None else [f"{name or '(default)'} = {value!r}" for name, value in answer.values.items()]
        lines += [] if answer is None else [f"{name}\\" for name in answer.subkeys]
        self._note(f"{key} ({view}-bit)", started, "(no such key)" if answer is None else "\n".join(lines))
        return answer

    def value(self, key: str, name: str, view: Literal[32, 64] = 64) -> str | int | bytes | tuple[str, ...] | None:
        """One value of a registry key; None where key or value is absent."""
        answer = self.registry(key, name, view=view)
        return None if answer is None else answer.values.get(name)

    def names(self, folder: str, *patterns: str) -> tuple[str, ...] | None:
        """Names in a folder, folders with a trailing `/`. Not noted one by one: a scan lists thousands."""
        self.cancel.check()
        return self._host.list_names(folder, patterns)

    def entries(self, folder: str) -> tuple[Entry, ...] | None:
        started = time.perf_counter()
        answer = self._host.list_files(folder)
        self._note(folder, started, "(no such folder)" if answer is None else "\n".join(entry.name for entry in answer))
        return answer

    def read(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        return self._host.read_bytes(path, limit_bytes)

    def text(self, path: str, limit_bytes: int = 1 << 20) -> str | None:
        """A text file, decoded by its mark or content; None where it is absent."""
        started = time.perf_counter()
        answer = self._host.read_bytes(path, limit_bytes)
        if answer is None:
            return None
        text = decode(answer)
        self._note(path, started, text)
        return text

    def find_text(self, path: str, pattern: str) -> str | None:
        started = time.perf_counter()
        answer = self._host.find_text(path, pattern)
        if answer is not None:
            self._note(f"{path} ({pattern})", started, answer or "(no match)")
        return answer

    def exists(self, path: str) -> bool:
        return self._host.modified(path) is not None

    def modified(self, path: str) -> float | None:
        return self._host.modified(path)

    def resolve(self, path: str) -> str | None:
        return self._host.resolve(path)

    def writable(self, folder: str) -> bool | None:
        return self._host.writable(folder)

    def program(self, path: str) -> ProgramFile | None:
        return self._host.program_file(path)

    def variables(self) -> Mapping[str, str]:
        return self._host.environment()

    def variable(self, name: str) -> str | None:
        """A variable of the environment, by any spelling on Windows."""
        values = self._host.environment()
        if not self.on_windows:
            return None if name not in values or names_secret(name) else values[name]
        found = next((own for own in values if own.upper() == name.upper()), None)
        return None if found is None else values[found]

    def drives(self) -> tuple[Drive, ...]:
        started = time.perf_counter()
        answer = self._shared.once("drives", self._host.drives)
        self._note("volumes", started, "\n".join(f"{d.root} {d.kind} {d.file_system} free {d.free_bytes} of {d.total_bytes}" for d in answer))
        return answer

    def system(self) -> SystemValues:
        started = time.perf_counter()
        answer = self._shared.once("system", self._host.system)
        self._note("system calls", started, repr(answer))
        return answer

    def nvml(self, timeout_s: float) -> NvmlAnswer:
        started = time.perf_counter()
        answer = self._host.nvml(timeout_s)
        self._note("NVML", started, "\n".join([repr(answer).partition(", devices=")[0] + ")", *map(repr, answer.devices)]))
        return answer

    def python_processes(self) -> tuple[RunningPython, ...] | None:
        return self._host.python_processes()

    def program_on_path(self, name: str) -> str | None:
        """The first program of that name (without `.exe`) in the folders of PATH, as a person's own terminal would find it."""
        file = f"{name}.exe" if self.on_windows else name
        for folder in self.search_path():
            candidate = self.join(folder, file)
            if self.exists(candidate):
                return candidate
        return None

    def search_path(self) -> tuple[str, ...]:
        """The folders of PATH. On Windows also those that were added since this program started."""
        listed = [self.variable("PATH") or ""]
        if self.on_windows:
            for key in (r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment", r"HKCU\Environment"):
                listed.append(str(self.value(key, "Path") or ""))
        folders = (self.expanded(part.strip().strip('"')) for line in listed for part in line.split(";" if self.on_windows else ":"))
        return tuple(dict.fromkeys(folder for folder in folders if folder and self.paths.isabs(folder)))

    def expanded(self, text: str) -> str:
        """`%NAME%` replaced by the variable's value where it has one."""
        if "%" not in text:
            return text
        parts = text.split("%")
        for index in range(1, len(parts) - 1, 2):
            parts[index] = self.variable(parts[index]) or f"%{parts[index]}%"
        return "".join(parts)
