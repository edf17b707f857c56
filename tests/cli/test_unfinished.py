"""A run that was killed is met at the next start in the terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.front import run
from app.cli.terminal import Terminal
from app.cli.unfinished import offer_unfinished
from app.model.cancel import Cancel
from app.model.problem import ExitCode
from app.session import Session
from tests.running.index_server import IndexServer
from tests.running.worlds import make_environment, new_wheels, old_wheels, packages_of, tree_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends the run by a POSIX signal")

KILLED = """
import os, signal, sys
from app.model.events import StepStarted
from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.running import run_plan
from tests.running.worlds import change_steps, plan_of
python, index, home = sys.argv[1:]
plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index)
def emit(event):
    if isinstance(event, StepStarted) and event.step_id == "test":
        os.kill(os.getpid(), signal.SIGKILL)
run_plan(plan, LiveHost(), emit, Cancel(), places=places(home))
"""


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """Changed by a run that was killed before it tested what it had brought."""
    folder = make_environment(tmp_path / "env", old_wheels(tmp_path / "before"))
    new_wheels(tmp_path / "index")
    with IndexServer(tmp_path / "index") as index:
        argv = [sys.executable, "-c", KILLED, str(folder / "bin" / "python"), index.index, str(tmp_path / "home")]
        before = tree_of(folder)
        killed = subprocess.run(argv, cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=False)
        assert killed.returncode == -signal.SIGKILL
        assert tree_of(folder) != before
        yield folder


def offered(tmp_path: Path, answer: str | None, monkeypatch: pytest.MonkeyPatch) -> ExitCode | None:
    """`answer` None: nobody is there."""
    if answer is not None:
        monkeypatch.setattr(Terminal, "is_person_there", True)
        monkeypatch.setattr("builtins.input", lambda prompt: answer)
    return offer_unfinished(Session(str(tmp_path / "home")), Terminal("en"), Cancel())


def version_in(environment: Path) -> str:
    return (packages_of(environment) / "alpha" / "__init__.py").read_text()


def test_a_person_leaves_it_or_puts_it_back(tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert offered(tmp_path, "", monkeypatch) is None
    assert Session(str(tmp_path / "home")).runs()[0].state == "unfinished"
    assert offered(tmp_path, "2", monkeypatch) is None
    assert Session(str(tmp_path / "home")).runs()[0].state == "put-back"
    assert "1.0" in version_in(environment)
    capsys.readouterr()
    assert offered(tmp_path, "1", monkeypatch) is None
    assert capsys.readouterr().out == ""


def test_the_walk_begins_with_it(tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The program as a person starts it, without a display; going on ends the walk."""
    monkeypatch.setenv("TRITON_SETUP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("app.cli.front.has_display", lambda environment: False)
    monkeypatch.setattr(Terminal, "is_person_there", True)
    monkeypatch.setattr("builtins.input", lambda prompt: "1")
    assert run([]) == 0
    assert "was interrupted" in capsys.readouterr().out
    assert "2.0" in version_in(environment)


def test_where_nobody_is_there_the_commands_are_said(
    tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert offered(tmp_path, None, monkeypatch) is None
    (record,) = Session(str(tmp_path / "home")).runs()
    said = capsys.readouterr().out
    assert f"install --resume {record.id}" in said
    assert f"undo --run {record.id} --yes" in said
    assert record.state == "unfinished"
