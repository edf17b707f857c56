"""The command `tables`: which tables decide here, and taking fresher ones, checked and with consent."""

import argparse
import hashlib
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.cli.files import unreadable
from app.cli.terminal import Terminal
from app.current_tables import current_tables, forget_tables, keep_tables
from app.host.own import own_environment, program_command
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.tables import Tables, load_tables
from app.tables.fresh import MAX_PACKAGE_BYTES, check_fresher, date_of, difference, read_package


def tables(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Says which tables are used; with `--take` checks a package, shows what it changes and keeps it if the person agrees."""
    here = places(own_environment().get("TRITON_SETUP_HOME"))
    if options.shipped:
        terminal.say("tables.shipped-again" if forget_tables(here.data) else "tables.shipped-anyway", date=date_of(load_tables()))
        return ExitCode.DONE
    if options.take:
        return _take(options, here, terminal, cancel)
    used = current_tables(here.data)
    if options.json:
        dates = {"date": date_of(used), "shipped_date": date_of(load_tables()), "is_shipped": used is load_tables()}
        terminal.document({"schema": "tables-used/1", **dates})
        return ExitCode.DONE
    terminal.say("tables.shipped" if used is load_tables() else "tables.kept", date=date_of(used))
    return ExitCode.DONE


def _take(options: argparse.Namespace, here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    if "://" in options.take and not options.take.startswith("https://"):
        raise Problem(Text("tables.only-https", {"address": options.take}), ExitCode.BAD_INPUT)
    content = _fetched(options.take, cancel) if options.take.startswith("https://") else _read(options.take)
    found = hashlib.sha256(content).hexdigest()
    if options.sha256 and options.sha256.lower() != found:
        raise Problem(Text("tables.other-hash", {"file": options.take, "found": found}), ExitCode.BAD_INPUT)
    files = read_package(io.BytesIO(content), options.take)
    used = current_tables(here.data)
    fresher = check_fresher(files, load_tables())
    _show(used, fresher, terminal)
    terminal.say("tables.hash", hash=found)
    if not _agrees(options, terminal, lambda: terminal.ask("tables.ask")):
        terminal.say("tables.not-taken")
        return ExitCode.BLOCKED
    keep_tables(here.data, files)
    terminal.say("tables.taken", date=date_of(fresher), command=f"{program_command(own_environment())} tables --shipped")
    return ExitCode.DONE


def _agrees(options: argparse.Namespace, terminal: Terminal, ask: Callable[[], bool]) -> bool:
    """Without a person, only a hash that was named says that this is the package that is meant."""
    if options.yes and options.sha256:
        return True
    return terminal.is_person_there and ask()


def _show(used: Tables, fresher: Tables, terminal: Terminal) -> None:
    changed = difference(used, fresher)
    for file, table, count in changed:
        terminal.say("tables.differ", file=file, table=table, count=count)
    if not changed:
        terminal.say("tables.same")


def _read(file: str) -> bytes:
    try:
        if Path(file).stat().st_size > MAX_PACKAGE_BYTES:
            raise Problem(Text("plan.tables-refused", {"file": file, "where": "too large"}), ExitCode.BAD_INPUT)
        return Path(file).read_bytes()
    except OSError as error:
        raise unreadable(file, error) from error


def _fetched(url: str, cancel: Cancel) -> bytes:
    from app.host.live import LiveHost

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "tables.zip"

        def stop_if_large(done: int, total: int | None) -> None:
            if max(done, total or 0) > MAX_PACKAGE_BYTES:
                raise Problem(Text("plan.tables-refused", {"file": url, "where": "too large"}), ExitCode.BAD_INPUT)

        LiveHost().download(url, str(target), sha256=None, size_bytes=None, on_progress=stop_if_large, cancel=cancel)
        return target.read_bytes()
