"""What a run says while it runs. Events are values: the window, the terminal and the report read the same ones."""

import enum
from dataclasses import dataclass
from typing import Literal

from app.model.text import Text


class Outcome(enum.Enum):
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    CANCELLED = "cancelled"
    RESTART_NEEDED = "restart-needed"


@dataclass(frozen=True, slots=True)
class RunStarted:
    run_id: str
    steps: tuple[str, ...]
    weights: tuple[float, ...]
    time: str
    type: Literal["run-started"] = "run-started"


@dataclass(frozen=True, slots=True)
class StepStarted:
    step_id: str
    title: Text
    time: str
    type: Literal["step-started"] = "step-started"


@dataclass(frozen=True, slots=True)
class StepProgress:
    """`fraction` of the step in 0..1, None where not known. Bytes and `item` describe the current file, if any.

    `bytes_per_second` is the recent speed; `seconds_left` the estimate for the step.
    """

    step_id: str
    fraction: float | None = None
    item: str | None = None
    item_index: int | None = None
    item_count: int | None = None
    done_bytes: int | None = None
    total_bytes: int | None = None
    bytes_per_second: float | None = None
    seconds_left: float | None = None
    type: Literal["step-progress"] = "step-progress"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of output or of our own. `replaces`: it overwrites the previous line (a carriage return)."""

    step_id: str
    line: str
    time: str
    source: Literal["ours", "stdout", "stderr"] = "ours"
    replaces: bool = False
    type: Literal["log-line"] = "log-line"


@dataclass(frozen=True, slots=True)
class StepFinished:
    step_id: str
    outcome: Outcome
    seconds: float
    problem: Text | None = None
    exit_code: int | None = None
    type: Literal["step-finished"] = "step-finished"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """`put_back`: the environment is again what it was before the run. `notes` name what may still hurt what was installed."""

    run_id: str
    outcome: Outcome
    seconds: float
    problem: Text | None = None
    put_back: bool = False
    restart_required: bool = False
    type: Literal["run-finished"] = "run-finished"
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class FactsArrived:
    """A probe ended: which family, how long it took, how many gaps it left."""

    probe: str
    milliseconds: float
    gaps: int
    type: Literal["facts-arrived"] = "facts-arrived"


@dataclass(frozen=True, slots=True)
class ProofArrived:
    """A check or a benchmark of the proof ended; `code` is the check or the kernel."""

    code: str
    outcome: Literal["passed", "failed", "skipped", "running"]
    detail: str
    type: Literal["proof-arrived"] = "proof-arrived"


Event = RunStarted | StepStarted | StepProgress | LogLine | StepFinished | RunFinished | FactsArrived | ProofArrived
