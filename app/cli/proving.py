"""The command `prove`: check and measure an environment, write metrics, say what got worse since an earlier proof."""

import argparse
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli.files import read_input, unreadable
from app.cli.show import show_proof, show_run
from app.cli.terminal import Terminal
from app.host.own import own_environment
from app.model import codec
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem, reason_of
from app.model.proof import Level, Proof, ProofVerdict
from app.model.text import Text
from app.session import Session


def run_prove(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Proves, then shows, writes and compares. What is named is read first: a bad file must not cost the measurement."""
    from app.proof import compare, prometheus_text

    session = Session(own_environment().get("TRITON_SETUP_HOME"), terminal.language)
    python = options.python or newest_python(session)
    inputs = _Inputs.of(options)
    if not terminal.json_wanted:
        show_run(session, terminal)
    proof = session.prove(Level(options.level), cancel, python, inputs.checks)
    if options.comfyui_log is not None:
        with _opened(options.comfyui_log) as stream:
            proof = session.read_app_log(stream)
    worse = None if inputs.earlier is None else compare(proof, inputs.earlier)
    _show(proof, worse, options, terminal)
    if options.prometheus is not None:
        # The time of the last good proof outlives a bad one.
        before = options.prometheus.read_text(encoding="utf-8", errors="replace") if options.prometheus.is_file() else ""
        write_whole(options.prometheus, prometheus_text(proof, before))
    failed = proof.verdict in {ProofVerdict.FAILS, ProofVerdict.WRONG} or any(check.outcome == "failed" for check in proof.checks)
    return ExitCode.FAILED if failed or worse else ExitCode.DONE


@dataclass(frozen=True, slots=True)
class _Inputs:
    earlier: Proof | None
    checks: tuple[str, ...] | None

    @classmethod
    def of(cls, options: argparse.Namespace) -> "_Inputs":
        if options.comfyui_log is not None:
            _opened(options.comfyui_log).close()
        return cls(None if options.against is None else read_proof_file(options.against), _checks(options.check))


def _checks(named: str | None) -> tuple[str, ...] | None:
    """The checks to run alone; Problem for a name that no proof has."""
    from app.proof import all_checks

    if named is None:
        return None
    wanted = tuple(name.strip() for name in named.split(",") if name.strip())
    unknown = [name for name in wanted if name not in all_checks()]
    if unknown or not wanted:
        raise Problem(Text("cli.no-such-check", {"check": ", ".join(unknown) or named, "known": ", ".join(all_checks())}), ExitCode.BAD_INPUT)
    return wanted


def read_proof_file(path: Path) -> Proof:
    """An earlier proof: a document of this command, or a report that holds one."""
    from app.proof import load_proof
    from app.report import load_machine

    if path.suffix.lower() != ".zip":
        return load_proof(codec.parse(read_input(path), path.name), path.name)
    proof = load_machine(path).report.proof
    if proof is None:
        raise Problem(Text("page.proof.report-without-proof", {"file": path.name}), ExitCode.BAD_INPUT)
    return proof


def _opened(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(str(path), error) from error


def _show(proof: Proof, worse: tuple[Text, ...] | None, options: argparse.Namespace, terminal: Terminal) -> None:
    from app.proof import proof_document

    if options.json:
        document = dict(proof_document(proof, terminal.language))
        if worse is not None:
            document["worse"] = [terminal.words(line) for line in worse]
        terminal.document(document)
        return
    show_proof(proof, terminal)
    for line in worse or ():
        terminal.line("  " + terminal.words(line))
    if worse == ():
        terminal.say("page.proof.nothing-worse")


def write_whole(path: Path, content: str) -> None:
    """Writes a file at once: a collector that reads it in between must not see half of it."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(content, encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise Problem(Text("cli.cannot-write", {"file": str(path), "reason": reason_of(error)}), ExitCode.BAD_INPUT) from error


def newest_python(session: Session) -> str:
    """The Python that was set up last on this machine."""
    run = next((run for run in session.runs() if run.state == "committed" and run.environment), None)
    if run is None or run.environment is None:
        raise Problem(Text("session.no-python"), ExitCode.BAD_INPUT)
    return run.environment
