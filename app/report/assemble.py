"""Puts a report together: everything redacted by one redactor, shown before it is saved, saved as it was shown."""

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from app.model import codec
from app.model.events import LogLine
from app.model.facts import MachineFacts
from app.model.problem import ExitCode, Problem, reason_of
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import known
from app.report.redact.identity import Identity, collect_identity
from app.report.redact.reading import readable, without_controls
from app.report.redact.redactor import Redactor
from app.report.redact.tokens import hidden_things
from app.texts import Language

MAX_LOG_BYTES: Final = 6 << 20
"""Of one log: what is longer loses its middle, and says so."""

MAX_LOGS_BYTES: Final = 24 << 20
_SHOWN_VARIABLE: Final = re.compile(
    r"(?i)^(?:cuda|nv|torch|pytorch|triton|python|pip_|uv_|conda|virtual_env|comfy|hf_home|hf_hub|xformers|vllm|sage|cmake|ninja|msvc|vs\d"
    r"|vscmd|vslang|windowssdk|distutils"
    r"|max_jobs|omp_|mkl_|kmp_|use_libuv|pyenv|git_ssl|node_extra_ca|rocm|hip_|hsa_|hf_|llvm|_link_|ld_|lc_|wsl|http_proxy|https_proxy|all_proxy|no_proxy|requests_ca|ssl_cert|curl_ca|path$|include$"
    r"|lib$|libpath$|cc$|cxx$|cl$|_cl_$|link$|temp$|tmp$|tmpdir$|lang$|home$"
    r"|userprofile$|localappdata$|appdata$|program(?:files|data|w6432)|systemroot$|windir$|processor_|os$|number_of_)"
)
_OUR_LINE: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?P<step>[\w.-]{1,80}) (?:ours|stdout|stderr): ")
_HOLDER: Final = re.compile(r"(?i)^(?P<name>[^\\/]+?\.exe|[^\s\\/]+)(?: (?P<script>[^(].*?))?(?P<rest> \(.*\))?$")


@dataclass(frozen=True, slots=True)
class PreviewFile:
    """One file of the report, exactly as it will be saved."""

    name: str
    text: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What would leave the machine. `redactions` counts the things hidden, by kind; `report` is the redacted report."""

    files: tuple[PreviewFile, ...]
    redactions: Mapping[str, int]
    report: Report

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class SavedReport:
    path: Path
    size_bytes: int
    files: tuple[str, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)


def preview_report(report: Report, recording: bytes | None, logs: Mapping[str, bytes], identity: Identity) -> Preview:
    """Everything of the report, redacted: what is private by `identity`, by its form, or by the place where it stands."""
    document = codec.dump(_with_bounded_events(report))
    recorded = _parsed(recording)
    texts = {name: _cut(readable(content, known(report.facts.os.ansi_code_page, None))) for name, content in _bounded(logs)}
    shown = {event.line for event in report.events if isinstance(event, LogLine)}
    further = ["\n".join(lines) for text in texts.values() for is_shown, lines in _runs(text, shown) if not is_shown]
    redactor = redactor_for(report, identity | _told_by(recorded), [*further, *_texts_of(recorded)])

    _redact_facts(document["facts"], redactor)
    _redact_recording(recorded, redactor)
    redactor.freeze()

    redacted = redactor.document(_plain(document))
    clean = codec.load(redacted, Report, "report.json")
    files = {}
    if recorded is not None:
        files["recording.json"] = json.dumps(redactor.document(recorded), ensure_ascii=False, indent=1, sort_keys=True)
    for name, text in texts.items():
        files[f"logs/{redactor.file_name(Path(name).name)}"] = _encodable(_clean_log(text, shown, redactor))
    clean = replace(clean, redactions=hidden_things([json.dumps(redacted, ensure_ascii=False), *files.values()]))
    return _preview(clean, files, redactor)


def redactor_for(report: Report, identity: Identity, more: Iterable[str] = ()) -> Redactor:
    """The redactor that knows all names of a report and of further texts; facts come first, so their tokens depend on nothing else."""
    told = collect_identity(known(report.facts.environment_variables, {}))
    redactor = Redactor(identity | told, kept=_names_of_software(report))
    redactor.study([*_texts_of(codec.dump(report.facts)), *_texts_of(codec.dump(report)), *more])
    return redactor


def save_report(report: Report, recording: bytes | None, logs: Mapping[str, bytes], identity: Identity, target: Path) -> SavedReport:
    """Writes the redacted report as one zip. Problem if it cannot be written; then nothing is left behind."""
    return save_preview(preview_report(report, recording, logs, identity), target)


def save_preview(preview: Preview, target: Path, without: Collection[str] = ()) -> SavedReport:
    """Writes what was shown, except the files of `without`, as one zip: the same preview gives the same bytes."""
    kept = [file for file in preview.files if file.name == "report.json" or file.name not in without]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in kept:
            entry = zipfile.ZipInfo(file.name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.text.encode())
    write_file(target, content.getvalue())
    return SavedReport(target, len(content.getvalue()), tuple(file.name for file in kept), preview.redactions)


def _preview(report: Report, files: dict[str, str], redactor: Redactor) -> Preview:
    from app.report.html import render_html
    from app.report.markdown import summary_markdown

    language: Language = "zh_CN" if report.language == "zh_CN" else "en"
    whole = codec.dumps(report)
    if redactor.holds_name(whole.encode()):
        raise Problem(Text("report.cannot-be-cleaned"), ExitCode.FAILED)
    pages = {"report.html": render_html(report, language), "summary.md": summary_markdown(report, language), "report.json": whole}
    ordered = [*pages.items(), *sorted(files.items())]
    return Preview(tuple(PreviewFile(name, text, len(text.encode())) for name, text in ordered), report.redactions, report)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def write_file(target: Path, content: bytes) -> None:
    """Writes a file whole or not at all. Problem if it cannot be written."""
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise Problem(Text("report.cannot-write", {"file": str(target), "reason": reason_of(error)}), ExitCode.BAD_INPUT) from error


# --- what goes in -------------------------------------------------------------------------------------------------


def _with_bounded_events(report: Report) -> Report:
    """All events; of the lines of output the first and the last ones if there are very many."""
    sizes = [len(event.line) if isinstance(event, LogLine) else 0 for event in report.events]
    if sum(sizes) <= MAX_LOG_BYTES:
        return report
    budget, kept_head, kept_tail = MAX_LOG_BYTES // 2, 0, len(sizes)
    used = 0
    while kept_head < len(sizes) and used + sizes[kept_head] <= budget // 4:
        used += sizes[kept_head]
        kept_head += 1
    used = 0
    while kept_tail > kept_head and used + sizes[kept_tail - 1] <= budget:
        kept_tail -= 1
        used += sizes[kept_tail]
    events = tuple(event for index, event in enumerate(report.events) if index < kept_head or index >= kept_tail or not isinstance(event, LogLine))
    return replace(report, events=events)


def _bounded(logs: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    left = MAX_LOGS_BYTES
    for name, content in logs.items():
        if content[:4] in (b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"MZ\x90\x00") or left <= 0:
            continue
        left -= min(len(content), MAX_LOG_BYTES)
        yield name, content


def _cut(text: str) -> str:
    if len(text) <= MAX_LOG_BYTES:
        return text
    head, tail = text[: MAX_LOG_BYTES // 4], text[-MAX_LOG_BYTES * 3 // 4 :]
    left_out = text.count("\n") - head.count("\n") - tail.count("\n")
    return f"{head[: head.rfind(chr(10)) + 1]}[{left_out} lines left out]\n{tail[tail.find(chr(10)) + 1 :]}"


def _runs(text: str, shown: Collection[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines of a log in runs of one kind: whether they are lines of the run that were shown, each behind its time and step."""

    def is_shown(line: str) -> bool:
        ours = _OUR_LINE.match(line)
        return (line[ours.end() :] if ours else line) in shown

    for kind, lines in groupby(text.split("\n"), is_shown):
        yield kind, [*lines]


def _clean_log(text: str, shown: Collection[str], redactor: Redactor) -> str:
    """A log redacted. Its lines that were shown are redacted already: they become the same as there."""
    out: list[str] = []
    for is_shown, lines in _runs(text, shown):
        if not is_shown:
            out.append(redactor.text("\n".join(lines)))
            continue
        for line in lines:
            ours = _OUR_LINE.match(line)
            lead = line[: ours.end()].replace(ours["step"], redactor.text(ours["step"])) if ours else ""
            out.append(lead + redactor.text(line[ours.end() :] if ours else line))
    return "\n".join(out)


def _parsed(recording: bytes | None) -> Any:
    if recording is None:
        return None
    try:
        return json.loads(recording)
    except ValueError:
        return {"text": readable(recording)}


def _plain(value: Any) -> Any:
    """Lists, objects and scalars as JSON has them, texts without signs that act on a terminal."""
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, Mapping):
        return {without_controls(name): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield without_controls(value)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_of(item)


# --- what needs more than its words -------------------------------------------------------------------------------


def _names_of_software(report: Report) -> set[str]:
    """Names of packages, and those in the paths of toolkits and compilers: they stay."""
    facts = report.facts
    paths = [known(toolkit.root, None) for toolkit in known(facts.toolkits, ())] + [known(compiler.root, None) for compiler in known(facts.compilers, ())]
    names = {name for path in paths if path for name in re.split(r"[\\/]+", path)[1:]}
    packages = {name for python in known(facts.pythons, ()) for name in (*known(python.packages, {}), *known(python.user_site_packages, {}))}
    return (names | packages) - _names_of_persons(facts)


def _names_of_persons(facts: MachineFacts) -> set[str]:
    profile = known(facts.os.user_profile, None)
    return {re.split(r"[\\/]", profile.rstrip("\\/"))[-1]} if profile else set()


def _redact_facts(facts: dict[str, Any], redactor: Redactor) -> None:
    network = facts.get("network")
    if network:
        if isinstance(network.get("reachable"), Mapping):
            network["reachable"] = {redactor.host(name) if "." in name or ":" in name else name: value for name, value in network["reachable"].items()}
        for key in ("proxy", "index_url"):
            if network.get(key):
                network[key] = _address(network[key], redactor)
    for python in facts.get("pythons") or ():
        if isinstance(python.get("in_use_by"), list | tuple):
            python["in_use_by"] = [_holder(name, redactor) for name in python["in_use_by"]]
    variables = facts.get("environment_variables")
    if variables:
        facts["environment_variables"] = {name: value if _SHOWN_VARIABLE.match(name) else redactor.hidden(value) for name, value in variables.items()}


def _address(value: str, redactor: Redactor) -> str:
    """A proxy or an index, also when it is written without its scheme."""
    if "://" in value or " " in value:
        return redactor.text(value)
    return redactor.text(f"http://{value}").removeprefix("http://")


def _holder(name: str, redactor: Redactor) -> str:
    """A program that uses an environment, as `python.exe main.py (pid 4711)`."""
    parts = _HOLDER.match(name)
    if parts is None:
        return name
    script = parts["script"] or ""
    if script:
        script = " " + (redactor.text(script) if re.match(r"[A-Za-z]:[\\/]|[\\/]", script) else redactor.relative(script))
    return redactor.program(parts["name"]) + script + (parts["rest"] or "")


def _redact_recording(recorded: Any, redactor: Redactor) -> None:
    """Names that a recording holds without their paths: listings of folders, running programs."""
    if not isinstance(recorded, dict):
        return
    for folder, names in _mappings(recorded, "names"):
        recorded["names"][folder] = [redactor.listed(folder.partition("|")[0], name) for name in names if isinstance(name, str)]
    for folder, entries in _mappings(recorded, "entries"):
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                entry["name"] = redactor.listed(folder, entry["name"] + ("/" if entry.get("is_folder") else "")).rstrip("/")
    for running in recorded.get("processes") or ():
        if isinstance(running, dict):
            for key, change in (("name", redactor.program), ("script", redactor.relative)):
                if isinstance(running.get(key), str):
                    running[key] = change(running[key])


def _told_by(recorded: Any) -> Identity:
    """What the environment variables of a recording tell about a person and a machine."""
    environment = recorded.get("environment") if isinstance(recorded, dict) else None
    return collect_identity({name: value for name, value in environment.items() if isinstance(value, str)} if isinstance(environment, dict) else {})


def _mappings(recorded: dict[str, Any], key: str) -> Iterable[tuple[str, list[Any]]]:
    found = recorded.get(key)
    return [(folder, items) for folder, items in found.items() if isinstance(items, list)] if isinstance(found, dict) else []
