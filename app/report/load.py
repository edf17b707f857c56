"""Opens reports and facts documents from outside. Whatever they hold, the answer is a value or one clear line."""

import math
import re
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from app.model import codec
from app.model.facts import MACHINE_SCHEMA, MachineFacts
from app.model.findings import DIAGNOSIS_SCHEMA
from app.model.plan import PLAN_SCHEMA, Choice
from app.model.problem import ExitCode, Problem, reason_of
from app.model.proof import PROOF_SCHEMA
from app.model.report import REPORT_SCHEMA, Report
from app.model.text import Text
from app.report.redact.reading import without_controls

MAX_UNPACKED_BYTES: Final = 64 << 20
MAX_ENTRIES: Final = 300
MAX_VALUES: Final = 1_500_000
"""Values in one document: each costs some hundred bytes of memory, however few in the file."""

MAX_DOCUMENT_BYTES: Final = 32 << 20
_CHUNK_BYTES: Final = 1 << 16
_ENTRY: Final = re.compile(r"^(?:report\.json|recording\.json|report\.html|summary\.md|logs/[^/\\:\x00-\x1f]{1,120})$")
_CODE: Final = re.compile(r"^[a-z][a-z0-9-]{0,40}(?:\.[A-Za-z0-9_-]{1,80}){1,6}$")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_FREE: Final = frozenset({"detail", "problem", "imports", "environment_variables"})
"""What programs said, in as many lines as they liked, and variables, which no command is made of."""

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_SCHEMAS: Final = {"report": REPORT_SCHEMA, "machine": MACHINE_SCHEMA, "plan": PLAN_SCHEMA, "proof": PROOF_SCHEMA, "diagnosis": DIAGNOSIS_SCHEMA}


@dataclass(frozen=True, slots=True)
class LoadedReport:
    """A report from outside. `notes` say what in it was not used, for people."""

    report: Report
    recording: bytes | None = None
    logs: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[Text, ...] = ()


def load_machine(path: Path) -> LoadedReport:
    """An exported report (.zip), its report.json alone, or a facts document (.json), told apart by content.

    Problem with exit code 2 if the file is neither, damaged, too large or of a newer schema.
    """
    with _Opened(path) as opened:
        return load_report(path) if opened.is_zip else _from_json(opened.content(), path.name)


def load_report(path: Path) -> LoadedReport:
    """An exported report (.zip). Problem with exit code 2 says in one line why it cannot be used."""
    with _Opened(path) as opened:
        if not opened.is_zip:
            raise _refused("report.not-a-report", path.name)
    try:
        return _from_zip(path)
    except Problem:
        raise
    except Exception as error:  # zipfile raises a dozen kinds for damaged archives, none of them documented as complete
        raise _refused("report.damaged", path.name) from error


def read_document(path: Path, limit_bytes: int = MAX_DOCUMENT_BYTES) -> Any:
    """Parsed JSON of a file from outside, its texts without signs that act. Problem (exit code 2) if it is none."""
    with _Opened(path) as opened:
        content = opened.content()
    if len(content) > limit_bytes:
        raise _refused("report.too-large", path.name)
    return _parse(content, path.name)


class _Opened:
    """A file from outside, opened for its first look."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> "_Opened":
        try:
            mode = self._path.stat()
            if not stat.S_ISREG(mode.st_mode):
                raise _refused("report.not-a-file", self._path.name)
            if mode.st_size > MAX_UNPACKED_BYTES:
                raise _refused("report.too-large", self._path.name)
            self._file = self._path.open("rb")
        except (OSError, ValueError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else type(error).__name__
            raise Problem(Text("report.cannot-read", {"file": self._path.name, "reason": reason}), ExitCode.BAD_INPUT) from error
        self.is_zip = self._file.read(2) == b"PK"
        self._file.seek(0)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def content(self) -> bytes:
        return self._file.read(MAX_DOCUMENT_BYTES + 1)


def _refused(code: str, file: str, **more: str) -> Problem:
    return Problem(Text(code, {"file": file, **more}), ExitCode.BAD_INPUT)


def _from_zip(path: Path) -> LoadedReport:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise _refused("report.too-large", path.name)
        _check_entries(entries, path.name)
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
            raise _refused("report.too-large", path.name)
        left = MAX_UNPACKED_BYTES
        contents: dict[str, bytes] = {}
        unused = 0
        for entry in entries:
            if entry.is_dir() or not _ENTRY.match(entry.filename):
                unused += not entry.is_dir()
                continue
            contents[entry.filename] = _read(archive, entry, left, path.name)
            left -= len(contents[entry.filename])
    if "report.json" not in contents:
        raise _refused("report.not-a-report", path.name)
    loaded = _from_json(contents["report.json"], path.name)
    recording, notes = _checked_recording(contents.get("recording.json"), path.name)
    if unused:
        notes = (*notes, Text("report.entries-ignored", {"count": unused}))
    logs = {name.removeprefix("logs/"): content for name, content in contents.items() if name.startswith("logs/")}
    return LoadedReport(loaded.report, recording, logs, (*loaded.notes, *notes))


def _check_entries(entries: list[zipfile.ZipInfo], file: str) -> None:
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        kind = stat.S_IFMT(entry.external_attr >> 16)
        parts = re.split(r"[\\/]", name)
        if name.startswith(("/", "\\")) or ".." in parts or ":" in name or re.search(r"[\x00-\x1f]", entry.orig_filename) or "\\" in entry.orig_filename:
            raise _refused("report.leads-outside", file)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _refused("report.holds-link", file)
        if name.casefold() in seen or entry.flag_bits & 0x1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused("report.damaged", file)
        seen.add(name.casefold())


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int, file: str) -> bytes:
    """The content, counted while it is unpacked: what an archive says of its sizes proves nothing."""
    pieces, size = [], 0
    with archive.open(entry) as stream:
        while piece := stream.read(_CHUNK_BYTES):
            size += len(piece)
            if size > limit:
                raise _refused("report.too-large", file)
            pieces.append(piece)
    return b"".join(pieces)


def _checked_recording(content: bytes | None, file: str) -> tuple[bytes | None, tuple[Text, ...]]:
    """A recording that is none is left out: the facts alone are a whole replay too."""
    if content is None:
        return None, ()
    try:
        document = _parse(content, file)
    except Problem:
        document = None
    if not isinstance(document, dict) or document.get("schema") != "recording/1":
        return None, (Text("report.recording-ignored"),)
    return content, ()


def _from_json(content: bytes, file: str) -> LoadedReport:
    document = _parse(content, file)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str):
        raise _refused("report.not-a-report", file)
    _check_schemas(document, file)
    if schema == MACHINE_SCHEMA:
        _check_lines(document, file)
        facts = codec.load(document, MachineFacts, file)
        captured = facts.captured_at
        return LoadedReport(Report(created_at=captured if isinstance(captured, str) else "", program_version="", facts=facts, choice=Choice()))
    if schema == REPORT_SCHEMA:
        _check_texts(document, file)
        _check_lines([document.get("facts"), document.get("choice")], file)
        return LoadedReport(codec.load(document, Report, file))
    raise _refused("report.not-a-report", file)


def _parse(content: bytes, file: str) -> Any:
    if len(content) > MAX_DOCUMENT_BYTES:
        raise _refused("report.too-large", file)
    if content.count(b",") + content.count(b"[") + content.count(b"{") > MAX_VALUES:
        raise _refused("report.too-large", file)
    document = codec.parse(content, file)
    _check_numbers(document, file)
    return harmless(document)


def _check_numbers(value: Any, file: str) -> None:
    """No number that a machine cannot hold: such a file was not written by this program."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(item, float) and not math.isfinite(item):
            raise _refused("report.number-out-of-range", file)
        if isinstance(item, int) and abs(item) >= 1 << 63:
            raise _refused("report.number-out-of-range", file)
        if isinstance(item, dict | list):
            _check_numbers(item, file)


def harmless(value: Any) -> Any:
    """Texts without signs that steer a terminal or the direction of writing, and without halves of letters."""
    if isinstance(value, str):
        return without_controls(_SURROGATES.sub("\ufffd", value))
    if isinstance(value, dict):
        return {harmless(name): harmless(item) for name, item in value.items()}
    return [harmless(item) for item in value] if isinstance(value, list) else value


def _check_schemas(value: Any, file: str) -> None:
    """Refuses documents of a newer version by name, rather than by the first field that does not fit."""
    if isinstance(value, dict):
        schema = value.get("schema")
        if isinstance(schema, str):
            kind, _, version = schema.partition("/")
            ours = _SCHEMAS.get(kind)
            if ours and schema != ours and version.isdigit() and len(version) < 10 and int(version) > int(ours.partition("/")[2]):
                raise _refused("report.newer", file, schema=schema)
        for name in ("facts", "plan", "proof", "diagnosis"):
            _check_schemas(value.get(name), file)


def _check_lines(value: Any, file: str) -> None:
    """Paths, names and versions are one line each: they end up in commands and in files that people start."""
    if isinstance(value, str) and _BREAKS.search(value):
        raise _refused("report.line-break", file, value=_BREAKS.sub("␤", value)[:80])
    for item in (*value, *(item for name, item in value.items() if name not in _FREE)) if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_lines(item, file)


def _check_texts(value: Any, file: str) -> None:
    """Codes of sentences name entries of a catalogue, and nothing else: no path can hide in one."""
    if isinstance(value, dict):
        code, params = value.get("code"), value.get("params")
        if isinstance(params, dict) and set(value) <= {"code", "params"}:
            if not isinstance(code, str) or not _CODE.match(code):
                raise _refused("report.not-a-report", file)
            for name, param in params.items():
                if isinstance(param, str) and param.startswith("@") and not _CODE.match(param[1:]):
                    params[name] = "＠" + param[1:]
        for item in value.values():
            _check_texts(item, file)
    elif isinstance(value, list):
        for item in value:
            _check_texts(item, file)
