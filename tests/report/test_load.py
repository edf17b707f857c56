"""Files from outside: whatever they hold, they are opened or refused in one line, and nothing beside them is touched."""

import io
import json
import os
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.model import codec
from app.model.problem import ExitCode, Problem
from app.report import Identity, load_machine, load_report, preview_report, render_html, save_preview, save_report, summary_markdown
from app.report.load import MAX_UNPACKED_BYTES
from app.texts import words
from tests.report import samples
from tests.report.files import report_json
from tests.report.markup import faults


def refusal(path: Path) -> str:
    """The one line that says why a file was refused."""
    with pytest.raises(Problem) as caught:
        load_machine(path)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    line = words(caught.value.text)
    assert "\n" not in line
    assert len(line) < 400
    assert words(caught.value.text, "zh_CN") != line
    return line


def zipped(tmp_path: Path, files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda entry: None) -> Path:
    path = tmp_path / "report.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            change(entry)
            archive.writestr(entry, content)
    return path


def test_what_is_saved_is_what_was_shown_and_opens_again(tmp_path: Path) -> None:
    report = samples.failed_report()
    shown = preview_report(report, samples.recording(), {"run.log": b"one\r\ntwo\n"}, Identity())
    saved = save_preview(shown, tmp_path / "deep" / "report.zip")
    with zipfile.ZipFile(saved.path) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {file.name: file.text for file in shown.files}
        assert {entry.date_time for entry in archive.infolist()} == {(2020, 1, 1, 0, 0, 0)}
    loaded = load_report(saved.path)
    assert loaded.report == shown.report
    assert loaded.logs == {"run.log": b"one\ntwo\n"}
    assert loaded.recording is not None
    assert loaded.notes == ()
    assert saved.size_bytes == saved.path.stat().st_size
    assert saved.size_bytes < 100_000
    assert set(saved.files) == {"report.json", "report.html", "summary.md", "recording.json", "logs/run.log"}
    assert sorted(path.name for path in saved.path.parent.iterdir()) == ["report.zip"]


def test_a_file_can_be_left_out_but_never_the_report_itself(tmp_path: Path) -> None:
    shown = preview_report(samples.facts_report(), samples.recording(), {"run.log": b"x"}, Identity())
    saved = save_preview(shown, tmp_path / "r.zip", without=("recording.json", "logs/run.log", "report.json"))
    assert set(saved.files) == {"report.json", "report.html", "summary.md"}


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Problem) as caught:
        save_report(samples.facts_report(), None, {}, Identity(), tmp_path / "file" / "report.zip")
    assert "file" in words(caught.value.text)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_saving_again_a_report_that_was_opened_changes_nothing_more(good: Path, tmp_path: Path) -> None:
    first = load_report(good)
    save_report(first.report, first.recording, first.logs, Identity(), tmp_path / "again.zip")
    again = load_report(tmp_path / "again.zip")
    assert again.report.facts == first.report.facts
    assert again.report.events == first.report.events


def test_facts_documents_open_too(tmp_path: Path) -> None:
    facts = samples.machine_facts()
    for name, content in {
        "plain.json": codec.dumps(facts).encode(),
        "marked.json": b"\xef\xbb\xbf" + codec.dumps(facts).encode(),
        "wide.json": codec.dumps(facts).encode("utf-16"),
    }.items():
        (tmp_path / name).write_bytes(content)
        loaded = load_machine(tmp_path / name)
        assert loaded.report.facts == facts
        assert loaded.report.plan is None


@pytest.mark.parametrize("sign", ["\n", "\r", "\t"])
def test_a_path_of_several_lines_is_refused(tmp_path: Path, sign: str) -> None:
    facts = json.loads(codec.dumps(samples.machine_facts()))
    facts["pythons"][0]["executable"] = f"D:\\x{sign}calc.exe{sign}rem \\python.exe"
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    assert "calc.exe" in refusal(tmp_path / "facts.json")
    report = json.loads(report_json())
    report["facts"] = facts
    (tmp_path / "report.json").write_text(json.dumps(report))
    assert "calc.exe" in refusal(tmp_path / "report.json")


def test_what_a_program_said_may_have_lines(tmp_path: Path) -> None:
    facts = json.loads(codec.dumps(samples.machine_facts()))
    facts["gaps"] = [{"probe": "wsl", "code": "failed", "detail": "first\nsecond"}]
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    assert load_machine(tmp_path / "facts.json").report.facts.gaps[0].detail == "first\nsecond"


def test_a_report_taken_out_of_its_zip_opens_too(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(report_json())
    assert load_machine(tmp_path / "report.json").report == samples.failed_report()


def test_a_damaged_recording_is_left_out_with_a_note(tmp_path: Path) -> None:
    loaded = load_report(zipped(tmp_path, {"report.json": report_json(), "recording.json": b'{"schema": "recording/9"}', "readme.txt": b"hi"}))
    assert loaded.recording is None
    assert [note.code for note in loaded.notes] == ["report.recording-ignored", "report.entries-ignored"]


@pytest.mark.parametrize(
    "name",
    ["../evil.json", "/etc/cron.d/x", "C:\\evil.json", "logs/../../evil", "..\\evil", "logs\\evil.log", "\\\\server\\share", "C:evil", "a/../report.json"],
)
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    before = {path for path in tmp_path.parent.rglob("*") if "evil" in path.name}
    assert "leads out" in refusal(zipped(tmp_path, {"report.json": report_json(), name: b"x"}))
    assert {path for path in tmp_path.parent.rglob("*") if "evil" in path.name} == before


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_special_files_are_refused(tmp_path: Path, kind: int) -> None:
    def as_kind(entry: zipfile.ZipInfo) -> None:
        if entry.filename != "report.json":
            entry.external_attr = (kind | 0o777) << 16

    assert "link" in refusal(zipped(tmp_path, {"report.json": report_json(), "logs/link": b"/etc/passwd"}, as_kind))


def test_a_zip_bomb_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"report.json": report_json(), "logs/big.log": b"\0" * (MAX_UNPACKED_BYTES + 1)})
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    assert "larger" in refusal(path)
    assert tracemalloc.get_traced_memory()[1] < 2 * MAX_UNPACKED_BYTES
    tracemalloc.stop()


def test_a_bomb_that_lies_about_its_size_is_refused_too(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"report.json": report_json(), "logs/big.log": b"\0" * (80 << 20)})
    content = bytearray(path.read_bytes())
    real = struct.pack("<I", 80 << 20)
    while (at := content.find(real)) != -1:
        content[at : at + 4] = struct.pack("<I", 10)
    path.write_bytes(content)
    refusal(path)


def test_many_bombs_together_are_refused(tmp_path: Path) -> None:
    assert "larger" in refusal(zipped(tmp_path, {"report.json": report_json(), **{f"logs/{index}.log": b"\0" * (1 << 20) for index in range(80)}}))
    assert "larger" in refusal(zipped(tmp_path, {"report.json": report_json(), **{f"logs/{index}.log": b"" for index in range(400)}}))


def test_a_zip_inside_a_zip_is_not_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("report.json", report_json())
    assert "neither" in refusal(zipped(tmp_path, {"inner.zip": inner.getvalue()}))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(good: Path, tmp_path: Path, share: float) -> None:
    content = good.read_bytes()
    path = tmp_path / "cut.zip"
    path.write_bytes(content[: int(len(content) * share)])
    refusal(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "not a file" in refusal(tmp_path)
    assert "could not be read" in refusal(tmp_path / "missing.zip")
    assert refusal(Path(str(tmp_path / "a") + "\0b"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.zip")
        assert "not a file" in refusal(tmp_path / "pipe.zip")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": "report/2"}, "newer"),
        ({"schema": "report/99999999999999999999"}, "neither"),
        ({"schema": "report/one"}, "neither"),
        ({"schema": 1}, "neither"),
        ({"facts": {"schema": "machine/7", "os": {}}}, "machine/7"),
        ({"plan": {"schema": "plan/3"}}, "plan/3"),
        ({"created_at": 5}, "document"),
        ({"events": {}}, "document"),
        ({"events": [{"type": "explode"}]}, "document"),
        ({"choice": {"goals": ["world-peace"]}}, "document"),
        ({"unheard_of": True}, "document"),
        ({"redactions": {"USER": 1 << 80}}, "number"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    assert said in refusal(zipped(tmp_path, {"report.json": report_json(**changes)}))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"text"',
        b"{}",
        b"\xff\xfe\x00",
        b"PK",
        b"PK\x03\x04",
        b"{" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 70 + b"1" + b"}" * 70,
        b"1" * 5000,
        b'{"schema": "machine/1", "os": NaN}',
        b'{"schema": "machine/1", "os": {"version": 1e999}}',
        b'{"schema": "machine/1", "os": {"family": "windows", "version": "10", "arch": "x86_64"}, "memory": {"total_bytes": 1e400}}',
        b'{"schema": "machine/1", "os": {"family": "windows", "version": "10", "arch": "x86_64"}, "memory": {"total_bytes": ' + b"9" * 4000 + b"}}",
        b'{"schema": "machine/1", "os": {"family": "windows", "version": ["10"], "arch": "x86_64"}}',
    ],
    ids=range(19),
)
def test_json_of_any_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(content)
    refusal(path)
    refusal(zipped(tmp_path, {"report.json": content}))


def test_a_document_of_a_million_brackets_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(b'{"schema":"machine/1","x":[' + b"[]," * 5_000_000 + b"1]}")
    tracemalloc.start()
    refusal(path)
    assert tracemalloc.get_traced_memory()[1] < 120 << 20
    tracemalloc.stop()


NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</code></pre><h1>owned",
    "javascript:alert(1)",
    "https://evil.example/x",
    "file:///etc/passwd",
    "\\\\evil.example\\share\\x",
    "$(rm -rf ~)",
    "`id`",
    "%n%s%x",
    "{0.__class__}",
    "@../../../../etc/passwd",
    "@report.story.run-failed",
    "\x1b]0;owned\x07\x1b[2J",
    "\u202egnp.exe",
    "\ud800",
    "a\0b",
    "![x](https://evil.example)",
    "[click](javascript:alert(1))",
    "```\n# head",
    "| a | b |",
    "@everyone #1",
    "'\"><svg/onload=alert(1)>",
    "&lt;b&gt;",
    "\r\nSet-Cookie: x",
    "A" * 10_000,
)


@pytest.mark.parametrize("nasty", NASTY, ids=range(len(NASTY)))
def test_no_text_is_ever_anything_but_text(tmp_path: Path, nasty: str) -> None:
    document = json.loads(codec.dumps(samples.failed_report()))
    texts = {"count": 0}

    def poison(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        if isinstance(value, str) and key not in {
            "schema",
            "type",
            "code",
            "family",
            "arch",
            "vendor",
            "kind",
            "status",
            "severity",
            "outcome",
            "verdict",
            "route",
            "source",
            "driver_model",
            "level",
            "backend",
            "where",
            "torch_change",
            "goals",
            "app_control",
        }:
            texts["count"] += 1
            return nasty
        return value

    clean, document = document, poison(document)
    assert isinstance(document, dict)
    if "\n" in nasty:
        assert refusal(zipped(tmp_path, {"report.json": json.dumps(document).encode()}))
        document |= {name: clean[name] for name in ("facts", "choice")}
    loaded = load_report(zipped(tmp_path, {"report.json": json.dumps(document).encode()}))
    assert texts["count"] > 100
    page = render_html(loaded.report, "en")
    page.encode()
    assert faults(page) == []
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "root:" not in page
    summary = summary_markdown(loaded.report)
    summary.encode()
    assert "\x1b" not in summary
    assert len(summary.splitlines()) <= 60
    outside = "".join(part for index, part in enumerate(summary.split("`")) if index % 2 == 0)
    assert "<script" not in outside
    assert "](http" not in outside


def test_a_code_that_is_a_path_touches_nothing(tmp_path: Path) -> None:
    document = json.loads(report_json())
    document["plan"]["findings"][0]["text"] = {"code": "../../../../etc/passwd", "params": {}}
    assert refusal(zipped(tmp_path, {"report.json": json.dumps(document).encode()}))
    document["plan"]["findings"][0]["text"] = {"code": "finding.no-such-thing", "params": {"language": "x", "code": "y", "path": "@/etc/passwd.x"}}
    loaded = load_report(zipped(tmp_path, {"report.json": json.dumps(document).encode()}))
    assert "finding.no-such-thing" in render_html(loaded.report)
