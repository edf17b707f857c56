"""The whole line in the terminal, on this machine: what the window does, where there is no window."""

import argparse

from app.cli.choices import given_choice
from app.cli.commands import exit_of, find_run, open_session, say_saved
from app.cli.installing import is_allowed
from app.cli.show import show_facts, show_failure, show_plan, show_proof, show_run
from app.cli.terminal import Terminal
from app.cli.unfinished import offer_unfinished
from app.host.own import own_environment, program_command
from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished
from app.model.plan import Choice, Plan, Verdict
from app.model.problem import ExitCode
from app.model.proof import Level, ProofVerdict
from app.session import Session


def walk(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Scan, explain, plan, install, prove, report; a replay stops after the plan."""
    if options.continue_run:
        return go_on_after_restart(options, terminal, cancel)
    if not options.machine:
        before = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
        if (ended := offer_unfinished(before, terminal, cancel)) is not None:
            return ended
    terminal.say("cli.walk-start")
    session = open_session(options, terminal, cancel)
    assert session.facts is not None
    show_facts(session.facts, terminal)
    plan = choose_plan(given_choice(options, session, terminal), session, terminal)
    if session.is_replay:
        terminal.say("cli.walk-replay-ends")
        return ExitCode.DONE if plan.verdict is Verdict.READY else ExitCode.BLOCKED
    if plan.verdict is not Verdict.READY:
        terminal.say("cli.walk-needs-you")
        save_report(session, terminal)
        return ExitCode.BLOCKED
    show_run(session, terminal)
    if plan.steps and not is_allowed(options, plan, session, terminal):
        return ExitCode.BLOCKED
    return install_and_prove(session, plan, terminal, cancel)


def go_on_after_restart(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """What Windows starts once after a restart: the run that waited goes on, then all that would have followed it."""
    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    run = find_run(session, options.continue_run, {"unfinished"}, "cli.nothing-to-resume")
    show_run(session, terminal)
    return prove_and_report(session, session.install(cancel, resume=run.id), terminal, cancel)


def choose_plan(choice: Choice, session: Session, terminal: Terminal) -> Plan:
    """The plan of a choice, mostly the recommended one; where it needs a decision and a person is there, the plan of what they pick."""
    plan = session.decide(choice)
    show_plan(plan, terminal)
    while plan.verdict is Verdict.NEEDS_ACTION and plan.options and terminal.is_person_there and not session.is_replay:
        for number, option in enumerate(plan.options, 1):
            terminal.line(f"  {number}) {terminal.words(option.text)}")
        picked = terminal.choose("cli.ask-option", len(plan.options))
        if picked is None:
            return plan
        plan = session.decide(plan.options[picked - 1].choice)
        show_plan(plan, terminal)
    return plan


def install_and_prove(session: Session, plan: Plan, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Runs the plan where there is something to do, then proves it."""
    if plan.steps:
        return prove_and_report(session, session.install(cancel), terminal, cancel)
    terminal.say("cli.already-right")
    return prove_and_report(session, None, terminal, cancel)


def prove_and_report(session: Session, finished: RunFinished | None, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Proves the result, writes the report, says where everything is and how to undo it. `finished` None: nothing had to be done."""
    if finished and (code := exit_of(finished.outcome)) is not ExitCode.DONE:
        if finished.outcome is Outcome.FAILED:
            show_failure(session, finished.run_id, terminal)
        save_report(session, terminal)
        return code
    run_id, plan = finished.run_id if finished else None, session.plan
    assert plan is not None
    assert plan.python is not None
    terminal.say("cli.walk-proving")
    proof = session.prove(Level.KERNEL, cancel)
    show_proof(proof, terminal)
    terminal.line()
    terminal.say("cli.walk-environment", python=plan.python.executable)
    save_report(session, terminal)
    run_id = run_id or next((run.id for run in session.runs() if run.state == "committed" and run.environment == plan.python.executable), None)
    if run_id:
        terminal.say("cli.how-to-undo", command=f"{program_command(own_environment())} undo --run {run_id}")
    return ExitCode.FAILED if proof.verdict in {ProofVerdict.FAILS, ProofVerdict.WRONG} else ExitCode.DONE


def save_report(session: Session, terminal: Terminal) -> None:
    say_saved(session.save_report(session.new_report_path()), terminal)
