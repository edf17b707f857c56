"""The command `update`: asks, with consent, whether a newer version or fresher tables are out. Takes neither."""

import argparse
import dataclasses

from app import __version__
from app.cli.terminal import Terminal
from app.current_tables import current_tables
from app.host.own import own_environment, program_command, release_address
from app.host.places import places
from app.host.releases import fetch_release, is_newer
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.tables.fresh import date_of


def update(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Exit code 3 where nobody allowed the question."""
    address = release_address(own_environment())
    if address is None:
        raise Problem(Text("release.no-address"), ExitCode.BLOCKED)
    if not options.yes and not (terminal.is_person_there and terminal.ask("release.ask-terminal", address=address)):
        terminal.say("release.not-asked")
        return ExitCode.BLOCKED
    cancel.check()
    release = fetch_release(address)
    own_date = date_of(current_tables(places(own_environment().get("TRITON_SETUP_HOME")).data))
    newer = is_newer(release.version, __version__)
    fresher = release.tables_date is not None and release.tables_date > own_date
    if options.json:
        told = {"schema": "update/1", "own_version": __version__, "own_tables_date": own_date, "is_newer": newer, "has_fresher_tables": fresher}
        terminal.document({**told, "release": dataclasses.asdict(release)})
        return ExitCode.DONE
    if newer:
        terminal.say("release.newer", version=release.version, date=release.date, own=__version__)
        terminal.say("release.get", page=release.page)
    else:
        terminal.say("release.newest", own=__version__)
    if fresher:
        command = f"{program_command(own_environment())} tables --take {release.tables_url} --sha256 {release.tables_sha256}"
        terminal.say("release.tables-terminal", date=release.tables_date or "", own=own_date, command=command)
    return ExitCode.DONE
