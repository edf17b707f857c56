"""Proofs as a good card gives them, to be bent by tests."""

from dataclasses import replace
from typing import Any

from app.model.proof import Benchmark, Check, Level, Proof, ProofVerdict

DEVICE: dict[str, Any] = {
    "name": "NVIDIA GeForce RTX 4070",
    "compute_capability": "8.9",
    "clock_khz": 2_475_000,
    "multiprocessors": 46,
    "memory_clock_khz": 10_501_000,
    "memory_bus_bits": 192,
    "max_sm_clock_mhz": 3105,
    "power_limit_w": 200.0,
    "default_power_limit_w": 200.0,
    "busy_before_percent": 1,
    "pcie_width": 16,
    "max_pcie_width": 16,
    "torch_built_for_card": True,
}
CALM: dict[str, Any] = {"sm_clock_mhz": 2800, "power_capped": False, "thermal_slowdown": False, "power_brake": False, "on_battery": False}


def bench(kernel: str = "add", implementation: str = "triton", value: float = 450.0, ratio: float = 1.0, **changes: Any) -> Benchmark:
    memory = kernel in ("add", "copy", "softmax")
    made = Benchmark(
        kernel=kernel,
        implementation=implementation,
        shape="n",
        dtype="fp32" if memory else "fp16",
        median_ms=1.0,
        p20_ms=0.98,
        p80_ms=1.03,
        value=value,
        unit="GB/s" if memory or kernel == "transfer" else "TFLOP/s",
        error=0.0,
        error_limit=2e-3,
        reference="copy",
        ratio_to_reference=ratio,
        ceiling=504.0 if memory else 116.6,
        conditions=CALM,
    )
    return replace(made, **changes)


GOOD_BENCHMARKS = (
    bench("copy", "copy", 448),
    bench("add", "triton", 455, 1.02),
    bench("add", "torch", 456, 1.02),
    bench("softmax", "triton", 440, 0.98),
    bench("matmul", "triton", 50, 0.92, reference="cublas"),
    bench("matmul", "cublas", 54, reference="cublas"),
    bench("attention", "triton", 40, 0.9, reference="sdpa flash"),
    bench("attention", "sdpa flash", 44, reference="sdpa flash"),
    bench("attention-flux", "sageattention", 90, 2.05, reference="sdpa flash", median_ms=0.6),
    bench("attention-flux", "sdpa flash", 44, reference="sdpa flash", median_ms=1.23),
)


def good(**changes: Any) -> Proof:
    checks = tuple(
        Check(code, "passed", "", {"seconds": 1.0}) for code in ("import-torch", "import-triton", "add-odd", "sage-accuracy", "speed-add", "sage-speed-flux")
    )
    return replace(Proof(Level.BENCHMARK, ProofVerdict.FAST, checks, GOOD_BENCHMARKS, 3.1, 0.2, DEVICE, measured_at="2026-11-30T12:00:00+00:00"), **changes)


def with_conditions(**changes: Any) -> tuple[Benchmark, ...]:
    return tuple(replace(one, conditions={**CALM, **changes}) for one in GOOD_BENCHMARKS)


def slower_memory(**changes: Any) -> tuple[Benchmark, ...]:
    """The same card reaching half its memory speed."""
    return tuple(replace(one, value=one.value / 2, conditions={**CALM, **changes}) if one.unit == "GB/s" else one for one in GOOD_BENCHMARKS)
