"""The proof of a real Python with torch and Triton, on a machine that may have no card."""

import sys
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import Places
from app.model.cancel import Cancel
from app.model.events import Event, ProofArrived
from app.model.problem import Cancelled
from app.model.proof import Level, Proof, ProofVerdict
from app.proof import merge, proof_document, prove, verdict_texts
from app.proof.prove import AGAIN, KERNELS, LIBRARIES


def outcomes(proof: Proof) -> dict[str, str]:
    return {check.code: check.outcome for check in proof.checks}


@pytest.mark.network
@pytest.mark.slow
def test_kernels_without_a_card(torch_python: str, host: LiveHost, own_places: Places):
    events: list[Event] = []
    proof = prove(torch_python, Level.KERNEL, host, events.append, Cancel(), places=own_places, compute_capability="8.9")
    if proof.backend == "cuda":
        pytest.skip("this machine has a card: tests/gpu is for it")
    found = outcomes(proof)
    assert proof.verdict is ProofVerdict.WORKS
    assert {code for code, outcome in found.items() if outcome == "passed"} == {
        "import-torch",
        "import-triton",
        "add-odd",
        "softmax",
        "dot-fp16",
        "attention",
        "compiles-sm89",
    }
    assert "failed" not in found.values()
    assert verdict_texts(proof)[1].code == "proof.interpreter"
    assert list(found) == ["import-torch", "import-triton", "torch-sees-gpu", *KERNELS, "compiles-sm89", *AGAIN, *LIBRARIES]
    assert {event.code for event in events if isinstance(event, ProofArrived)} >= {"softmax", "attention", "compiles-sm89"}
    assert proof_document(proof)["device"] is None
    assert list(own_places.cache.iterdir()) == []


@pytest.mark.network
@pytest.mark.slow
def test_one_check_again_takes_its_place_in_the_earlier_proof(torch_python: str, host: LiveHost, own_places: Places):
    again = prove(torch_python, Level.KERNEL, host, lambda _: None, Cancel(), places=own_places, checks=("softmax",))
    assert list(outcomes(again)) == ["import-torch", "import-triton", "torch-sees-gpu", "softmax"]
    broken = next(check for check in again.checks if check.code == "softmax")
    earlier = Proof(
        Level.KERNEL, ProofVerdict.FAILS, (type(broken)("softmax", "failed", "boom"), type(broken)("attention", "passed", "")), backend="interpreter"
    )
    merged = merge(earlier, again)
    assert outcomes(merged)["softmax"] == "passed"
    assert list(outcomes(merged))[:2] == ["softmax", "attention"]
    assert merged.verdict is ProofVerdict.WORKS


def test_a_python_without_torch(host: LiveHost, own_places: Places):
    proof = prove(sys.executable, Level.KERNEL, host, lambda _: None, Cancel(), places=own_places)
    found = outcomes(proof)
    assert proof.verdict is ProofVerdict.FAILS
    assert (found["import-torch"], found["import-triton"]) == ("failed", "failed")
    assert {found[code] for code in (*KERNELS, *AGAIN, *LIBRARIES)} == {"skipped"}
    assert "torch" in next(check.detail for check in proof.checks if check.code == "import-torch")


def test_no_python_at_all(host: LiveHost, own_places: Places, tmp_path: Path):
    for level in Level:
        proof = prove(str(tmp_path / "gone" / "python.exe"), level, host, lambda _: None, Cancel(), places=own_places)
        assert proof.verdict is ProofVerdict.FAILS
        assert next(check for check in proof.checks if check.code == "import-torch").numbers["ended"] == "cannot-start"


def test_cancelled_before_it_began(host: LiveHost, own_places: Places):
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        prove(sys.executable, Level.IMPORT, host, lambda _: None, cancel, places=own_places)
