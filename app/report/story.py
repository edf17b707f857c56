"""What happened, in the order in which a maintainer asks: how it ended, why, what shows it, what to do."""

from dataclasses import dataclass
from typing import Final, Literal

from app.model.events import LogLine, Outcome, RunFinished, RunStarted, StepFinished, StepStarted
from app.model.findings import Finding, Severity
from app.model.plan import Verdict
from app.model.proof import ProofVerdict
from app.model.report import Report
from app.model.text import Text

State = Literal["good", "warn", "bad", "info"]

_CONTEXT_LINES: Final = 2
_TAIL_LINES: Final = 12
_PROOF_STATES: Final[dict[ProofVerdict, State]] = {
    ProofVerdict.FAST: "good",
    ProofVerdict.WORKS: "good",
    ProofVerdict.SLOW: "warn",
    ProofVerdict.WRONG: "bad",
    ProofVerdict.FAILS: "bad",
}
_PLAN_STATES: Final[dict[Verdict, State]] = {Verdict.READY: "good", Verdict.NEEDS_ACTION: "warn", Verdict.BLOCKED: "bad"}
_GRAVITY: Final = (Severity.BLOCKER, Severity.WARNING)


@dataclass(frozen=True, slots=True)
class StepRun:
    """One step as it ran. `outcome` None: it was planned and never began; `seconds` None: it never ended."""

    id: str
    title: Text
    outcome: Outcome | None
    seconds: float | None = None
    problem: Text | None = None
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A line of the log with its number, counted from 1. `tells`: it is the evidence, not its surroundings."""

    number: int
    text: str
    tells: bool


@dataclass(frozen=True, slots=True)
class Story:
    """How it ended and why. `outcome` is that of the last run, None where nothing was run."""

    state: State
    title: Text
    outcome: str | None
    failed_step: str | None
    cause: str | None
    cause_text: Text | None
    explanation: Text | None
    remedies: tuple[Text, ...]
    confidence: float | None
    evidence: tuple[EvidenceLine, ...]
    steps: tuple[StepRun, ...]
    line_count: int


def tell_story(report: Report) -> Story:
    """The story of a report: of its last run, its proof, its diagnosis and its plan."""
    steps = _steps(report)
    finished = next((event for event in reversed(report.events) if isinstance(event, RunFinished)), None)
    failed = next((step for step in reversed(steps) if step.outcome is Outcome.FAILED), None)
    state, title = _ending(report, finished, failed)
    log = log_lines(report)
    cause, cause_text, explanation, remedies, confidence = _cause(report, failed, finished)
    return Story(
        state=state,
        title=title,
        outcome=finished.outcome.value if finished else None,
        failed_step=failed.id if failed else None,
        cause=cause,
        cause_text=cause_text,
        explanation=explanation,
        remedies=remedies,
        confidence=confidence,
        evidence=_evidence(report, log, failed),
        steps=steps,
        line_count=len(log),
    )


def log_lines(report: Report) -> tuple[LogLine, ...]:
    """The lines of output as they were shown: one that overwrites takes the place of the one before."""
    lines: list[LogLine] = []
    for event in report.events:
        if isinstance(event, LogLine):
            if event.replaces and lines:
                lines.pop()
            lines.append(event)
    return tuple(lines)


def _ending(report: Report, finished: RunFinished | None, failed: StepRun | None) -> tuple[State, Text]:
    ran = _run_ending(finished, failed)
    if ran and ran[0] != "good":
        return ran
    if report.proof:
        interpreted = "-interpreter" if report.proof.backend == "interpreter" and report.proof.verdict is ProofVerdict.WORKS else ""
        return _PROOF_STATES[report.proof.verdict], Text(f"report.story.proof-{report.proof.verdict.value}{interpreted}")
    if ran:
        return ran
    if report.diagnosis:
        if report.diagnosis.findings:
            return "warn", Text("report.story.cause-found")
        return ("good", Text("report.story.healthy")) if report.diagnosis.healthy else ("info", Text("report.story.not-recognised"))
    if report.plan:
        return _PLAN_STATES[report.plan.verdict], Text(f"report.story.plan-{report.plan.verdict.value}")
    return "info", Text("report.story.facts-only")


def _run_ending(finished: RunFinished | None, failed: StepRun | None) -> tuple[State, Text] | None:
    if finished is None:
        return None
    if finished.outcome is Outcome.FAILED:
        return "bad", Text("report.story.run-failed-put-back" if finished.put_back else "report.story.run-failed")
    if finished.outcome is Outcome.CANCELLED:
        return "warn", Text("report.story.run-cancelled-put-back" if finished.put_back else "report.story.run-cancelled")
    if finished.outcome is Outcome.RESTART_NEEDED or finished.restart_required:
        return "warn", Text("report.story.restart-needed")
    return "good", Text("report.story.run-done")


def _cause(report: Report, failed: StepRun | None, finished: RunFinished | None) -> tuple[str | None, Text | None, Text | None, tuple[Text, ...], float | None]:
    if report.diagnosis and report.diagnosis.findings:
        found = report.diagnosis.findings[0]
        return found.code, found.title, found.explanation, found.remedy.steps, found.confidence
    finding = gravest(report)
    if finding and (finished is None or finished.outcome is not Outcome.FAILED):
        return finding.code, finding.text, None, (finding.remedy.text,) if finding.remedy else (), None
    problem = (failed.problem if failed else None) or (finished.problem if finished else None)
    return None, problem, None, (), None


def gravest(report: Report) -> Finding | None:
    """The finding of the plan to act on first, if there is one that stops or slows."""
    findings = report.plan.findings if report.plan else ()
    return next((finding for severity in _GRAVITY for finding in findings if finding.severity is severity), None)


def _steps(report: Report) -> tuple[StepRun, ...]:
    titles: dict[str, Text] = {step.id: step.title for step in report.plan.steps} if report.plan else {}
    order: dict[str, None] = dict.fromkeys(titles)
    ended: dict[str, StepFinished] = {}
    began: set[str] = set()
    for event in report.events:
        if isinstance(event, RunStarted):
            ended, began = {}, set()
            order = dict.fromkeys([*event.steps]) if event.steps else order
        elif isinstance(event, StepStarted):
            titles[event.step_id] = event.title
            began.add(event.step_id)
            order[event.step_id] = None
        elif isinstance(event, StepFinished):
            ended[event.step_id] = event
            order[event.step_id] = None
    return tuple(_step_run(step, titles.get(step, Text(step)), ended.get(step)) for step in order)


def _step_run(step: str, title: Text, end: StepFinished | None) -> StepRun:
    return StepRun(step, title, None) if end is None else StepRun(step, title, end.outcome, end.seconds, end.problem, end.exit_code)


def _evidence(report: Report, log: tuple[LogLine, ...], failed: StepRun | None) -> tuple[EvidenceLine, ...]:
    """The lines the diagnosis names, with their neighbours; without one the last lines of the failed step."""
    if failed is None:
        return ()
    spans = report.diagnosis.findings[0].lines if report.diagnosis and report.diagnosis.findings else ()
    telling = {number for first, last in spans for number in range(first, min(last, first + 40) + 1) if 1 <= number <= len(log)}
    if telling:
        around = sorted({near for number in telling for near in range(number - _CONTEXT_LINES, number + _CONTEXT_LINES + 1) if 1 <= near <= len(log)})
        return tuple(EvidenceLine(number, log[number - 1].line, number in telling) for number in around[:60])
    own = [number for number, line in enumerate(log, 1) if line.step_id == failed.id][-_TAIL_LINES:]
    return tuple(EvidenceLine(number, log[number - 1].line, tells=False) for number in own)
