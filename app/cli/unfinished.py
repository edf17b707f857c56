"""A run that was interrupted, met at the next start in the terminal: go on, put back, or leave it for later."""

from app.cli.commands import exit_of
from app.cli.show import show_run
from app.cli.terminal import Terminal
from app.host.own import own_environment, program_command
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.problem import ExitCode
from app.session import Session


def offer_unfinished(session: Session, terminal: Terminal, cancel: Cancel) -> ExitCode | None:
    """How it ended where the person goes on with the run, or it could not be put back; None where the walk may begin.

    Where nobody can be asked the two commands are said, and what is planned for another environment may still be done.
    """
    run = next((run for run in session.runs() if run.state in ("unfinished", "failed")), None)
    if run is None:
        return None
    terminal.say("cli.unfinished", date=run.started[:10], environment=run.environment or "–")
    can_go_on = run.state == "unfinished"
    if not terminal.is_person_there:
        program = program_command(own_environment())
        if can_go_on:
            terminal.say("cli.unfinished-go-on", command=f"{program} install --resume {run.id}")
        terminal.say("cli.unfinished-put-back", command=f"{program} undo --run {run.id} --yes")
        return None
    picked = terminal.choose("cli.ask-unfinished" if can_go_on else "cli.ask-put-back", 2 if can_go_on else 1)
    if picked is None:
        return None
    show_run(session, terminal)
    if can_go_on and picked == 1:
        return exit_of(session.install(cancel, resume=run.id).outcome)
    finished = session.put_back(run.id, cancel)
    return None if finished.outcome is Outcome.DONE else exit_of(finished.outcome)
