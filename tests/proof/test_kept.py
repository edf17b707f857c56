"""Earlier proofs of a machine: kept, found again, and never in the way."""

from dataclasses import replace

import pytest

from app.host.places import Places
from app.proof import earlier_proof, keep_proof, proofs_folder, read_proof
from app.proof.kept import MOST_KEPT
from tests.proof.samples import good

NOW = good(measured_at="2026-11-30T12:00:00+00:00", python="p")


def test_the_newest_older_one_of_the_same_python_is_found(own_places: Places):
    for day, python in (("01", "p"), ("02", "p"), ("03", "other")):
        keep_proof(good(measured_at=f"2026-11-{day}T12:00:00+00:00", python=python), own_places)
    keep_proof(NOW, own_places)
    found = earlier_proof(NOW, own_places)
    assert found is not None
    assert found.measured_at == "2026-11-02T12:00:00+00:00"
    assert found.benchmarks == NOW.benchmarks


def test_one_that_measured_less_is_not_compared(own_places: Places):
    keep_proof(good(measured_at="2026-11-01T12:00:00+00:00", python="p", benchmarks=()), own_places)
    assert earlier_proof(NOW, own_places) is None
    assert earlier_proof(replace(NOW, benchmarks=()), own_places) is not None


@pytest.mark.parametrize("content", ["", "[1]", '{"schema": "proof/9"}', "[" * 100_000])
def test_a_damaged_one_is_passed_over(own_places: Places, content: str):
    keep_proof(good(measured_at="2026-11-01T12:00:00+00:00", python="p"), own_places)
    (proofs_folder(own_places) / "proof-20261120000000.json").write_text(content, encoding="utf-8")
    assert earlier_proof(NOW, own_places) is not None
    assert read_proof(proofs_folder(own_places) / "gone.json") is None


def test_the_oldest_go(own_places: Places):
    for number in range(MOST_KEPT + 3):
        keep_proof(good(measured_at=f"2026-10-01T12:{number:02}:00+00:00", benchmarks=()), own_places)
    kept = sorted(path.name for path in proofs_folder(own_places).iterdir())
    assert len(kept) == MOST_KEPT
    assert kept[0] == "proof-20261001120300.json"


def test_a_place_that_cannot_be_written_costs_nothing(own_places: Places):
    own_places.logs.mkdir(parents=True)
    proofs_folder(own_places).write_text("a file", encoding="utf-8")
    assert keep_proof(NOW, own_places) is None
    assert earlier_proof(NOW, own_places) is None
