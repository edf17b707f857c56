"""A rehearsal: the events of a run without the run, for `--dry-run`, tests and the pages."""

import time
from collections.abc import Callable

from app.host.dry_run import DryRunHost
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished, RunStarted, StepFinished, StepProgress, StepStarted
from app.model.plan import Plan, Step
from app.model.problem import Cancelled, ExitCode, Problem
from app.model.text import Text
from app.running.journal import now

REHEARSAL_ID = "rehearsal"
_PARTS = 5


def rehearse(plan: Plan, host: DryRunHost, emit: Callable[[Event], None], cancel: Cancel) -> RunFinished:
    """Plays every step as done, except `host.fail_step`. Problem for a step that the plan does not have."""
    if host.fail_step is not None and host.fail_step not in {step.id for step in plan.steps}:
        steps = ", ".join(step.id for step in plan.steps)
        raise Problem(Text("run.no-such-step", {"step": host.fail_step, "steps": steps}), ExitCode.BAD_INPUT)
    began = time.monotonic()
    emit(RunStarted(REHEARSAL_ID, tuple(step.id for step in plan.steps), tuple(step.weight for step in plan.steps), now()))
    outcome, problem = Outcome.DONE, None
    for step in plan.steps:
        outcome, problem = _play(step, host, emit, cancel)
        if outcome is not Outcome.DONE:
            break
    finished = RunFinished(REHEARSAL_ID, outcome, time.monotonic() - began, problem, put_back=outcome is not Outcome.DONE)
    emit(finished)
    return finished


def _play(step: Step, host: DryRunHost, emit: Callable[[Event], None], cancel: Cancel) -> tuple[Outcome, Text | None]:
    began = time.monotonic()
    emit(StepStarted(step.id, step.title, now()))
    if step.argv:
        emit(LogLine(step.id, "$ " + " ".join(step.argv), now()))
    outcome, problem = Outcome.DONE, None
    try:
        for part in range(1, _PARTS + 1):
            cancel.check()
            total = step.download_bytes or None
            emit(StepProgress(step.id, part / _PARTS, done_bytes=total and total * part // _PARTS, total_bytes=total))
            cancel.wait(host.pause_s)
        if step.id == host.fail_step:
            outcome, problem = Outcome.FAILED, Text("run.rehearsed-failure", {"step": step.id})
    except Cancelled:
        outcome, problem = Outcome.CANCELLED, Text("run.cancelled")
    emit(StepFinished(step.id, outcome, time.monotonic() - began, problem))
    return outcome, problem
