"""Runs a plan step by step, keeps it or takes it back, and says at every moment where it is."""

import contextlib
import os
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

import filelock

from app.host.continuation import continue_after_restart
from app.host.dry_run import DryRunHost
from app.host.file_changes import problem_of
from app.host.places import Places
from app.host.protocol import Machine
from app.model import codec
from app.model.cancel import Cancel
from app.model.events import Event, Outcome, RunFinished, RunStarted, StepFinished, StepStarted
from app.model.plan import Plan, Step, Verdict
from app.model.problem import Cancelled, ExitCode, Problem
from app.model.text import Text
from app.running.completion import leave_record
from app.running.executors import EXECUTORS
from app.running.history import keep_event, list_runs, read_plan, read_record
from app.running.hurtful import find_hurtful
from app.running.journal import PLAN, Journal, now, read_state, run_folder, runs_folder, steps_done
from app.running.rehearsal import rehearse
from app.running.restart import RestartNeeded
from app.running.run import Run
from app.running.swapping import refuse_held_roots
from app.running.taking_back import take_back, tidy
from app.running.trash import sweep

Emit = Callable[[Event], None]

_LOCK_S: Final = 1.0


def run_plan(plan: Plan | None, host: Machine | DryRunHost, emit: Emit, cancel: Cancel, *, places: Places, resume: str | None = None) -> RunFinished:
    """Runs `plan`, or goes on with the unfinished run `resume` by the plan it was begun with.

    Every ending is a RunFinished: done, failed or cancelled, then with the machine put back as it was. Problem only where nothing
    was begun: a plan that is not ready, no such run, another run on the same environment.
    """
    if isinstance(host, DryRunHost):
        if plan is None:
            raise Problem(Text("run.nothing-to-run"), ExitCode.BAD_INPUT)
        return rehearse(plan, host, emit, cancel)
    folder = run_folder(places.state, resume) if resume else runs_folder(places.state) / _new_id()
    if resume:
        plan = read_plan(folder)
        if read_state(folder) != "unfinished":
            raise Problem(Text("run.not-unfinished", {"run": resume}), ExitCode.BAD_INPUT)
    if plan is None:
        raise Problem(Text("run.nothing-to-run"), ExitCode.BAD_INPUT)
    if plan.verdict is not Verdict.READY:
        raise Problem(Text("run.plan-not-ready"), ExitCode.BLOCKED)
    environment = plan.python.executable if plan.python else None
    with _alone(environment, places), _log(places, folder.name) as log:
        _refuse_unfinished(environment, folder.name, places)
        sweep(places.state, host)
        journal = _begin(folder, plan, environment, host, is_resumed=resume is not None)
        run = Run(folder.name, folder, plan, host, cancel, places, journal, emit, log)
        try:
            return _Walk(run).walk()
        finally:
            journal.close()
            host.disconnect()


def undo_run(run_id: str, host: Machine, emit: Emit, cancel: Cancel, *, places: Places) -> RunFinished:
    """Puts a committed run back, days later too. Problem if a later run changed the same environment: that one goes first."""
    folder = run_folder(places.state, run_id)
    record = read_record(folder)
    if record is None or record.state == "put-back":
        raise Problem(Text("run.nothing-to-undo", {"run": run_id}), ExitCode.BAD_INPUT)
    for other in list_runs(places):
        if other.id == run_id:
            break
        if other.environment == record.environment and other.state != "put-back":
            raise Problem(Text("run.undo-later-first", {"run": run_id, "later": other.id}), ExitCode.BLOCKED)
    return _put_back(folder, host, emit, cancel, places)


def put_back(run_id: str, host: Machine, emit: Emit, cancel: Cancel, *, places: Places) -> RunFinished:
    """Puts back what an unfinished or failed run left."""
    folder = run_folder(places.state, run_id)
    if read_state(folder) not in ("unfinished", "failed"):
        raise Problem(Text("run.not-unfinished", {"run": run_id}), ExitCode.BAD_INPUT)
    return _put_back(folder, host, emit, cancel, places)


class _Walk:
    """From the first step that is not done to the end."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._began = time.monotonic()

    def _tell(self, event: Event) -> None:
        keep_event(self._run.folder, event)
        self._run.send(event)

    def walk(self) -> RunFinished:
        run = self._run
        steps = run.plan.steps
        self._tell(RunStarted(run.id, tuple(step.id for step in steps), tuple(step.weight for step in steps), now()))
        over = steps_done(run.folder)
        for step in steps:
            if step.id in over:
                self._tell(StepStarted(step.id, step.title, now()))
                self._tell(StepFinished(step.id, Outcome.SKIPPED, 0.0))
                continue
            outcome, problem = self._step(step)
            if outcome is Outcome.RESTART_NEEDED:
                return self._paused(step)
            if outcome is not Outcome.DONE:
                return self._back(outcome, problem)
        try:
            self._commit()
        except (Problem, Cancelled, OSError) as error:
            return self._back(*_ending(error))
        return self._finished(Outcome.DONE, None, put_back=False, notes=self._notes())

    def _step(self, step: Step) -> tuple[Outcome, Text | None]:
        run = self._run
        began = time.monotonic()
        self._tell(StepStarted(step.id, step.title, now()))
        outcome, problem, code = Outcome.DONE, None, None
        try:
            run.cancel.check()
            run.journal.write_step(step.id, "started")
            executor = EXECUTORS.get(step.kind)
            if executor is None:
                raise Problem(Text("run.step-unknown", {"kind": step.kind}))
            executor(step, run)
            run.journal.write_step(step.id, "done")
        except Exception as error:
            # Whatever happened, the person's environment comes first; a bug is reported after it is safe.
            if not isinstance(error, Problem | Cancelled | RestartNeeded):
                for line in traceback.format_exception(error):
                    run.say(step, line.rstrip())
            outcome, problem = _ending(error)
            code = int(error.exit_code) if isinstance(error, Problem) else None
            if isinstance(error, Problem) and error.cause:
                run.say(step, f"cause: {error.cause}")
        self._tell(StepFinished(step.id, outcome, time.monotonic() - began, problem, code))
        return outcome, problem

    def _paused(self, step: Step) -> RunFinished:
        """Stays unfinished, and is offered again after the restart."""
        run = self._run
        run.journal.write("paused", step=step.id)
        if continue_after_restart(run.id):
            run.say(step, "goes on by itself after the restart")
        return self._finished(Outcome.RESTART_NEEDED, None, put_back=False)

    def _commit(self) -> None:
        run = self._run
        target = run.targets.get(run.plan.python.executable) if run.plan.python else None
        if target:
            leave_record(run, target)
        run.flush_now()
        run.cancel.check()
        run.journal.write("ended", state="committed")
        with contextlib.suppress(Problem):
            # What is left over does no harm.
            tidy(run.folder, run.journal, run.host)

    def _notes(self) -> tuple[Text, ...]:
        run = self._run
        target = run.targets.get(run.plan.python.executable) if run.plan.python else None
        return find_hurtful(run, target) if target else ()

    def _back(self, outcome: Outcome, problem: Text | None) -> RunFinished:
        run = self._run
        step = run.plan.steps[0]
        try:
            take_back(run.folder, run.journal, run.host, lambda line: run.say(step, line))
        except (Problem, OSError) as error:
            _, second = _ending(error)
            run.say(step, f"could not take everything back: {error!r}")
            with contextlib.suppress(Problem):
                run.journal.write("ended", state="failed")
            return self._finished(Outcome.FAILED, second, put_back=False)
        return self._finished(outcome, problem, put_back=True)

    def _finished(self, outcome: Outcome, problem: Text | None, put_back: bool, notes: tuple[Text, ...] = ()) -> RunFinished:
        run = self._run
        restart = outcome is Outcome.RESTART_NEEDED
        finished = RunFinished(run.id, outcome, time.monotonic() - self._began, problem, put_back, restart, notes=notes)
        self._tell(finished)
        return finished


def _ending(error: BaseException) -> tuple[Outcome, Text]:
    if isinstance(error, Cancelled):
        return Outcome.CANCELLED, Text("run.cancelled")
    if isinstance(error, RestartNeeded):
        return Outcome.RESTART_NEEDED, Text("run.restart-needed")
    if isinstance(error, Problem):
        return Outcome.FAILED, error.text
    if isinstance(error, OSError):
        return Outcome.FAILED, problem_of(error, str(error.filename or "")).text
    return Outcome.FAILED, Text("run.bug", {"reason": f"{type(error).__name__}: {error}"[:300]})


def _put_back(folder: Path, host: Machine, emit: Emit, cancel: Cancel, places: Places) -> RunFinished:
    plan = read_plan(folder)
    environment = plan.python.executable if plan.python else None
    began = time.monotonic()
    step = Step("put-back", "put-back", Text("run.putting-back"))
    with _alone(environment, places), _log(places, folder.name) as log:
        journal = Journal(folder)
        run = Run(folder.name, folder, plan, host, cancel, places, journal, emit, log)
        run.send(RunStarted(run.id, (step.id,), (1.0,), now()))
        run.send(StepStarted(step.id, step.title, now()))
        outcome, problem = Outcome.DONE, None
        try:
            cancel.check()
            refuse_held_roots(run)
            take_back(folder, journal, host, lambda line: run.say(step, line))
        except (Problem, Cancelled, OSError) as error:
            outcome, problem = _ending(error)
        finally:
            journal.close()
        seconds = time.monotonic() - began
        run.send(StepFinished(step.id, outcome, seconds, problem))
        finished = RunFinished(run.id, outcome, seconds, problem, put_back=outcome is Outcome.DONE)
        run.send(finished)
        return finished


def _new_id() -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"


def _begin(folder: Path, plan: Plan, environment: str | None, host: Machine, is_resumed: bool) -> Journal:
    journal = Journal(folder)
    if is_resumed:
        journal.write("resumed")
        return journal
    try:
        host.write_file(str(folder / PLAN), codec.dumps(plan).encode())
        journal.write("begun", environment=environment, goals=[goal.value for goal in plan.choice.goals], pid=os.getpid())
    except Problem:
        journal.close()
        raise
    return journal


def _refuse_unfinished(environment: str | None, run_id: str, places: Places) -> None:
    for other in list_runs(places):
        if other.id != run_id and environment and other.environment == environment and other.state in ("unfinished", "failed"):
            raise Problem(Text("run.unfinished-before", {"run": other.id}), ExitCode.BLOCKED)


@contextlib.contextmanager
def _alone(environment: str | None, places: Places) -> Iterator[None]:
    """One run on an environment at a time; the system frees the lock of a program that died."""
    folder = places.state / "locks"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise problem_of(error, str(folder)) from error
    name = sha256(os.path.normcase(os.path.abspath(environment or "")).encode()).hexdigest()[:16]  # noqa: PTH100 - of a path that may not exist
    lock = filelock.FileLock(folder / f"{name}.lock")
    try:
        # A child that a killed run was just starting holds a copy of the lock for a moment.
        lock.acquire(timeout=_LOCK_S)
    except filelock.Timeout as error:
        raise Problem(Text("run.another-run", {"environment": environment or "–"}), ExitCode.BLOCKED) from error
    except OSError as error:
        raise problem_of(error, str(folder)) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _log(places: Places, run_id: str) -> Iterator[IO[bytes]]:
    try:
        places.logs.mkdir(parents=True, exist_ok=True)
        log = (places.logs / f"{run_id}.log").open("ab", buffering=0)
    except OSError as error:
        raise problem_of(error, str(places.logs)) from error
    with log:
        yield log
