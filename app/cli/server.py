"""The command `vllm`: runs, asks, schedules and removes the server that a plan has set up."""

import argparse
import sys

from app.cli.terminal import Terminal
from app.host.live import LiveHost
from app.host.loopback import ask_loopback
from app.host.own import own_environment, program_command
from app.host.places import Places, places
from app.host.secrets_store import keep_secret, read_secret
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.vllm.logon import create_command, delete_command, task_document
from app.running.vllm.serving import HEALTH, READY_S, serve
from app.running.vllm.settings import SECRET, load_settings, settings_file


def vllm(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """`vllm run | status | logon-on | logon-off | remove`."""
    here = places(own_environment().get("TRITON_SETUP_HOME"))
    acts = {"run": run_server, "status": show_status, "logon-on": start_at_logon, "logon-off": end_at_logon, "remove": remove}
    return acts[options.action](here, terminal, cancel)


def run_server(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Serves until it ends or the person stops it; everything it says goes to a log file, without the key."""
    settings, key = load_settings(here), read_secret(SECRET) or ""
    here.logs.mkdir(parents=True, exist_ok=True)
    with (here.logs / "vllm.log").open("a", encoding="utf-8", errors="backslashreplace") as log:

        def on_line(line: object) -> None:
            text = getattr(line, "text", "")
            log.write((text.replace(key, "***") if key else text) + "\n")
            log.flush()

        with serve(settings, key, LiveHost(), on_line) as server:
            server.wait_until_ready(settings.port, HEALTH, cancel, READY_S)
            terminal.say("vllm.running", model=settings.model, port=settings.port)
            while server.exit_code is None and not cancel.wait(0.5):
                pass
    if server.exit_code and not cancel.is_set:
        raise Problem(Text("vllm.ended", {"exit_code": server.exit_code}))
    return ExitCode.DONE


def show_status(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    settings = load_settings(here)
    if ask_loopback(settings.port, HEALTH)[0] == 200:
        terminal.say("vllm.healthy", model=settings.model, port=settings.port)
        return ExitCode.DONE
    terminal.say("vllm.unhealthy", port=settings.port, command=f"{program_command(own_environment())} vllm run")
    return ExitCode.FAILED


def start_at_logon(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    load_settings(here)
    arguments = ("vllm", "run") if getattr(sys, "frozen", False) else ("-m", "app", "vllm", "run")
    document = settings_file(here).with_name("logon-task.xml")
    document.write_text(task_document(sys.executable, arguments), encoding="utf-16")
    _schedule(create_command(str(document)), cancel)
    terminal.say("vllm.logon-on")
    return ExitCode.DONE


def end_at_logon(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    _schedule(delete_command(), cancel)
    terminal.say("vllm.logon-off")
    return ExitCode.DONE


def remove(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Forgets settings, key and task; the environment belongs to its run."""
    document = settings_file(here).with_name("logon-task.xml")
    if document.is_file():
        _schedule(delete_command(), cancel)
    for path in (document, settings_file(here)):
        path.unlink(missing_ok=True)
    keep_secret(SECRET, None)
    terminal.say("vllm.removed")
    return ExitCode.DONE


def _schedule(command: tuple[str, ...], cancel: Cancel) -> None:
    code = LiveHost().execute(command, lambda _: None, cancel, encoding="oem")
    if code:
        raise Problem(Text("vllm.logon-failed", {"exit_code": code}))
