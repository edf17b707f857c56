"""The verdict over what was measured. Pure: the same checks and benchmarks give the same verdict.

Two questions about speed. Does Triton reach what torch reaches on the same card in the same run? If not, Triton or
its build is at fault. Does the card reach what its own clocks promise? If not, something holds it back, and the
conditions that were noted while measuring say what.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from app.model.proof import Benchmark, Check, Level, Number, Proof, ProofVerdict
from app.proof.cards import cards, limits_of

USED: Final = "sage-used"
"""The check of how an app uses SageAttention. It stands in a proof beside those of the payloads."""

EXPECTED_RATIO: Final = {"add": 0.85, "softmax": 0.75, "matmul": 0.6, "attention": 0.4, "attention-causal": 0.4}
"""Least share of the reference of the same run. Wide: equal cards differ by 5 %, and the kernels are plain ones."""

EXPECTED_OF_MEMORY: Final = 0.7
EXPECTED_OF_CORES: Final = 0.45
EXPECTED_OF_BUS: Final = 0.5
"""Least share of the theoretical peak for a copy, for cuBLAS and for a transfer over PCIe."""

HALVED_ABOVE: Final = 0.55
"""A GeForce card adds in fp32 at half rate. One that passes this share of the full peak is not halved."""

BUSY_PERCENT: Final = 20
LOWERED: Final = 0.9
LOW_CLOCK: Final = 0.75


def judge(proof: Proof) -> Proof:
    """The proof with its verdict and, where it is slow, the reasons, most likely first."""
    slow = tuple(slow_kernels(proof)) if proof.level is Level.BENCHMARK else ()
    verdict = _verdict(proof.checks, proof.benchmarks, proof.level, slow)
    return replace(proof, verdict=verdict, slow_because=tuple(why_slow(proof)) if slow and verdict is ProofVerdict.SLOW else ())


def _verdict(checks: Sequence[Check], benchmarks: Sequence[Benchmark], level: Level, slow: Sequence[str]) -> ProofVerdict:
    failed = [check for check in checks if check.outcome == "failed"]
    if any(check.numbers.get("wrong") is True for check in failed) or any(is_wrong(bench) for bench in benchmarks):
        return ProofVerdict.WRONG
    if any(check.code != USED for check in failed) or not any(check.outcome == "passed" for check in checks):
        return ProofVerdict.FAILS
    # An app that does not use what works there is slower than it could be, and nothing is broken.
    if slow or failed:
        return ProofVerdict.SLOW
    measured = level is Level.BENCHMARK and any(bench.kernel in EXPECTED_RATIO for bench in benchmarks)
    return ProofVerdict.FAST if measured else ProofVerdict.WORKS


def is_wrong(bench: Benchmark) -> bool:
    """Whether its result differed by more than the limit; NaN counts as wrong."""
    return bench.error is not None and bench.error_limit is not None and not bench.error <= bench.error_limit


def slow_kernels(proof: Proof) -> Iterator[str]:
    """Kernels of Triton that stay behind their reference, and what of the card stays behind its peak."""
    for kernel, least in EXPECTED_RATIO.items():
        ratios = [bench.ratio_to_reference for bench in proof.benchmarks if bench.kernel == kernel and bench.implementation.startswith("triton")]
        best = max((ratio for ratio in ratios if ratio is not None), default=None)
        if best is not None and best < least:
            yield kernel
    for kernel, least in (("copy", EXPECTED_OF_MEMORY), ("transfer", EXPECTED_OF_BUS), ("matmul", EXPECTED_OF_CORES)):
        share = share_of_peak(proof, kernel)
        if share is not None and share < least:
            yield f"card-{kernel}"


def share_of_peak(proof: Proof, kernel: str) -> float | None:
    """The best measured value of a kernel over its theoretical peak; None where either is not known."""
    found = [bench for bench in proof.benchmarks if bench.kernel == kernel]
    limit = peak(found, proof.device)
    return max(bench.value for bench in found) / limit if limit else None


def peak(benchmarks: Sequence[Benchmark], device: Mapping[str, Number] | None) -> float | None:
    """The ceiling of benchmarks of one kernel, halved for a card that sums fp32 at half rate."""
    limit = next((bench.ceiling for bench in benchmarks if bench.ceiling), None)
    if limit is None:
        return None
    row: Mapping[str, Any] = cards().get(str((device or {}).get("compute_capability")), {})
    halves = benchmarks[0].unit == "TFLOP/s" and row.get("fp32_sums_may_halve") is True
    best = max(bench.value for bench in benchmarks)
    return limit / 2 if halves and best <= HALVED_ABOVE * limit else limit


def why_slow(proof: Proof) -> Iterator[str]:
    """Codes of what the conditions show, most likely first; `unknown` if they show nothing."""
    device = proof.device or {}
    conditions = [bench.conditions for bench in proof.benchmarks]
    reasons = list(_reasons(device, conditions, tuple(slow_kernels(proof))))
    if card_limit(proof) == "no-tensor-cores":
        reasons.insert(0, "no-tensor-cores")
    yield from reasons or ["unknown"]


def card_limit(proof: Proof) -> str | None:
    """What the Triton of this proof cannot do on its card, by cards.limits_of; None where nothing is known."""
    triton = next((check.numbers.get("triton") for check in proof.checks if check.code == "import-triton"), None)
    capability = (proof.device or {}).get("compute_capability")
    return limits_of(str(capability), str(triton)) if triton and capability else None


def _reasons(device: Mapping[str, Number], conditions: Sequence[Mapping[str, Number]], slow: Sequence[str]) -> Iterator[str]:
    def any_is(name: str) -> bool:
        return any(found.get(name) is True for found in conditions)

    if device.get("torch_built_for_card") is False:
        yield "wrong-build"
    if any_is("on_battery"):
        yield "battery"
    if _number(device.get("busy_before_percent")) >= BUSY_PERCENT:
        yield "other-program"
    if any_is("thermal_slowdown"):
        yield "thermal"
    limit, default = _number(device.get("power_limit_w")), _number(device.get("default_power_limit_w"))
    clocks = [_number(found["sm_clock_mhz"]) for found in conditions if "sm_clock_mhz" in found]
    low = bool(clocks) and min(clocks) < LOW_CLOCK * _number(device.get("max_sm_clock_mhz"))
    if limit < LOWERED * default or any_is("power_brake") or (any_is("power_capped") and low):
        yield "power-limited"
    if "card-transfer" in slow:
        yield "pcie"


def _number(value: Number) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
