"""What goes into a report when there is more than fits, and what a Windows machine tells about its person."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.host.recording import RecordedHost
from app.host.recording_values import RecordedKey, Recording
from app.model.events import LogLine, RunFinished, StepFinished
from app.model.problem import Problem
from app.report import Identity, identify, load_report, preview_report, save_report
from app.report import assemble as module
from app.report.hidden import say_hidden
from app.report.redact.tokens import KINDS
from app.texts import LANGUAGES, Language, words
from tests.report import samples


def test_a_flood_of_output_keeps_its_beginning_its_end_and_every_other_event(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "MAX_LOG_BYTES", 40_000)
    lines = [f"line {index} of a very long log" for index in range(5000)]
    report = samples.failed_report(lines=lines)
    save_report(report, None, {"run.log": "\n".join(lines).encode()}, Identity(), tmp_path / "r.zip")
    loaded = load_report(tmp_path / "r.zip")
    kept = [event.line for event in loaded.report.events if isinstance(event, LogLine)]
    assert kept[0] == lines[0]
    assert kept[-1] == lines[-1]
    assert 500 < len(kept) < 2000
    assert [type(event) for event in loaded.report.events if not isinstance(event, LogLine)] == [
        type(event) for event in report.events if not isinstance(event, LogLine)
    ]
    log = loaded.logs["run.log"].decode()
    assert log.startswith(lines[0])
    assert log.endswith(lines[-1])
    assert "lines left out]" in log
    assert len(log) < 45_000


def test_logs_that_are_archives_or_programs_stay_out() -> None:
    shown = preview_report(
        samples.facts_report(), None, {"a.zip": b"PK\x03\x04rest", "b.gz": b"\x1f\x8b\x08\x00rest", "c.exe": b"MZ\x90\x00rest", "d.log": b"text"}, Identity()
    )
    assert [file.name for file in shown.files if file.name.startswith("logs/")] == ["logs/d.log"]


def test_a_recording_that_is_no_json_is_text_and_redacted() -> None:
    shown = preview_report(samples.facts_report(), b"C:\\Users\\anneliese\\x \xff", {}, Identity())
    text = next(file.text for file in shown.files if file.name == "recording.json")
    assert "anneliese" not in text
    assert "USER-" in json.loads(text)["text"]


def test_a_report_that_still_holds_a_name_is_not_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module.Redactor, "holds_name", lambda self, content: b"report/1" in content)
    with pytest.raises(Problem) as caught:
        save_report(samples.facts_report(), None, {}, Identity(), tmp_path / "r.zip")
    assert caught.value.text.code == "report.cannot-be-cleaned"
    assert "not saved" in words(caught.value.text)
    assert not (tmp_path / "r.zip").exists()


def test_the_outcome_of_a_run_is_kept_whole() -> None:
    report = preview_report(samples.failed_report("anneliese"), None, {}, Identity(users=("anneliese",))).report
    original = samples.failed_report("anneliese")
    for kind in (StepFinished, RunFinished):
        assert [event for event in report.events if isinstance(event, kind)] == [event for event in original.events if isinstance(event, kind)]
    assert report.plan == original.plan
    assert report.diagnosis == original.diagnosis


def test_names_of_our_own_documents_break_nothing() -> None:
    """A person may be called like a field, a kind or a code: the documents stay what they are."""
    for name in (
        "wheelhouse",
        "severity",
        "native",
        "compiler",
        "recording",
        "captured",
        "packages",
        "verdict",
        "download",
        "needs-action",
        "triton-windows",
        "sageattention",
    ):
        report = samples.failed_report(name)
        shown = preview_report(report, samples.recording(name), {}, Identity(users=(name,), hosts=(name,)))
        assert replace(shown.report, facts=report.facts, redactions={}) == report, name
        assert shown.report.facts.os.user_profile == "C:\\Users\\USER-1" + "_" * (len(name) - 6 if len(name) >= 12 else 0), name


def test_a_windows_machine_tells_who_it_is() -> None:
    profiles = r"64:HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList"
    sid = "S-1-5-21-1111111111-2222222222-3333333333-1001"
    host = RecordedHost(
        Recording(
            family="windows",
            environment={"USERNAME": "anneliese", "USERPROFILE": "C:\\Users\\anneliese"},
            registry={
                r"64:HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName": RecordedKey(texts={"ComputerName": "KESTREL-QX7Z"}),
                r"64:HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters": RecordedKey(
                    texts={"Domain": "zorba.example", "SearchList": "a.zorba.example,b.zorba.example"}
                ),
                r"64:HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion": RecordedKey(
                    texts={"RegisteredOwner": "Anneliese Vogt", "RegisteredOrganization": "Zorba AG", "ProductId": "00330-80112-18556-AA273"}
                ),
                r"64:HKLM\SOFTWARE\Microsoft\Cryptography": RecordedKey(texts={"MachineGuid": "1b0c8f53-2a77-4a6c-9e0d-55f0a8c4e7d1"}),
                profiles: RecordedKey(subkeys=("S-1-5-18", sid)),
                rf"{profiles}\{sid}": RecordedKey(texts={"ProfileImagePath": "C:\\Users\\ottokar"}),
            },
        )
    )
    identity = identify(host)
    assert identity.users == ("anneliese", "ottokar")
    assert identity.hosts == ("KESTREL-QX7Z",)
    assert identity.domains == ("zorba.example", "a.zorba.example", "b.zorba.example")
    assert identity.people == ("Anneliese Vogt",)
    assert identity.organisations == ("Zorba AG",)
    assert set(identity.identifiers) == {"00330-80112-18556-AA273", "1b0c8f53-2a77-4a6c-9e0d-55f0a8c4e7d1", sid}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_hidden_is_counted_as_things_and_named_by_kind(language: Language) -> None:
    """A name that stands in a thousand lines is one name."""
    lines = [f"C:\\Users\\anneliese\\x{index % 7}.log and peer 10.0.0.7" for index in range(1000)]
    shown = preview_report(samples.failed_report("anneliese", lines), None, {}, Identity(users=("anneliese",)))
    assert shown.redactions["USER"] == 1
    assert shown.redactions["IP"] == 1
    assert shown.redactions == shown.report.redactions
    said = say_hidden(shown.redactions, language)
    assert {"en": "user names 1", "zh_CN": "用户名 1 个"}[language] in said
    assert say_hidden({}, language) != say_hidden({"USER": 1}, language)
    for kind in KINDS:
        assert "4" in say_hidden({kind: 4}, language)


def test_a_line_of_the_run_is_the_same_in_its_log() -> None:
    """Behind its time and step; lines that were never shown are redacted for themselves."""
    lines = ["Registrierter Benutzer: Quentin Issimowitsch", "opened C:\\Users\\anneliese\\x.log", "plain"]
    log = "".join(f"2026-11-29T14:03:41.125+00:00 test stdout: {line}\n" for line in lines) + "peer 10.0.0.7\nrunas /user:ZORBA\\quentinus\n"
    shown = preview_report(samples.failed_report("anneliese", lines), None, {"run.log": log.encode()}, Identity(users=("anneliese",)))
    content = next(file.text for file in shown.files if file.name == "logs/run.log")
    events = [event.line for event in shown.report.events if isinstance(event, LogLine)]
    assert content.splitlines()[:3] == [f"2026-11-29T14:03:41.125+00:00 test stdout: {line}" for line in events]
    assert not [name for name in ("anneliese", "Issimowitsch", "10.0.0.7", "quentinus") if name in content]
