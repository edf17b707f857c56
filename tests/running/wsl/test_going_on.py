"""After a restart of Windows the run goes on where it stopped, by the command that Windows was given, and everything that follows follows."""

import os
from pathlib import Path

import pytest

from app.cli.front import run as run_command
from app.host.continuation import continuation_command
from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.plan import Choice, Goal, Plan, PlannedPython, RouteKind, RouteStatus, RouteVerdict, Verdict
from app.model.proof import Level, Proof, ProofVerdict
from app.running import run_plan
from app.session import Session
from tests.running.wsl.test_route import DISTRO, step
from tests.standins.wsl import StandIn

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")
PYTHON = "/usr/bin/python3"


def wait_for_restart(wsl: StandIn, home: Path) -> str:
    """A run that has switched WSL on and waits for Windows to restart, which it then does."""
    steps = (step("wsl-enable", "enable"), step("wsl-command", "mark", distro=DISTRO, command=("touch", "/root/went-on")))
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    python = PlannedPython(PYTHON, "venv", "3.11", is_new=True)
    plan = Plan(Verdict.READY, RouteKind.WSL2, routes, python, (), {}, steps, 0, 0, (), Choice((Goal.TRITON,)))
    finished = run_plan(plan, LiveHost(), lambda _: None, Cancel(), places=places(str(home)))
    assert finished.outcome is Outcome.RESTART_NEEDED
    wsl.restart_windows()
    wsl.add_distro(DISTRO)
    return finished.run_id


def went_on(wsl: StandIn) -> bool:
    """Whether the step behind the restart was done, and the one before it not again."""
    enabled = [call for call in wsl.calls() if "--install" in call]
    return (wsl.folder / DISTRO / "upper/root/went-on").exists() and len(enabled) == 1


def test_the_terminal_goes_on_proves_and_reports(wsl: StandIn, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    waiting = wait_for_restart(wsl, own_home)
    asked: list[tuple[str | None, str | None]] = []

    def prove(session: Session, *_: object) -> Proof:
        asked.append((session.plan.python.executable if session.plan and session.plan.python else None, session._distro()))
        return Proof(Level.KERNEL, ProofVerdict.WORKS, ())

    monkeypatch.setattr(Session, "prove", prove)
    arguments = continuation_command(waiting).split(" -m app ")[1].split()
    assert run_command(["--lang", "en", *arguments]) == 0, capsys.readouterr().out
    assert went_on(wsl)
    assert asked == [(PYTHON, DISTRO)], "it is proven in the distro that the run was for"
    assert f"undo --run {waiting}" in capsys.readouterr().out
    assert list((places(str(own_home)).data / "reports").glob("*.zip"))
    assert run_command(["--continue", waiting]) == 2, "it went on once"
