"""ComfyUI in a distro: its models copied in with the room known before, and a start that Windows itself reaches."""

import os
from pathlib import Path
from typing import Final

from app.host.protocol import OutputLine
from app.model.events import LogLine
from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.journal import now
from app.running.run import Run, list_argument, text_argument
from app.running.served import Served
from app.running.wsl.linux import Linux, ending, in_distro, led, wsl_program

READY_S: Final = 600.0
SPARE_BYTES: Final = 5_000_000_000
"""Left free on the drive: a full one stops Windows and every distro on it."""


def copy_models(step: Step, run: Run) -> None:
    """Copies what is not there yet. Problem before anything is copied if the drive of the distro has no room for all."""
    source, room = text_argument(step, "source"), text_argument(step, "room_folder")
    needed, free = size_of(Path(source), run), run.host.disk_free(room)
    if free is not None and free < needed + SPARE_BYTES:
        params = {"folder": source, "needed": f"{(needed + SPARE_BYTES) / 1e9:.1f}", "free": f"{free / 1e9:.1f}"}
        raise Problem(Text("wsl.no-room-for-models", params), ExitCode.BLOCKED, "disk-full")
    run.say(step, f"copies {needed / 1e9:.1f} GB")
    linux = Linux(run, text_argument(step, "distro"))
    linux.check(step, ("cp", "-r", "--no-clobber", "--verbose", f"{text_argument(step, 'from_folder')}/.", text_argument(step, "folder")))


def size_of(folder: Path, run: Run) -> int:
    """Bytes of all files below a folder, links not followed; 0 where there is none."""
    total = 0
    for place, _, files in os.walk(folder):
        run.cancel.check()
        total += sum(path.stat().st_size for name in files if not (path := Path(place, name)).is_symlink())
    return total


def serve_once(step: Step, run: Run) -> None:
    """Starts a server in the distro, asks it from Windows at 127.0.0.1 as a browser would, and stops it again."""
    distro, command, port = text_argument(step, "distro"), list_argument(step, "command"), step.arguments.get("port")
    if not isinstance(port, int):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": "port"}))
    session, wsl = f"/tmp/triton-setup-{run.id}.session", wsl_program(run)  # noqa: S108 - a name of this run, in the distro's own /tmp

    def on_line(line: OutputLine) -> None:
        run.send(LogLine(step.id, line.text, now(), line.stream, line.replaces))

    ended = in_distro(wsl, distro, *ending(session))
    with Served(in_distro(wsl, distro, *led(session, command)), run.host, on_line, words="wsl.server-", ending=ended) as served:
        served.wait_until_ready(port, text_argument(step, "path"), run.cancel, READY_S)
    run.say(step, f"Windows reaches it at http://127.0.0.1:{port}")
