"""Every recorded machine gives the facts that are expected of it, and the gaps."""

import json
from pathlib import Path

import jsonschema
import pytest

from app.host.recording import RecordedHost, load_recording
from app.model import codec
from app.model.cancel import Cancel
from app.probes import scan
from tests.machines.compare import differences, value_at
from tests.machines.listed_places import PLACES
from tests.machines.machine import Machine

RECORDINGS = sorted((Path(__file__).resolve().parents[1] / "machines" / "recordings").glob("*.json"))
CONTRACT = jsonschema.Draft202012Validator(json.loads((Path(__file__).parent / "machine.schema.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_machine(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    result = scan(RecordedHost(load_recording(document["recording"], file.name)), lambda _: None, Cancel())
    found = codec.dump(result.facts)
    CONTRACT.validate(found)
    wrong = list(differences(document["expect"], found))
    gaps = [[gap.probe, gap.code] for gap in result.facts.gaps]
    wrong += [f"no gap {gap}, only {gaps}" for gap in document["gaps"] if gap not in gaps]
    wrong += [
        f"failed: {gap.probe} {gap.detail}"
        for gap in result.facts.gaps
        if gap.code == "failed" and [g[1] for g in document["gaps"] if g[0] == gap.probe] != ["failed"]
    ]
    wrong += [f"{path} is known: {value_at(found, path)!r}" for path in document["unknown"] if value_at(found, path) != "(not known)"]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("machine", PLACES, ids=lambda machine: machine.name)
def test_nothing_else_is_taken_for_a_python(machine: Machine) -> None:
    result = scan(RecordedHost(machine.layout.recording()), lambda _: None, Cancel(), only=frozenset({"pythons"}))
    assert sorted(python.executable for python in result.facts.pythons) == sorted(python["executable"] for python in machine.expect["pythons"])


def test_there_are_enough_machines() -> None:
    assert len(RECORDINGS) >= 40
    assert all(file.stat().st_size <= 1 << 20 for file in RECORDINGS)
