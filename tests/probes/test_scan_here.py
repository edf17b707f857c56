"""The scan of the machine the tests run on: it fits the contract, replays to the same facts, and stays within its time."""

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from app.host.live_readings import LiveReadings
from app.host.recording import RecordedHost, Recorder, load_recording
from app.model import codec
from app.model.cancel import Cancel
from app.model.problem import Cancelled
from app.model.scan import ScanResult
from app.probes import scan

SCHEMA = json.loads((Path(__file__).parent / "machine.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recorded() -> tuple[ScanResult, Recorder]:
    recorder = Recorder(LiveReadings())
    return scan(recorder, lambda _: None, Cancel()), recorder


def test_facts_fit_the_contract(recorded: tuple[ScanResult, Recorder]) -> None:
    jsonschema.validate(codec.dump(recorded[0].facts), SCHEMA)


def test_no_probe_fails_here(recorded: tuple[ScanResult, Recorder]) -> None:
    assert [gap for gap in recorded[0].facts.gaps if gap.code == "failed"] == []


def test_recording_replays_to_the_same_facts(recorded: tuple[ScanResult, Recorder]) -> None:
    result, recorder = recorded
    document = json.loads(codec.dumps(recorder.recording(captured_at="2026-11-30T00:00:00Z")))
    replayed = scan(RecordedHost(load_recording(document, "recording.json")), lambda _: None, Cancel()).facts
    assert replayed.source == "recording"
    # A live search may run out of time, a replay does not.
    gaps = tuple(gap for gap in result.facts.gaps if gap.code != "search-cut")
    assert dataclasses.replace(replayed, source="live", captured_at="") == dataclasses.replace(result.facts, captured_at="", gaps=gaps)


def test_recording_stays_small(recorded: tuple[ScanResult, Recorder]) -> None:
    assert len(json.dumps(codec.dump(recorded[1].recording()), ensure_ascii=False).encode()) <= 1 << 20


def test_scan_stays_within_two_seconds() -> None:
    assert scan(LiveReadings(), lambda _: None, Cancel()).milliseconds <= 2000


def test_every_fact_has_the_answer_it_came_from(recorded: tuple[ScanResult, Recorder]) -> None:
    result = recorded[0]
    assert any("os-release" in reading.source and reading.raw for reading in result.readings_of("os.name"))
    assert any(reading.source == "NVML" for reading in result.readings_of("gpus[0].name"))


def test_second_scan_lends_what_did_not_run(recorded: tuple[ScanResult, Recorder]) -> None:
    result = recorded[0]
    again = scan(LiveReadings(), lambda _: None, Cancel(), previous=result, only=frozenset({"disks"}))
    assert again.facts.pythons == result.facts.pythons
    assert {run.probe for run in again.probes} == {run.probe for run in result.probes}


def test_events_name_every_probe() -> None:
    seen: list[str] = []
    result = scan(LiveReadings(), lambda event: seen.append(event.probe), Cancel())
    assert sorted(seen) == sorted(run.probe for run in result.probes)


def test_cancelled_scan_ends_at_once() -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        scan(LiveReadings(), lambda _: None, cancel)
