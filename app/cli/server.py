"""The command `vllm`: runs, asks, schedules and removes the server that a plan has set up."""

import argparse
import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

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

STOP_S: Final = 60.0
LOADING_S: Final = 3.0
"""A server that does not answer may still be loading: it takes the request within a second."""


def vllm(options: argparse.Namespace, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """`vllm run | status | stop | logon-on | logon-off | remove`."""
    here = places(own_environment().get("TRITON_SETUP_HOME"))
    acts = {"run": run_server, "status": show_status, "stop": stop_server, "logon-on": start_at_logon, "logon-off": end_at_logon, "remove": remove}
    return acts[options.action](here, terminal, cancel)


def run_server(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Serves until it ends or somebody stops it; everything it says goes to a log file, without the key."""
    settings, key = load_settings(here), read_secret(SECRET) or ""
    here.logs.mkdir(parents=True, exist_ok=True)
    with (here.logs / "vllm.log").open("a", encoding="utf-8", errors="backslashreplace") as log, _stoppable(here, cancel) as stopping:

        def on_line(line: object) -> None:
            text = getattr(line, "text", "")
            log.write((text.replace(key, "***") if key else text) + "\n")
            log.flush()

        with serve(settings, key, LiveHost(), on_line) as server:
            server.wait_until_ready(settings.port, HEALTH, stopping, READY_S)
            terminal.say("vllm.running", model=settings.model, port=settings.port)
            while server.exit_code is None and not stopping.wait(0.5):
                pass
            ended = server.exit_code
    if ended and not stopping.is_set:
        raise Problem(Text("vllm.ended", {"exit_code": ended}))
    return ExitCode.DONE


@contextlib.contextmanager
def _stoppable(here: Places, cancel: Cancel) -> Iterator[Cancel]:
    """A token that is set by `cancel`, or by the command `stop` of another start of this program, which leaves a file."""
    stopping, request = Cancel(), _stop_request(here)
    request.unlink(missing_ok=True)
    take_back = cancel.on_cancel(stopping.set)

    def watch() -> None:
        while not stopping.wait(0.5):
            if request.exists():
                stopping.set()

    watcher = threading.Thread(target=watch, name="stop-request", daemon=True)
    watcher.start()
    try:
        yield stopping
    finally:
        take_back()
        stopping.set()
        watcher.join()
        request.unlink(missing_ok=True)


def _stop_request(here: Places) -> Path:
    return settings_file(here).with_name("stop")


def stop_server(here: Places, terminal: Terminal, cancel: Cancel) -> ExitCode:
    """Asks the running server to end, and waits until it has."""
    settings, request = load_settings(here), _stop_request(here)
    answers = ask_loopback(settings.port, HEALTH)[0] == 200
    request.touch()
    deadline = time.monotonic() + (STOP_S if answers else LOADING_S)
    while request.exists() and time.monotonic() < deadline:
        cancel.check()
        cancel.wait(0.2)
    if not request.exists():
        terminal.say("vllm.stopped")
        return ExitCode.DONE
    request.unlink(missing_ok=True)
    if answers:
        raise Problem(Text("vllm.not-ours", {"port": settings.port}))
    terminal.say("vllm.not-running", port=settings.port)
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
