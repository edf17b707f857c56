"""A redacted report is a whole test machine: its recording gives its facts again, and its facts give the plan of the machine itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.diagnosis import find_causes
from app.host.recording import RecordedHost, load_recording
from app.model import codec
from app.model.cancel import Cancel
from app.model.facts import MachineFacts
from app.model.plan import Choice, Plan
from app.model.report import Report
from app.model.unknown import known
from app.planning import make_plan
from app.probes import scan
from app.report import Identity, preview_report
from app.tables import load_tables

RECORDINGS = sorted((Path(__file__).resolve().parents[1] / "machines" / "recordings").glob("*.json"))


def facts_of(recording: Any) -> MachineFacts:
    return scan(RecordedHost(load_recording(recording, "recording.json")), lambda _: None, Cancel()).facts


def plan_of(facts: MachineFacts) -> Plan:
    return make_plan(facts, find_causes(facts, load_tables(), Choice()), Choice(), load_tables(), None)


def different(before: Any, after: Any, path: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {*before, *after}:
            yield from different(before.get(key), after.get(key), f"{path}.{key}")
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        # The order in which a scan meets folders follows their names, and these are others now.
        in_order = (sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) for items in (before, after))
        for index, (first, second) in enumerate(zip(*in_order, strict=True)):
            yield from different(first, second, f"{path}[{index}]")
    elif before != after:
        yield f"{path}: {before!r} | {after!r}"


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_a_redacted_recording_gives_the_redacted_facts(file: Path) -> None:
    recording = json.loads(file.read_text(encoding="utf-8"))["recording"]
    facts = facts_of(recording)
    shown = preview_report(Report("2026-11-30", "1", facts, Choice()), json.dumps(recording).encode(), {}, Identity())
    redacted = next(file.text for file in shown.files if file.name == "recording.json")
    replayed = facts_of(json.loads(redacted))
    wrong = sorted(different(codec.dump(shown.report.facts), codec.dump(replayed)))
    if "WinHttpSettings" in json.dumps(recording):
        # A name inside a binary value has no room for another: the value is taken out whole, and the proxy in it is not read again.
        wrong = [line for line in wrong if not line.startswith(".network.proxy: 'http://HOST-1")]
    assert wrong == []
    user = known(facts.os.user_profile, None)
    if user and user.startswith("C:\\Users\\"):
        name = user.rpartition("\\")[2]
        assert f"Users\\\\{name}\\\\" not in redacted


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_redacted_facts_give_the_same_plan(file: Path) -> None:
    facts = facts_of(json.loads(file.read_text(encoding="utf-8"))["recording"])
    before, after = plan_of(facts), plan_of(preview_report(Report("2026-11-30", "1", facts, Choice()), None, {}, Identity()).report.facts)
    assert (after.verdict, after.route, dict(after.packages), after.keeps) == (before.verdict, before.route, dict(before.packages), before.keeps)
    assert [finding.code for finding in after.findings] == [finding.code for finding in before.findings]
    assert [(step.id, step.kind) for step in after.steps] == [(step.id, step.kind) for step in before.steps]


def test_there_are_machines_to_replay() -> None:
    assert len(RECORDINGS) >= 30
