"""A distro is removed only if this program made it, it is still the same, and its name was typed."""

import os
from pathlib import Path

import pytest

from app.cli import forgetting
from app.cli.front import run as run_command
from app.cli.terminal import Terminal
from app.host.places import Places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.problem import Problem
from app.running.wsl.own import own_distros, remove_distro, write_down
from tests.running.conftest import Bench
from tests.running.wsl.test_route import DISTRO, install, plan_of
from tests.running.wsl.windows_like import WindowsLike
from tests.standins.wsl import StandIn

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")


@pytest.fixture
def made(wsl: StandIn, image: Path, bench: Bench) -> WindowsLike:
    """A machine on which a run has installed our distro, beside one of the person's."""
    wsl.add_distro("Theirs")
    bench.host = WindowsLike(wsl)
    finished = bench.run(plan_of(install(wsl, image)))
    assert finished.outcome is Outcome.DONE, bench.events
    return bench.host


def test_ours_is_known_by_identity_and_folder(made: WindowsLike, wsl: StandIn, bench: Bench) -> None:
    (own,) = own_distros(bench.places, made)
    assert (own.name, own.folder) == (DISTRO, str(wsl.folder / DISTRO))
    assert own.size_bytes() > 0
    # The same name again, made by somebody else in another folder, is another distro.
    state = wsl.read()
    state["distros"][DISTRO]["location"] = str(wsl.folder / "elsewhere")
    wsl.write(state)
    assert own_distros(bench.places, made) == ()
    refused(bench.places, made, wsl, DISTRO, DISTRO, "wsl.not-our-distro")


OTHER_NAMES = [("", DISTRO), (DISTRO.lower(), DISTRO), ("y", DISTRO), ("Theirs", "Theirs")]


@pytest.mark.parametrize(("typed", "name"), OTHER_NAMES)
def test_nothing_else_is_removed(made: WindowsLike, wsl: StandIn, bench: Bench, typed: str, name: str) -> None:
    refused(bench.places, made, wsl, name, typed, "wsl.name-not-typed" if name == DISTRO else "wsl.not-our-distro")


def refused(here: Places, host: WindowsLike, wsl: StandIn, name: str, typed: str, code: str) -> None:
    with pytest.raises(Problem) as problem:
        remove_distro(here, host, name, typed, Cancel())
    assert problem.value.text.code == code
    assert set(wsl.read()["distros"]) == {"Theirs", DISTRO}
    assert not any("--unregister" in call for call in wsl.calls())


def test_a_distro_that_a_person_made_in_our_name_is_never_written_down(wsl: StandIn, bench: Bench) -> None:
    wsl.add_distro(DISTRO)
    write_down(bench.places, WindowsLike(wsl), DISTRO, "C:\\elsewhere")
    assert own_distros(bench.places, WindowsLike(wsl)) == ()


@pytest.mark.parametrize(("typed", "code", "left"), [("yes", 3, {"Theirs", DISTRO}), (DISTRO, 0, {"Theirs"})])
def test_the_command_asks_for_the_name(
    made: WindowsLike, wsl: StandIn, bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, code: int, left: set[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(forgetting, "LiveHost", lambda: made)
    monkeypatch.setattr(Terminal, "is_person_there", property(lambda self: True))
    monkeypatch.setattr("builtins.input", lambda prompt: asked.append(prompt) or typed)
    assert run_command(["--lang", "en", "forget", "--distro", DISTRO]) == code
    assert str(wsl.folder / DISTRO) in asked[0]
    assert set(wsl.read()["distros"]) == left
    assert (wsl.folder / DISTRO).exists() is (code != 0)
    monkeypatch.setattr(Terminal, "is_person_there", property(lambda self: False))
    if code:
        assert run_command(["forget", "--distro", DISTRO, "--yes"]) == 3, "no option does without the name"
        assert set(wsl.read()["distros"]) == left
