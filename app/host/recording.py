"""Recordings: every answer a machine gave, so that the same probes give the same facts elsewhere, later.

A recording never holds whole environments or process lists: only what a probe asked for. Secrets in URLs are taken out
before an answer is kept. Bytes are kept as text where they are text, so that a report can replace names in them.
"""

import fnmatch
import ntpath
import posixpath
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, TypeVar

from app.host.answers import Completed, Drive, Entry, NvmlAnswer, ProgramFile, RegistryKey, RunningPython, SystemValues
from app.host.credentials import names_secret, without_credentials
from app.host.protocol import Readings
from app.model import codec
from app.model.facts import Family

RECORDING_SCHEMA: Final = "recording/1"

_CODE_FIELDS: Final = frozenset({"schema", "family", "encoding", "failure", "kind", "arch"})
"""Fields that hold one of our own words, never a text of the machine."""

_TABLES: Final = ("registry", "environment", "names", "entries", "files", "programs", "modified", "links", "writable", "free_bytes", "found")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes as text of a named encoding that gives the same bytes back."""

    text: str
    encoding: Literal["utf-8", "utf-16-le", "gb18030", "cp932", "cp1252", "cp1251", "latin-1"] = "utf-8"

    def as_bytes(self) -> bytes:
        return self.text.encode(self.encoding, "replace")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A recorded command with its answer. `environment` is what was added to the child's."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: Content
    stderr: Content
    milliseconds: float
    failure: Literal["not-found", "timed-out", "cannot-start", "not-recorded"] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordedKey:
    """A registry key; values by kind, since JSON does not tell bytes from text."""

    texts: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    binary: Mapping[str, str] = field(default_factory=dict)
    subkeys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """Answers by what was asked: keys are paths, registry keys with their view (`64:HKLM\\...`), or folder and patterns (`C:\\x|*.dist-info`).

    None means: looked for and absent. A question that is not among the keys was never asked.
    """

    family: Family
    captured_at: str | None = None
    system: SystemValues | None = None
    nvml: NvmlAnswer | None = None
    drives: tuple[Drive, ...] | None = None
    processes: tuple[RunningPython, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    queries: tuple[Spoken, ...] = ()
    registry: Mapping[str, RecordedKey | None] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    entries: Mapping[str, tuple[Entry, ...] | None] = field(default_factory=dict)
    files: Mapping[str, Content | None] = field(default_factory=dict)
    programs: Mapping[str, ProgramFile | None] = field(default_factory=dict)
    modified: Mapping[str, float | None] = field(default_factory=dict)
    links: Mapping[str, str | None] = field(default_factory=dict)
    writable: Mapping[str, bool | None] = field(default_factory=dict)
    free_bytes: Mapping[str, int | None] = field(default_factory=dict)
    found: Mapping[str, str | None] = field(default_factory=dict)
    schema: Literal["recording/1"] = RECORDING_SCHEMA

    def with_texts(self, change: Callable[[str], str]) -> "Recording":
        """The recording with every text in it changed, keys included: for replacing names consistently."""
        changed: Recording = _with_texts(self, change)
        return changed


def load_recording(document: Any, name: str) -> Recording:
    """From a parsed document; Problem (exit code 2) says where it does not fit."""
    return codec.load(document, Recording, name)


class Recorder:
    """Readings that pass every question on to a host and keep the answers.

    `earlier`: the recording of an earlier scan, whose answers are kept where nothing is asked again.
    """

    def __init__(self, host: Readings, earlier: Recording | None = None) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._kept: dict[str, dict[str, Any]] = {name: dict(getattr(earlier, name)) for name in _TABLES} if earlier is not None else {}
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
            tuple(argv), answer.exit_code, _content(answer.stdout), _content(answer.stderr), answer.milliseconds, answer.failure, dict(environment or {})
        )
        with self._lock:
            self._queries.append(spoken)
        return answer

    def registry(self, key: str, view: Literal[32, 64] = 64, names: tuple[str, ...] | None = None) -> RegistryKey | None:
        answer = self._host.registry(key, view, names)
        recorded = None if answer is None else _recorded_key(answer)
        with self._lock:
            earlier = self._kept.setdefault("registry", {}).get(f"{view}:{key}")
            self._kept["registry"][f"{view}:{key}"] = recorded if earlier is None or recorded is None else _joined(earlier, recorded)
        return answer

    def list_files(self, folder: str) -> tuple[Entry, ...] | None:
        return self._keep("entries", folder, self._host.list_files(folder))

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        return self._keep("names", _names_key(folder, patterns), self._host.list_names(folder, patterns))

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        answer = self._host.read_bytes(path, limit_bytes)
        self._keep("files", path, None if answer is None else _content(answer))
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
            name: {self._fold(key): value for key, value in getattr(recording, name).items()} for name in _TABLES if name not in ("registry", "environment")
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
        played = _played_key(recorded)
        if names is None:
            return played
        held = {name.casefold(): value for name, value in played.values.items()}
        return RegistryKey({name: held[name.casefold()] for name in names if name.casefold() in held}, played.subkeys)

    def list_files(self, folder: str) -> tuple[Entry, ...] | None:
        answer: tuple[Entry, ...] | None = self._answer("entries", folder)
        return answer

    def list_names(self, folder: str, patterns: tuple[str, ...] = ()) -> tuple[str, ...] | None:
        key = _names_key(folder, patterns)
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


def _content(answer: bytes) -> Content:
    candidates: tuple[Literal["utf-8", "utf-16-le", "gb18030", "cp932", "cp1252", "cp1251", "latin-1"], ...] = ("utf-8", "gb18030", "cp1252", "latin-1")
    if len(answer) % 2 == 0 and 0 in answer[1:400:2]:
        candidates = ("utf-16-le", *candidates)
    for encoding in candidates:
        try:
            text = answer.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == answer:
            return Content(without_credentials(text), encoding)
    return Content(without_credentials(answer.decode("latin-1")), "latin-1")


def _recorded_key(key: RegistryKey) -> RecordedKey:
    recorded = RecordedKey(subkeys=key.subkeys)
    texts, numbers, lists, binary = {}, {}, {}, {}
    for name, value in key.values.items():
        if isinstance(value, str):
            texts[name] = without_credentials(value)
        elif isinstance(value, int):
            numbers[name] = value
        elif isinstance(value, bytes):
            binary[name] = value.hex()
        else:
            lists[name] = tuple(value)
    return replace(recorded, texts=texts, numbers=numbers, lists=lists, binary=binary)


def _joined(earlier: RecordedKey, later: RecordedKey) -> RecordedKey:
    return RecordedKey(
        {**earlier.texts, **later.texts},
        {**earlier.numbers, **later.numbers},
        {**earlier.lists, **later.lists},
        {**earlier.binary, **later.binary},
        later.subkeys,
    )


def _played_key(key: RecordedKey) -> RegistryKey:
    binary = {name: bytes.fromhex(value) for name, value in key.binary.items() if _is_hex(value)}
    return RegistryKey({**key.texts, **key.numbers, **key.lists, **binary}, key.subkeys)


def _is_hex(value: str) -> bool:
    return len(value) % 2 == 0 and all(letter in "0123456789abcdef" for letter in value)


def _names_key(folder: str, patterns: tuple[str, ...]) -> str:
    return f"{folder}|{','.join(patterns)}" if patterns else folder


def _windows_key(path: str) -> str:
    return ntpath.normpath(path).replace("/", "\\").casefold() if path else path


def _linux_key(path: str) -> str:
    return posixpath.normpath(path) if path else path


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_with_texts(item, change) for item in value)
    if isinstance(value, Mapping):
        return {change(key): _with_texts(item, change) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _with_texts(getattr(value, f.name), change) for f in fields(value) if f.name not in _CODE_FIELDS})
    return value
