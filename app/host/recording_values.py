"""Recordings: every answer a machine gave, so that the same probes give the same facts elsewhere, later.

A recording never holds whole environments or process lists: only what a probe asked for. Secrets in URLs are taken out
before an answer is kept. Bytes are kept as text where they are text, so that a report can replace names in them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, TypeVar

from app.host.answers import Drive, Entry, NvmlAnswer, ProgramFile, RegistryKey, RunningPython, SystemValues
from app.host.credentials import without_credentials
from app.model import codec
from app.model.facts import Family

RECORDING_SCHEMA: Final = "recording/1"

_CODE_FIELDS: Final = frozenset({"schema", "family", "encoding", "failure", "kind", "arch"})
"""Fields that hold one of our own words, never a text of the machine."""

TABLES: Final = ("registry", "environment", "names", "entries", "files", "programs", "modified", "links", "writable", "free_bytes", "found")

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


def content_of(answer: bytes) -> Content:
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


def recorded_key(key: RegistryKey) -> RecordedKey:
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


def joined_keys(earlier: RecordedKey, later: RecordedKey) -> RecordedKey:
    return RecordedKey(
        {**earlier.texts, **later.texts},
        {**earlier.numbers, **later.numbers},
        {**earlier.lists, **later.lists},
        {**earlier.binary, **later.binary},
        later.subkeys,
    )


def played_key(key: RecordedKey) -> RegistryKey:
    binary = {name: bytes.fromhex(value) for name, value in key.binary.items() if _is_hex(value)}
    return RegistryKey({**key.texts, **key.numbers, **key.lists, **binary}, key.subkeys)


def _is_hex(value: str) -> bool:
    return len(value) % 2 == 0 and all(letter in "0123456789abcdef" for letter in value)


def names_key(folder: str, patterns: tuple[str, ...]) -> str:
    return f"{folder}|{','.join(patterns)}" if patterns else folder


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
