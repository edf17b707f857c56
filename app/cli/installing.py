"""The command `install`: asks where it must, runs the plan, says how it ended."""

import argparse

from app.cli.choices import choice_of
from app.cli.commands import exit_of, find_run, open_session
from app.cli.files import read_input
from app.cli.show import show_failure, show_plan, show_run
from app.cli.terminal import Terminal
from app.host.own import own_environment, program_command
from app.model import codec
from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished
from app.model.plan import Choice, Plan, Verdict
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.session import Session


def run_install(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Makes the plan here and now, shows it, and runs it once it is allowed."""
    if options.fail_step and not options.dry_run:
        raise Problem(Text("cli.fail-step-needs-dry-run"), ExitCode.BAD_INPUT)
    session = open_session(options, terminal, cancel)
    if session.is_replay and not options.dry_run:
        raise Problem(Text("session.replay-cannot-run", {"file": options.machine.name}), ExitCode.BAD_INPUT)
    plan = session.decide(choice_from_plan(options, session) if options.plan else choice_of(options, session, terminal))
    show_events(session, terminal, plan)
    if plan.verdict is not Verdict.READY:
        return ExitCode.BLOCKED
    if options.plan:
        check_same_plan(options, plan, terminal)
    if not plan.steps:
        terminal.say("cli.already-right")
        return ExitCode.DONE
    if not options.dry_run and not is_allowed(options, plan, session, terminal):
        return ExitCode.BLOCKED
    if options.dry_run:
        rehearsed = session.dry_run(cancel, options.fail_step)
        terminal.say("cli.nothing-changed")
        return exit_of(rehearsed.outcome)
    return finish(session, session.install(cancel), terminal)


def resume_run(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Goes on with the named interrupted run, or the newest."""
    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    run = find_run(session, options.resume or None, {"unfinished"}, "cli.nothing-to-resume")
    show_events(session, terminal, None)
    return finish(session, session.install(cancel, resume=run.id), terminal)


def finish(session: Session, finished: RunFinished, terminal: Terminal) -> ExitCode:
    """Says how to undo what was done, or why it failed."""
    if exit_of(finished.outcome) is ExitCode.DONE and not terminal.json_wanted:
        terminal.say("cli.how-to-undo", command=f"{program_command(own_environment())} undo --run {finished.run_id}")
    elif finished.outcome is Outcome.FAILED and not terminal.json_wanted:
        show_failure(session, finished.run_id, terminal)
    return exit_of(finished.outcome)


def is_allowed(options: argparse.Namespace, plan: Plan, session: Session, terminal: Terminal) -> bool:
    """Asks a person; without one, only what is private to us, undoable and decided here goes on."""
    if options.yes:
        return True
    if terminal.is_person_there:
        return terminal.ask("cli.ask-install")
    if options.answers is None and is_private(plan, session):
        return True
    terminal.say("cli.needs-yes", command="--yes")
    return False


def is_private(plan: Plan, session: Session) -> bool:
    """Whether the plan only makes a new environment in our own folder, with nothing that needs rights or a restart."""
    python = plan.python
    inside = python is not None and python.executable.startswith(str(session.places.environments))
    return inside and python is not None and python.is_new and not any(step.needs_admin or step.needs_restart for step in plan.steps)


def choice_from_plan(options: argparse.Namespace, session: Session) -> Choice:
    """The choice inside a plan document. Its commands are never run: the plan is made again from the choice."""
    document = codec.parse(read_input(options.plan), options.plan.name)
    if not isinstance(document, dict) or document.get("schema") != "plan/1" or "choice" not in document:
        raise Problem(Text("cli.not-a-plan", {"file": str(options.plan)}), ExitCode.BAD_INPUT)
    return codec.load(document["choice"], Choice, options.plan.name)


def check_same_plan(options: argparse.Namespace, plan: Plan, terminal: Terminal) -> None:
    """Problem (exit code 3) if the machine has changed so that the plan is another one now."""
    from app.planning import plan_document

    approved = codec.parse(read_input(options.plan), options.plan.name)
    now = plan_document(plan, terminal.language)
    keys = ("python", "packages", "keeps")
    steps = [[step.get("id"), step.get("argv")] for step in approved.get("steps", []) if isinstance(step, dict)]
    differs = [key for key in keys if approved.get(key) != now[key]] + (["steps"] if steps != [[s["id"], list(s["argv"])] for s in now["steps"]] else [])
    if differs:
        raise Problem(Text("cli.plan-changed", {"file": str(options.plan), "parts": ", ".join(differs)}), ExitCode.BLOCKED)


def show_events(session: Session, terminal: Terminal, plan: Plan | None) -> None:
    """The plan and then every event: as JSON lines, or in words."""
    if plan and terminal.json_wanted:
        from app.planning import plan_document

        terminal.record({"type": "plan", "plan": plan_document(plan, terminal.language)})
    elif plan:
        show_plan(plan, terminal)
    show_run(session, terminal)
