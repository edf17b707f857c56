"""The proof, schema proof/1: what ran on the target Python, whether it was right, how fast it was."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from app.model.text import Text

PROOF_SCHEMA: Final = "proof/1"

CheckOutcome = Literal["passed", "failed", "skipped"]
Number = int | float | str | bool | None
"""A measured value; its unit stands in its name. Whole numbers first: read as fractions they would be shown as such."""


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
    numbers: Mapping[str, Number] = field(default_factory=dict)


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
    conditions: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    level: Level
    verdict: ProofVerdict
    checks: tuple[Check, ...]
    benchmarks: tuple[Benchmark, ...] = ()
    compile_cold_s: float | None = None
    compile_warm_s: float | None = None
    device: Mapping[str, Number] | None = None
    backend: Literal["cuda", "interpreter"] = "cuda"
    python: str | None = None
    slow_because: tuple[str, ...] = ()
    schema: str = PROOF_SCHEMA
    measured_at: str | None = None


@dataclass(frozen=True, slots=True)
class ProofLine:
    """One row of the proof page. `checks` are the codes to run again; `details` the sentences and numbers of the fold."""

    code: str
    outcome: CheckOutcome
    title: Text
    text: Text
    checks: tuple[str, ...]
    details: tuple["LineDetail", ...] = ()


@dataclass(frozen=True, slots=True)
class LineDetail:
    """A check or a measurement inside a row. `evidence` is what the program said, never translated."""

    title: Text
    text: Text
    outcome: CheckOutcome
    evidence: str
    numbers: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bar:
    """`share` is the bar's length, 0..1 of the axis; `text` the number beside it. `series`: whose bar it is."""

    series: Literal["triton", "torch", "sageattention"]
    implementation: str
    share: float
    text: Text


@dataclass(frozen=True, slots=True)
class BarGroup:
    label: Text
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Horizontal bars. `limit`: where the line "card's limit" stands on the axis, None where there is none."""

    code: str
    title: Text
    groups: tuple[BarGroup, ...]
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class AttentionUse:
    """What a ComfyUI log tells about SageAttention. `lines` are the numbers, counted from 1, of the lines that prove it.

    used: kernels ran and none failed · fell-back: some calls went to PyTorch after an error · passed-by: switched on,
    but all counted calls went to PyTorch (masks, models that opt out) · chosen: switched on, no call counted ·
    off: another attention runs · missing: asked for, not installed · unknown: the log does not tell.
    `torch_calls`: what PyTorch's own attention did meanwhile, text encoders included; None where it was not counted.
    """

    verdict: Literal["used", "fell-back", "passed-by", "chosen", "off", "missing", "unknown"]
    calls: int | None = None
    errors: int = 0
    masked_calls: int | None = None
    lines: tuple[int, ...] = ()
    torch_calls: int | None = None
    torch_masked_calls: int | None = None
    evidence: str = ""
