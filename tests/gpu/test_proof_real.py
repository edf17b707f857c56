"""The whole proof on a real card: TRITON_SETUP_TORCH_PYTHON names a Python with torch (CUDA) and Triton, else this one."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.proof import Level, Proof, ProofVerdict
from app.proof import proof_charts, proof_document, proof_lines, prove

pytestmark = [pytest.mark.gpu, pytest.mark.slow, pytest.mark.timeout(600)]

PYTHON = os.environ.get("TRITON_SETUP_TORCH_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    home = places(str(tmp_path_factory.mktemp("home")))
    return prove(PYTHON, Level.BENCHMARK, LiveHost(), lambda _: None, Cancel(), places=home)


def best(proof: Proof, kernel: str) -> float:
    return max(bench.ratio_to_reference or 0 for bench in proof.benchmarks if bench.kernel == kernel and bench.implementation.startswith("triton"))


def test_nothing_fails_and_nothing_is_slow(proof: Proof):
    assert [check for check in proof.checks if check.outcome == "failed"] == []
    assert proof.verdict is ProofVerdict.FAST
    json.dumps(proof_document(proof), allow_nan=False)
    assert {row.code for row in proof_lines(proof)} >= {"loads", "card", "compiles", "right", "torch-compile", "speed"}
    assert proof_charts(proof)[0].groups


def test_every_measurement_was_checked_under_noted_conditions(proof: Proof):
    measured = [bench for bench in proof.benchmarks if bench.kernel not in ("copy", "transfer")]
    assert all(bench.error is not None and bench.error_limit is not None and bench.error <= bench.error_limit for bench in measured)
    assert all({"sm_clock_mhz", "power_w", "temperature_c"} <= bench.conditions.keys() for bench in measured)


def test_a_cached_kernel_starts_faster_than_a_new_one(proof: Proof):
    assert proof.compile_cold_s is not None
    assert proof.compile_warm_s is not None
    assert proof.compile_warm_s < proof.compile_cold_s


def test_figures_on_hopper(proof: Proof):
    if (proof.device or {}).get("compute_capability") != "9.0":
        pytest.skip("the figures were set for an H200")
    goals = {"add": 1.0, "softmax": 0.95, "matmul": 0.97, "attention": 0.8, "attention-causal": 0.8}
    assert {kernel: best(proof, kernel) for kernel in goals if best(proof, kernel) < goals[kernel]} == {}


def test_the_quick_proof_is_quick(tmp_path: Path, proof: Proof):
    began = time.monotonic()
    quick = prove(PYTHON, Level.KERNEL, LiveHost(), lambda _: None, Cancel(), places=places(str(tmp_path)))
    assert quick.verdict is ProofVerdict.WORKS
    assert time.monotonic() - began <= 20
