"""The proof, schema proof/1: what ran on the target Python, whether it was right, how fast it was."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

PROOF_SCHEMA: Final = "proof/1"

CheckOutcome = Literal["passed", "failed", "skipped"]


class Level(enum.Enum):
    IMPORT = "import"
    KERNEL = "kernel"
    BENCHMARK = "benchmark"


class ProofVerdict(enum.Enum):
    FAST = "fast"
    WORKS = "works"
    SLOW = "slow"
    WRONG = "wrong"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Check:
    """`numbers` are the measured values behind the outcome, by name with their unit in the name."""

    code: str
    outcome: CheckOutcome
    detail: str
    numbers: Mapping[str, float | int | str | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One measured kernel. `error` and `error_limit` are relative to `reference` results; `ceiling` is in `unit`."""

    kernel: str
    implementation: str
    shape: str
    dtype: str
    median_ms: float
    p20_ms: float
    p80_ms: float
    value: float
    unit: Literal["GB/s", "TFLOP/s"]
    error: float | None
    error_limit: float | None
    reference: str
    ratio_to_reference: float | None
    ceiling: float | None
    conditions: Mapping[str, float | int | str | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    level: Level
    verdict: ProofVerdict
    checks: tuple[Check, ...]
    benchmarks: tuple[Benchmark, ...] = ()
    compile_cold_s: float | None = None
    compile_warm_s: float | None = None
    device: Mapping[str, float | int | str | bool | None] | None = None
    backend: Literal["cuda", "interpreter"] = "cuda"
    python: str | None = None
    slow_because: tuple[str, ...] = ()
    schema: str = PROOF_SCHEMA
