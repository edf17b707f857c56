"""The commands of the contract, one function each: options in, exit code out."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.choices import choice_of
from app.cli.files import unreadable, write_output
from app.cli.show import show_diagnosis, show_facts, show_plan, show_run
from app.cli.terminal import Terminal
from app.host.own import own_environment, program_command
from app.model import codec
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.plan import Verdict
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.session import Session

if TYPE_CHECKING:
    from app.report import SavedReport

Command = Callable[[argparse.Namespace, Terminal, Cancel], ExitCode]


def open_session(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> Session:
    """A session that knows its machine: the one of --machine, else this one, freshly read."""
    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    if getattr(options, "machine", None):
        session.open_machine(options.machine)
    else:
        session.scan(cancel, tuple(getattr(options, "folder", [])) + named_places(options))
        cancel.check()
    return session


def named_places(options: argparse.Namespace) -> tuple[str, ...]:
    """Places that the command line names, so that the scan reads them even where it would not look."""
    return tuple(str(value) for name in ("python", "comfyui", "new_env") if (value := getattr(options, name, None)))


def scan(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    session = open_session(options, terminal, cancel)
    assert session.facts is not None
    if options.output:
        write_output(options.output, codec.dumps(session.facts) + "\n")
        terminal.say("cli.written", file=str(options.output))
    if options.recording and session.recording:
        write_output(options.recording, codec.dumps(session.recording) + "\n")
        terminal.say("cli.written", file=str(options.recording))
    if options.json:
        terminal.document(codec.dump(session.facts))
    else:
        show_facts(session.facts, terminal)
    return ExitCode.DONE


def plan(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    session = open_session(options, terminal, cancel)
    made = session.decide(choice_of(options, session, terminal))
    if options.script:
        from app.planning import plan_script

        write_output(options.script, plan_script(made, options.script.suffix, terminal.language))
        terminal.say("cli.written", file=str(options.script))
    if options.json:
        from app.planning import plan_document

        terminal.document(plan_document(made, terminal.language))
    else:
        show_plan(made, terminal)
    return ExitCode.DONE if made.verdict is Verdict.READY else ExitCode.BLOCKED


def install(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.installing import resume_run, run_install

    if options.resume is not None:
        return resume_run(options, terminal, cancel)
    return run_install(options, terminal, cancel)


def undo(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    run = find_run(session, options.run, {"committed", "unfinished"}, "cli.nothing-to-undo")
    terminal.say("cli.undoing", run=run.id, environment=run.environment or "–")
    if not options.yes:
        if not terminal.is_person_there:
            raise Problem(Text("cli.needs-yes", {"command": f"{program_command(own_environment())} undo --run {run.id} --yes"}), ExitCode.BLOCKED)
        if not terminal.ask("cli.ask-undo"):
            return ExitCode.CANCELLED
    show_run(session, terminal)
    act = session.put_back if run.state == "unfinished" else session.undo
    return exit_of(act(run.id, cancel).outcome)


def find_run(session: Session, run_id: str | None, states: set[str], none_code: str) -> Any:
    """The named run, or the newest in one of `states`; Problem where there is none."""
    runs = session.runs()
    found = next((run for run in runs if (run.id == run_id if run_id else run.state in states)), None)
    if found is None:
        text = Text("cli.no-such-run", {"run": run_id, "known": ", ".join(run.id for run in runs[:5]) or "-"}) if run_id else Text(none_code)
        raise Problem(text, ExitCode.BAD_INPUT if run_id else ExitCode.BLOCKED)
    return found


def prove(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.proving import run_prove

    return run_prove(options, terminal, cancel)


def diagnose(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    if options.machine:
        session.open_machine(options.machine)
    if options.file == "-":
        found = session.diagnose(sys.stdin.buffer)
    else:
        try:
            with Path(options.file).open("rb") as stream:
                found = session.diagnose(stream)
        except OSError as error:
            raise unreadable(options.file, error) from error
    if options.json:
        from app.diagnosis.logs import diagnosis_document

        # A program that asks gets an answer of the same shape for any file; its kind says that there was no text.
        terminal.document(diagnosis_document(found, terminal.language))
        return ExitCode.DONE
    if found.kind in {"empty", "binary"}:
        raise Problem(Text(_unfit(options.file, found.kind), {"file": "@cli.stdin" if options.file == "-" else options.file}), ExitCode.BAD_INPUT)
    show_diagnosis(found, terminal)
    return ExitCode.DONE


def _unfit(file: str, kind: str) -> str:
    """The code of the line that says why a file cannot be diagnosed; a report of ours has a better use."""
    from app.report import load_machine

    if kind == "binary" and file != "-":
        with contextlib.suppress(Problem):
            load_machine(Path(file))
            return "cli.log-report"
    return f"cli.log-{kind}"


def report(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    session = open_session(options, terminal, cancel)
    session.decide(session.choice)
    session.recall()
    saved = session.save_report(options.output or session.new_report_path())
    if options.json:
        terminal.document({"schema": "saved-report/1", "file": str(saved.path), "bytes": saved.path.stat().st_size, "redactions": dict(saved.redactions)})
    else:
        say_saved(saved, terminal)
    return ExitCode.DONE


def say_saved(saved: "SavedReport", terminal: Terminal) -> None:
    """Where a report lies, and what is not in it."""
    from app.report.hidden import say_hidden

    terminal.say("cli.report-written", file=str(saved.path))
    terminal.line("  " + say_hidden(saved.redactions, terminal.language))


def bundle(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.running import make_bundle

    session = open_session(options, terminal, cancel)
    made = session.decide(choice_of(options, session, terminal))
    if made.verdict is Verdict.BLOCKED:
        show_plan(made, terminal)
        return ExitCode.BLOCKED
    show_run(session, terminal)
    return exit_of(make_bundle(made, session.bundle_host, session.emit, cancel, options.output, places=session.places).outcome)


def tour(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.qt.tour import run_tour

    for path in run_tour(options.machine, terminal.language, "dark" if options.theme == "dark" else "light", options.output):
        terminal.line(str(path))
    return ExitCode.DONE


def code(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.explaining import explain

    return explain(options, terminal)


def compare(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.explaining import compare_reports

    return compare_reports(options, terminal)


def exit_of(outcome: Outcome) -> ExitCode:
    return {
        Outcome.DONE: ExitCode.DONE,
        Outcome.SKIPPED: ExitCode.DONE,
        Outcome.FAILED: ExitCode.FAILED,
        Outcome.CANCELLED: ExitCode.CANCELLED,
        Outcome.RESTART_NEEDED: ExitCode.BLOCKED,
    }[outcome]


def vllm(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.server import vllm as act

    return act(options, terminal, cancel)


def forget(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.forgetting import forget as act

    return act(options, terminal, cancel)


def tables(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.tables import tables as act

    return act(options, terminal, cancel)


def update(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    from app.cli.updating import update as act

    return act(options, terminal, cancel)


COMMANDS: Mapping[str, Command] = {
    command.__name__: command for command in (scan, plan, install, undo, prove, diagnose, report, bundle, tour, code, compare, tables, update, vllm, forget)
}
