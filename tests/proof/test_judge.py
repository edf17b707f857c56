"""The verdict: a pure function over checks and benchmarks."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.proof import Check, Level, ProofVerdict
from app.proof.judge import EXPECTED_RATIO, judge, peak, share_of_peak, slow_kernels
from tests.proof.samples import CALM, DEVICE, GOOD_BENCHMARKS, bench, good, slower_memory, with_conditions


def test_a_good_card_is_fast():
    assert judge(good()).verdict is ProofVerdict.FAST
    assert judge(good()).slow_because == ()


def test_without_benchmarks_it_works():
    assert judge(good(level=Level.KERNEL, benchmarks=())).verdict is ProofVerdict.WORKS
    assert judge(good(benchmarks=())).verdict is ProofVerdict.WORKS


def test_a_failed_check_fails_and_a_wrong_one_is_wrong():
    failed, wrong = Check("softmax", "failed", "", {}), Check("attention", "failed", "", {"wrong": True})
    assert judge(good(checks=(*good().checks, failed))).verdict is ProofVerdict.FAILS
    assert judge(good(checks=(*good().checks, failed, wrong))).verdict is ProofVerdict.WRONG


def test_nothing_passed_is_no_success():
    assert judge(good(checks=(Check("softmax", "skipped", "", {}),), benchmarks=())).verdict is ProofVerdict.FAILS
    assert judge(good(checks=(), benchmarks=())).verdict is ProofVerdict.FAILS


@pytest.mark.parametrize("error", [2.1e-3, float("inf"), float("nan")])
def test_a_fast_benchmark_that_is_wrong_is_wrong(error: float):
    assert judge(good(benchmarks=(*GOOD_BENCHMARKS, bench("matmul", error=error)))).verdict is ProofVerdict.WRONG


@pytest.mark.parametrize("kernel", EXPECTED_RATIO)
def test_triton_far_behind_its_reference_is_slow(kernel: str):
    others = tuple(one for one in GOOD_BENCHMARKS if one.kernel != kernel)
    assert kernel in slow_kernels(good(benchmarks=(*others, bench(kernel, "triton", ratio=EXPECTED_RATIO[kernel] - 0.01))))
    assert kernel not in slow_kernels(good(benchmarks=(*others, bench(kernel, "triton", ratio=EXPECTED_RATIO[kernel]))))


def test_the_best_of_two_triton_kernels_counts():
    two = (bench("matmul", "triton", ratio=0.3), bench("matmul", "triton descriptors", ratio=0.98))
    assert "matmul" not in slow_kernels(good(benchmarks=two))


@pytest.mark.parametrize(
    ("device", "conditions", "reason"),
    [
        ({}, {"on_battery": True}, "battery"),
        ({"busy_before_percent": 40}, {}, "other-program"),
        ({}, {"thermal_slowdown": True}, "thermal"),
        ({"power_limit_w": 120.0}, {}, "power-limited"),
        ({}, {"power_brake": True}, "power-limited"),
        ({}, {"power_capped": True, "sm_clock_mhz": 1400}, "power-limited"),
        ({"torch_built_for_card": False}, {}, "wrong-build"),
        ({}, {}, "unknown"),
    ],
)
def test_a_slow_card_has_a_named_reason(device: dict, conditions: dict, reason: str):
    judged = judge(good(benchmarks=slower_memory(**conditions), device={**DEVICE, **device}))
    assert judged.verdict is ProofVerdict.SLOW
    assert judged.slow_because == (reason,)


def test_a_slow_slot_is_named():
    slow = bench("transfer", "copy", 6.0, ceiling=31.5)
    judged = judge(good(benchmarks=(*GOOD_BENCHMARKS, slow), device={**DEVICE, "pcie_width": 4}))
    assert (judged.verdict, judged.slow_because) == (ProofVerdict.SLOW, ("pcie",))


def test_reasons_are_noted_only_where_it_is_slow():
    assert judge(good(benchmarks=with_conditions(on_battery=True, power_capped=True))).slow_because == ()


def test_a_card_capped_at_full_clock_is_not_blamed():
    judged = judge(good(benchmarks=slower_memory(power_capped=True)))
    assert judged.slow_because == ("unknown",)


def test_a_geforce_card_is_measured_against_half_its_peak():
    half = [bench("matmul", "cublas", 54)]
    assert peak(half, DEVICE) == pytest.approx(116.6 / 2)
    assert share_of_peak(good(benchmarks=tuple(half)), "matmul") == pytest.approx(54 / 58.3)


def test_a_card_that_is_not_halved_is_measured_against_the_whole():
    assert peak([bench("matmul", "cublas", 90)], DEVICE) == pytest.approx(116.6)
    assert peak([bench("matmul", "cublas", 54)], {**DEVICE, "compute_capability": "9.0"}) == pytest.approx(116.6)


def test_an_unknown_card_has_no_peak():
    assert peak([bench("matmul", ceiling=None)], None) is None
    assert share_of_peak(good(benchmarks=()), "copy") is None


@settings(deadline=None, max_examples=60)
@given(
    ratio=st.one_of(st.none(), st.floats(0, 10)),
    value=st.floats(1e-3, 1e5),
    error=st.one_of(st.none(), st.floats(0, 1)),
    outcome=st.sampled_from(["passed", "failed", "skipped"]),
    battery=st.booleans(),
)
def test_every_proof_gets_a_verdict_and_judging_again_changes_nothing(ratio, value, error, outcome, battery):
    some = replace(bench("add", "triton", value), ratio_to_reference=ratio, error=error, conditions={**CALM, "on_battery": battery})
    judged = judge(good(checks=(Check("add-odd", outcome, "", {}),), benchmarks=(some,)))
    assert judge(judged) == judged
    assert bool(judged.slow_because) == (judged.verdict is ProofVerdict.SLOW)
