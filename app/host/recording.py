"""Recording a machine while it is read, and playing the recording back."""

import fnmatch
import ntpath
import posixpath
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from app.host.answers import Completed, Drive, Entry, NvmlAnswer, ProgramFile, RegistryKey, RunningPython, SystemValues
from app.host.credentials import names_secret, without_credentials
from app.host.protocol import Readings
from app.host.recording_values import (
    TABLES,
    Content,
    Recording,
    Spoken,
    content_of,
    joined_keys,
    load_recording,
    names_key,
    played_key,
    recorded_key,
)
from app.model.facts import Family

__all__ = ["RecordedHost", "Recorder", "Recording", "load_recording"]

_T = TypeVar("_T")


class Recorder:
    """Readings that pass every question on to a host and keep the answers.

    `earlier`: the recording of an earlier scan, whose answers are kept where nothing is asked again.
    """

    def __init__(self, host: Readings, earlier: Recording | None = None) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._kept: dict[str, dict[str, Any]] = {name: dict(getattr(earlier, name)) for name in TABLES} if earlier is not None else {}
        self._single: dict[str, Any] = {}
        self._queries: list[Spoken] = []
        self.starts_empty = earlier is None
        """Whether all answers must be asked for, so that the recording alone gives all facts."""

    @property
    def family(self) -> Family:
        return self._host.family

    @property
    def recorded_at(self) -> str | None:
        return self._host.recorded_at

    def recording(self, captured_at: str | None = None) -> Recording:
        """What was answered until now."""
        with self._lock:
            kept: dict[str, Any] = {name: dict(sorted(answers.items())) for name, answers in self._kept.items()}
            return Recording(family=self.family, captured_at=captured_at, queries=tuple(self._queries), **kept, **self._single)

    def _keep(self, kind: str, key: str, answer: _T) -> _T:
        with self._lock:
            self._kept.setdefault(kind, {})[key] = answer
        return answer

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        answer = self._host.query(argv, timeout_s, environment)
        spoken = Spoken(
            tuple(argv), answer.exit_code, content_of(answer.stdout), content_of(answer.stderr), answer.milliseconds, answer.failure, dict(environment or {})
        )
        with self._lock:
            self._queries.append(spoken)
        return answer

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        answer = self._host.registry(key, view, names)
        recorded = None if answer is None else recorded_key(answer)
        with self._lock:
            earlier = self._kept.setdefault("registry", {}).get(f"{view}:{key}")
            self._kept["registry"][f"{view}:{key}"] = recorded if earlier is None or recorded is None else joined_keys(earlier, recorded)
        return answer

    def list_files(self, folder: str) -> tuple[Entry, ...] | None:
        return self._keep("entries", folder, self._host.list_files(folder))

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        return self._keep("names", names_key(folder, patterns), self._host.list_names(folder, patterns))

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        answer = self._host.read_bytes(path, limit_bytes)
        self._keep("files", path, None if answer is None else content_of(answer))
        return answer

    def find_text(self, path: str, pattern: str) -> str | None:
        return self._keep("found", f"{path}|{pattern}", self._host.find_text(path, pattern))

    def modified(self, path: str) -> float | None:
        return self._keep("modified", path, self._host.modified(path))

    def resolve(self, path: str) -> str | None:
        return self._keep("links", path, self._host.resolve(path))

    def writable(self, folder: str) -> bool | None:
        return self._keep("writable", folder, self._host.writable(folder))

    def program_file(self, path: str) -> ProgramFile | None:
        return self._keep("programs", path, self._host.program_file(path))

    def environment(self) -> Mapping[str, str]:
        return _Watched(self._host.environment(), lambda name, value: self._keep("environment", name, value))

    def disk_free(self, path: str) -> int | None:
        return self._keep("free_bytes", path, self._host.disk_free(path))

    def drives(self) -> tuple[Drive, ...]:
        return self._keep_single("drives", self._host.drives())

    def system(self) -> SystemValues:
        return self._keep_single("system", self._host.system())

    def nvml(self, timeout_s: float = 10.0) -> NvmlAnswer:
        return self._keep_single("nvml", self._host.nvml(timeout_s))

    def python_processes(self) -> tuple[RunningPython, ...] | None:
        return self._keep_single("processes", self._host.python_processes())

    def _keep_single(self, kind: str, answer: _T) -> _T:
        with self._lock:
            self._single[kind] = answer
        return answer


class RecordedHost:
    """Readings answered by a recording. A question it does not hold is answered as absent, and counted in `misses`."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._path = _windows_key if recording.family == "windows" else _linux_key
        self._tables = {
            name: {self._fold(key): value for key, value in getattr(recording, name).items()} for name in TABLES if name not in ("registry", "environment")
        }
        whole = {key: names for key, names in self._tables["names"].items() if names is not None and "|" not in key}
        self._listings = {key: frozenset(self._path(name.rstrip("/")) for name in names) for key, names in whole.items()}
        self._registry = {key.casefold(): value for key, value in recording.registry.items()}
        self._misses: set[str] = set()

    def _fold(self, key: str) -> str:
        folder, bar, patterns = key.partition("|")
        return self._path(folder) + bar + patterns

    @property
    def family(self) -> Family:
        return self._recording.family

    @property
    def recorded_at(self) -> str | None:
        return self._recording.captured_at or ""

    @property
    def misses(self) -> tuple[str, ...]:
        """What was asked and is not in the recording."""
        return tuple(sorted(self._misses))

    def _answer(self, table: str, key: str) -> Any:
        answers, folded = self._tables[table], self._fold(key)
        if folded not in answers:
            if not self._is_absent(key):
                self._misses.add(f"{table}: {key}")
            return None
        return answers[folded]

    def _is_absent(self, path: str) -> bool:
        """Whether the listing of a folder above says that there is no such thing."""
        parts = ntpath if self._recording.family == "windows" else posixpath
        child = path.partition("|")[0].rstrip("\\/")
        while (parent := parts.dirname(child)) not in ("", child):
            if self._path(parent) in self._listings:
                return not self._listed(child)
            child = parent
        return False

    def _listed(self, path: str) -> bool:
        """Whether the listing of the folder holds the name, so that a recording need not say twice that a thing is there."""
        parts = ntpath if self._recording.family == "windows" else posixpath
        folder, name = parts.split(path.rstrip("\\/"))
        return self._path(name) in self._listings.get(self._path(folder), frozenset())

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        asked = self._command(argv)
        for spoken in self._recording.queries:
            if self._command(spoken.argv) == asked:
                return Completed(tuple(argv), spoken.exit_code, spoken.stdout.as_bytes(), spoken.stderr.as_bytes(), spoken.milliseconds, spoken.failure)
        self._misses.add(f"query: {' '.join(argv)}")
        return Completed(tuple(argv), None, b"", b"", 0.0, "not-recorded")

    def _command(self, argv: Sequence[str]) -> tuple[str, ...]:
        return (self._path(argv[0]), *argv[1:]) if argv else ()

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        folded = f"{view}:{key}".casefold()
        if folded not in self._registry:
            self._misses.add(f"registry: {view}:{key}")
            return None
        recorded = self._registry[folded]
        if recorded is None:
            return None
        played = played_key(recorded)
        if names is None:
            return played
        held = {name.casefold(): value for name, value in played.values.items()}
        return RegistryKey({name: held[name.casefold()] for name in names if name.casefold() in held}, played.subkeys)

    def list_files(self, folder: str) -> tuple[Entry, ...] | None:
        answer: tuple[Entry, ...] | None = self._answer("entries", folder)
        return answer

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        key = names_key(folder, patterns)
        whole = self._tables["names"].get(self._fold(folder))
        if patterns and whole is not None and self._fold(key) not in self._tables["names"]:
            return tuple(name for name in whole if any(fnmatch.fnmatchcase(name.rstrip("/").lower(), pattern.lower()) for pattern in patterns))
        answer: tuple[str, ...] | None = self._answer("names", key)
        return answer

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        content: Content | None = self._answer("files", path)
        return None if content is None else content.as_bytes()[:limit_bytes]

    def find_text(self, path: str, pattern: str) -> str | None:
        answer: str | None = self._answer("found", f"{path}|{pattern}")
        return answer

    def modified(self, path: str) -> float | None:
        if self._fold(path) not in self._tables["modified"] and self._listed(path):
            return 0.0
        answer: float | None = self._answer("modified", path)
        return answer

    def resolve(self, path: str) -> str | None:
        answer: str | None = self._answer("links", path)
        return answer

    def writable(self, folder: str) -> bool | None:
        answer: bool | None = self._answer("writable", folder)
        return answer

    def program_file(self, path: str) -> ProgramFile | None:
        answer: ProgramFile | None = self._answer("programs", path)
        return answer

    def environment(self) -> Mapping[str, str]:
        return self._recording.environment

    def disk_free(self, path: str) -> int | None:
        answer: int | None = self._answer("free_bytes", path)
        return answer

    def drives(self) -> tuple[Drive, ...]:
        if self._recording.drives is None:
            self._misses.add("drives")
        return self._recording.drives or ()

    def system(self) -> SystemValues:
        if self._recording.system is None:
            self._misses.add("system")
        return self._recording.system or SystemValues(version="")

    def nvml(self, timeout_s: float = 10.0) -> NvmlAnswer:
        if self._recording.nvml is None:
            self._misses.add("nvml")
        return self._recording.nvml or NvmlAnswer(error=-1, message="not recorded")

    def python_processes(self) -> tuple[RunningPython, ...] | None:
        if self._recording.processes is None:
            self._misses.add("processes")
        return self._recording.processes


class _Watched(Mapping[str, str]):
    """An environment that tells which of its values were read. Values of secrets cannot be read."""

    def __init__(self, values: Mapping[str, str], seen: Callable[[str, str], Any]) -> None:
        self._values = values
        self._seen = seen

    def __getitem__(self, name: str) -> str:
        value = "***" if names_secret(name) else without_credentials(self._values[name])
        self._seen(name, value)
        return value

    def __contains__(self, name: object) -> bool:
        # Asking whether it is there reads no value.
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _windows_key(path: str) -> str:
    return ntpath.normpath(path).replace("/", "\\").casefold() if path else path


def _linux_key(path: str) -> str:
    return posixpath.normpath(path) if path else path
