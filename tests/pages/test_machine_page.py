"""The page of the machine with real scans behind it: every fact in some row, one row read again, raw answers copied."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from app.host.recording import RecordedHost, load_recording
from app.model import codec
from app.model.cancel import Cancel
from app.model.facts import Gap
from app.model.plan import Choice
from app.model.report import Report
from app.model.unknown import UNKNOWN
from app.probes import scan
from app.qt.machine_rows import check_rows, probes_of_row
from app.qt.parts.button import Button
from app.qt.parts.check_row import CheckRowWidget
from app.qt.replaying import readings_of
from app.report import Identity, save_report
from app.session import Session
from tests.pages.samples import FACTS as SAMPLE
from tests.pages.test_window import wait_for_end

RECORDINGS = Path(__file__).resolve().parents[1] / "machines" / "recordings"


@pytest.fixture
def session(own_home):
    """This machine, as far as three quick probes tell."""
    made = Session(str(own_home))
    made.scan(Cancel(), only=frozenset({"system", "disks", "network"}))
    made.decide(made.choice)
    return made


@pytest.mark.parametrize("name", ["wsl-running-ready", "stray-cuda-path-5090", "linux-h200"])
def test_every_fact_stands_in_a_row_with_its_source(name):
    document = json.loads((RECORDINGS / f"{name}.json").read_text(encoding="utf-8"))
    result = scan(RecordedHost(load_recording(document["recording"], name)), lambda _: None, Cancel())
    rows = check_rows(result.facts, (), "en", result)
    shown = {path for row in rows for path, _ in row.evidence}
    facts = {key: value for key, value in codec.dump(result.facts).items() if key not in ("schema", "captured_at", "source", "gaps")}
    if result.facts.os.family != "windows":
        facts = {key: value for key, value in facts.items() if key not in ("vc_runtime", "wsl")}
    leaves = {f"{key}.{inner}" for key, value in facts.items() if isinstance(value, dict) for inner in value} | {k for k, v in facts.items() if v is None}
    assert {leaf for leaf in leaves if not any(path.startswith(leaf) for path in shown)} == set()
    # What variables tell is asked of nobody, and of what is absent there may be no question left to ask.
    assert {row.key for row in rows if row.evidence and not row.readings} <= {"network", "tools"}


def test_one_row_is_read_again_and_all_others_keep_what_is_known(window, qtbot):
    before = window.session.scan_result
    window.go("machine")
    assert probes_of_row(before, "disk") == {"disks"}
    button = window.current.findChild(Button, "again-disk")
    assert button.accessibleDescription() == "Disk space"
    button.click()
    assert window.is_busy
    assert not window.footer.primary.isEnabled()
    wait_for_end(window, qtbot)
    assert window.footer.primary.isEnabled()
    kept, new = ({run.probe: run for run in result.probes} for result in (before, window.session.scan_result))
    assert kept.keys() == new.keys()
    assert kept["system"] is new["system"]
    assert kept["disks"] is not new["disks"]
    assert window.session.facts.os == before.facts.os


def test_a_raw_answer_is_copied_with_its_source(window):
    window.go("machine")
    row = window.current.findChild(CheckRowWidget, "row-system")
    row.set_open(True)
    next(button for button in row.findChildren(Button) if not button.objectName().startswith("again-")).click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Read from ")
    assert "os.version" in copied
    assert "[/etc/os-release]" in copied


def test_a_report_shows_the_raw_answers_of_its_machine(app, own_home, qtbot, tmp_path):
    document = json.loads((RECORDINGS / "wsl-running-ready.json").read_text(encoding="utf-8"))
    recording = load_recording(document["recording"], "recording")
    facts = scan(RecordedHost(recording), lambda _: None, Cancel()).facts
    save_report(Report("2026-11-30T10:00:00+00:00", "1", facts, Choice()), codec.dumps(recording).encode(), {}, Identity(), tmp_path / "report.zip")
    replay = Session(str(own_home))
    replay.open_machine(tmp_path / "report.zip")
    wsl = next(row for row in check_rows(replay.facts, (), "en", readings_of(replay)) if row.key == "wsl")
    assert any("--version" in reading.source and "2.6.3.0" in reading.raw for reading in wsl.readings)
    assert readings_of(replay) is replay.scan_result


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"schema": "recording/1", "family": 3}', b"[" * 100_000])
def test_a_recording_that_cannot_be_used_leaves_the_facts_alone(own_home, content):
    replay = Session(str(own_home))
    replay.replayed_recording = content
    assert readings_of(replay) is None


def test_a_scan_that_asks_no_network_calls_a_good_machine_ready(app, own_home, window):
    session = window.session
    session.facts = replace(SAMPLE, network=replace(SAMPLE.network, online=UNKNOWN), gaps=(Gap("network.online", "not-asked"),))
    session.scan_result, session.findings = None, ()
    window.go("machine")
    assert window.current.accessibleName() == "Your PC is ready for Triton"
    assert window.current.accessibleDescription().startswith("All 5 required checks passed.")
