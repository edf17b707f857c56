"""The command `forget`: shows every trace of this program on this machine, and removes what the person lets it."""

import argparse
import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.cli.show import megabytes
from app.cli.terminal import Terminal
from app.current_tables import FOLDER as TABLES
from app.host.continuation import forget_continuation
from app.host.live import LiveHost
from app.host.own import own_environment, program_command
from app.host.places import Places, places
from app.host.secrets_store import keep_secret, read_secret
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem, reason_of
from app.model.text import Text
from app.running import list_runs
from app.running.vllm.settings import SECRET
from app.running.wsl.own import own_distros, remove_distro


@dataclass(frozen=True, slots=True)
class Trace:
    """A folder of ours. `name` is its sentence in the catalogue."""

    name: str
    folder: Path

    def size_bytes(self) -> int:
        return sum(path.lstat().st_size for path in self.folder.rglob("*") if not path.is_symlink() and path.is_file())


def forget(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Lists, asks, removes. Environments stay unless they are named with `--environments`."""
    here = places(own_environment().get("TRITON_SETUP_HOME"))
    if options.distro:
        return forget_distro(options.distro, here, terminal, cancel)
    if any(run.state == "unfinished" for run in list_runs(here)):
        raise Problem(Text("cli.forget-unfinished"), ExitCode.BLOCKED)
    traces = [trace for trace in _traces(here, options.environments) if trace.folder.exists()]
    has_key = read_secret(SECRET) is not None
    if not traces and not has_key:
        terminal.say("cli.forget-nothing")
        return ExitCode.DONE
    for trace in traces:
        terminal.say(trace.name, folder=str(trace.folder), size=megabytes(trace.size_bytes()))
    if has_key:
        terminal.say("cli.forget-key")
    for distro in own_distros(here, LiveHost()):
        command = f"{program_command(own_environment())} forget --distro {distro.name}"
        terminal.say("cli.forget-distro", distro=distro.name, folder=distro.folder, size=megabytes(distro.size_bytes()), command=command)
    if any(run.state == "committed" for run in list_runs(here)):
        terminal.say("cli.forget-no-undo")
    if not options.yes and not (terminal.is_person_there and terminal.ask("cli.ask-forget")):
        terminal.say("cli.forget-kept")
        return ExitCode.BLOCKED
    _remove(traces, has_key, here)
    terminal.say("cli.forgotten")
    return ExitCode.DONE


def forget_distro(name: str, here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Removes a distro that this program made, once a person has typed its name. No option does without."""
    host = LiveHost()
    own = next((one for one in own_distros(here, host) if one.name == name), None)
    if own is None:
        raise Problem(Text("wsl.not-our-distro", {"distro": name}), ExitCode.BLOCKED)
    params = {"distro": own.name, "folder": own.folder, "size": megabytes(own.size_bytes())}
    typed = terminal.ask_text("cli.ask-distro", **params) if terminal.is_person_there else ""
    remove_distro(here, host, name, typed, cancel)
    terminal.say("cli.distro-removed", distro=name)
    return ExitCode.DONE


def _traces(here: Places, with_environments: bool) -> Iterator[Trace]:
    yield Trace("cli.forget-cache", here.cache)
    yield Trace("cli.forget-logs", here.logs)
    yield Trace("cli.forget-state", here.state)
    yield Trace("cli.forget-reports", here.data / "reports")
    yield Trace("cli.forget-settings", here.data / "vllm")
    yield Trace("cli.forget-tables", here.data / TABLES)
    if with_environments:
        yield Trace("cli.forget-environments", here.environments)
        yield Trace("cli.forget-pythons", here.data / "pythons")


def _remove(traces: list[Trace], has_key: bool, here: Places) -> None:
    for trace in traces:
        try:
            shutil.rmtree(trace.folder)
        except OSError as error:
            raise Problem(Text("cli.cannot-remove", {"file": str(trace.folder), "reason": reason_of(error)}), ExitCode.FAILED) from error
    if has_key:
        keep_secret(SECRET, None)
    forget_continuation()
    for folder in (here.data, here.state.parent):
        # What still holds something stays: environments, distros of ours.
        with contextlib.suppress(OSError):
            folder.rmdir()
