"""What a run has done so far, from its events. Pure state; the page draws it."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, Literal

from app.model.events import Event, LogLine, Outcome, RunFinished, RunStarted, StepFinished, StepProgress, StepStarted
from app.model.plan import Plan
from app.model.text import Text

MOST_LINES: Final = 2_000
LEFT_OUT: Final = "         ...          {:,} lines are left out here, the log file holds them"
LEAST_OPEN: Final = 0.05

StepState = Literal["waiting", "running", "done", "skipped", "failed", "cancelled"]


@dataclass(slots=True)
class StepRow:
    """One step as the page shows it."""

    id: str
    title: Text
    weight: float
    state: StepState = "waiting"
    fraction: float | None = None
    progress: StepProgress | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class RunModel:
    """Takes events in order. Steps that the plan does not know (putting back) are added as they come."""

    rows: list[StepRow] = field(default_factory=list)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    line_count: int = 0
    finished: RunFinished | None = None
    run_id: str = ""

    @classmethod
    def of(cls, plan: Plan | None) -> "RunModel":
        """A run of a plan that has not begun."""
        return cls([StepRow(step.id, step.title, step.weight) for step in plan.steps] if plan else [])

    def take(self, event: Event) -> None:
        """Anything but log lines, which come in batches."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, StepStarted):
            row = self._row(event.step_id, event.title)
            row.title, row.state, row.fraction = event.title, "running", None
        elif isinstance(event, StepProgress):
            self._progress(event)
        elif isinstance(event, StepFinished):
            self._end(event)
        elif isinstance(event, RunFinished):
            self.finished = event

    def take_lines(self, lines: tuple[LogLine, ...], count: int) -> list[str]:
        """Keeps the newest lines; `count` of them were new, of which only the last may be given. Returns them as shown."""
        shown = [shown_line(line) for line in lines]
        if count > len(lines):
            shown.insert(0, LEFT_OUT.format(count - len(lines)))
        self.lines.extend(shown)
        self.line_count += count
        return shown

    @property
    def current(self) -> int:
        """Number of the step that runs, counted from 0; the number of steps when all have ended."""
        return next((number for number, row in enumerate(self.rows) if row.state in {"waiting", "running", "failed", "cancelled"}), len(self.rows))

    @property
    def weights(self) -> list[float]:
        return [row.weight for row in self.rows]

    @property
    def value(self) -> float:
        """Finished steps plus the fraction of the running one."""
        current = self.current
        if current >= len(self.rows):
            return float(len(self.rows))
        return current + min(max(self.rows[current].fraction or 0.0, 0.0), 1.0)

    @property
    def fraction(self) -> float:
        """Share of the whole in 0..1, by weight."""
        total = sum(self.weights) or 1.0
        current = self.current
        done = sum(self.weights[:current])
        if current < len(self.rows):
            done += self.rows[current].weight * min(max(self.rows[current].fraction or 0.0, 0.0), 1.0)
        return min(done / total, 1.0)

    @property
    def seconds_left(self) -> float | None:
        """What the running step says, stretched over the steps behind it by weight; None where it says nothing."""
        current = self.current
        if current >= len(self.rows):
            return None
        row = self.rows[current]
        if row.progress is None or row.progress.seconds_left is None or not row.weight:
            return None
        open_share = row.weight * (1 - min(row.fraction or 0.0, 1.0))
        if open_share < LEAST_OPEN * row.weight:
            # A step that is nearly over says nothing about the steps behind it.
            return None
        behind = sum(self.weights[current + 1 :])
        return row.progress.seconds_left * (open_share + behind) / open_share

    def _begin(self, event: RunStarted) -> None:
        self.run_id = event.run_id
        known = {row.id: row for row in self.rows}
        rows = []
        for number, step_id in enumerate(event.steps):
            weight = event.weights[number] if number < len(event.weights) else 1.0
            row = known.get(step_id) or StepRow(step_id, Text(step_id), weight)
            row.weight = weight
            rows.append(row)
        self.rows = rows

    def _progress(self, event: StepProgress) -> None:
        row = self._row(event.step_id)
        row.progress = event
        if event.fraction is not None:
            # Never backwards: a retried download starts again, the bar waits for it.
            row.fraction = max(row.fraction or 0.0, event.fraction)

    def _end(self, event: StepFinished) -> None:
        row = self._row(event.step_id)
        states: dict[Outcome, StepState] = {Outcome.DONE: "done", Outcome.SKIPPED: "skipped", Outcome.FAILED: "failed", Outcome.CANCELLED: "cancelled"}
        row.state = states.get(event.outcome, "done")
        row.seconds = event.seconds
        if row.state in {"done", "skipped"}:
            row.fraction = 1.0

    def _row(self, step_id: str, title: Text | None = None) -> StepRow:
        row = next((row for row in self.rows if row.id == step_id), None)
        if row is None:
            row = StepRow(step_id, title or Text(step_id), 1.0)
            self.rows.append(row)
        return row


def shown_line(line: LogLine) -> str:
    """A line as the log shows it: time of day, step, text. The text stays as the program wrote it."""
    return f"{line.time[11:19] or '        '} {line.step_id[:12]:<12} {line.line}"
