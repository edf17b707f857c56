"""The WSL route against a wsl.exe that keeps state and really runs Linux: switch on, restart, distro, environment, undo, cancel."""

import hashlib
import os
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.host.live import LiveHost
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished, StepFinished
from app.model.plan import Choice, Plan, RouteKind, RouteStatus, RouteVerdict, Step, Verdict, Where
from app.model.text import Text
from app.running import put_back, run_plan, undo_run
from tests.standins.wsl import StandIn, standing_in

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")
DISTRO = "TritonSetup"


@pytest.fixture
def here(tmp_path: Path) -> Places:
    return places(str(tmp_path / "home"))


@pytest.fixture
def wsl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    programs = tmp_path / "programs"
    with standing_in(programs) as standin:
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        yield standin


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A tar that the stand-in imports; what is in it lies over this Linux."""
    marker = tmp_path / "marker"
    marker.write_text("ours\n")
    path = tmp_path / "image.wsl"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(marker, "etc/triton-setup-image")
    return path


def step(kind: str, name: str, **arguments: object) -> Step:
    return Step(name, kind, Text("run.title", {"goals": name}), where=Where.WSL, arguments=arguments)


def plan_of(*steps: Step) -> Plan:
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    return Plan(Verdict.READY, RouteKind.WSL2, routes, None, (), {}, steps, 0, 0, (), Choice())


def install(wsl: StandIn, image: Path) -> Step:
    url, sha256 = image.as_uri(), hashlib.sha256(image.read_bytes()).hexdigest()
    return step("wsl-install-distro", "distro", distro=DISTRO, folder=str(wsl.folder / DISTRO), url=url, sha256=sha256)


def run(plan: Plan, here: Places, cancel: Cancel | None = None, resume: str | None = None) -> tuple[RunFinished, list[Event]]:
    events: list[Event] = []
    return run_plan(plan, LiveHost(), events.append, cancel or Cancel(), places=here, resume=resume), events


@pytest.mark.parametrize("language", ["en-US", "zh-CN", "de-DE"])
def test_from_nothing_over_a_restart_to_a_python_in_the_distro_and_back(wsl: StandIn, image: Path, here: Places, language: str) -> None:
    wsl.change(language=language)
    environment = "/root/triton-setup/environment"
    plan = plan_of(
        step("wsl-enable", "enable"),
        install(wsl, image),
        step("wsl-check-gpu", "gpu", distro=DISTRO),
        step("wsl-command", "venv", distro=DISTRO, command=("python3", "-m", "venv", "--without-pip", environment), undo=("rm", "-rf", environment)),
        step("wsl-command", "test", distro=DISTRO, command=(f"{environment}/bin/python", "-c", "import sys; print('in', sys.prefix)")),
    )
    finished, _ = run(plan, here)
    assert finished.outcome is Outcome.RESTART_NEEDED
    assert finished.restart_required
    assert not finished.put_back

    wsl.restart_windows()
    finished, events = run(plan, here, resume=finished.run_id)
    assert finished.outcome is Outcome.DONE, events
    assert f"in {environment}" in [event.line for event in events if isinstance(event, LogLine)]
    upper = wsl.folder / DISTRO / "upper"
    assert (upper / "etc/triton-setup-image").read_text() == "ours\n"
    assert (upper / environment[1:] / "bin/python").exists()
    assert not Path(environment).exists(), "the distro is not this machine"

    assert undo_run(finished.run_id, LiveHost(), events.append, Cancel(), places=here).put_back
    assert not (upper / environment[1:]).exists()
    assert DISTRO in wsl.read()["distros"], "an undo never takes a distro away"
    assert not any("--unregister" in call for call in wsl.calls())


@pytest.mark.parametrize(
    ("verb", "code", "cause"),
    [
        ("--install", "HCS_E_HYPERV_NOT_INSTALLED", "wsl-virtualization-off"),
        ("--install", "WSL_E_INSTALL_COMPONENT_FAILED", "wsl-feature-disabled"),
        ("--import", "ERROR_DISK_FULL", "disk-full"),
        ("run", "HCS_E_CONNECTION_TIMEOUT", "wsl-service-failed"),
    ],
)
def test_a_failure_is_told_apart_by_its_code(wsl: StandIn, image: Path, here: Places, verb: str, code: str, cause: str) -> None:
    wsl.change(kind="absent" if verb == "--install" else "package", fail={verb: code}, language="zh-CN")
    finished, events = run(plan_of(step("wsl-enable", "enable"), install(wsl, image)), here)
    assert finished.outcome is Outcome.FAILED
    assert finished.problem is not None
    assert finished.problem.params["wsl_code"] == code
    assert any(isinstance(event, LogLine) and event.line == f"cause: {cause}" for event in events)


def test_a_distro_without_the_card_is_said_to_be_one(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="package", gpu=False)
    finished, _ = run(plan_of(install(wsl, image), step("wsl-check-gpu", "gpu", distro=DISTRO)), here)
    assert finished.problem == Text("wsl.no-gpu-device", {"distro": DISTRO})


def test_a_damaged_image_is_refused_by_its_hash(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="package")
    wanted = install(wsl, image)
    image.write_bytes(image.read_bytes()[:-1])
    finished, _ = run(plan_of(wanted), here)
    assert finished.outcome is Outcome.FAILED
    assert wsl.read()["distros"] == {}


def test_cancel_ends_the_linux_side_too(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="package")
    cancel = Cancel()
    seconds = "987.654321"
    threading.Timer(2.0, cancel.set).start()
    began = time.monotonic()
    finished, events = run(plan_of(install(wsl, image), step("wsl-command", "long", distro=DISTRO, command=("sleep", seconds))), here, cancel)
    assert finished.outcome is Outcome.CANCELLED
    assert any(isinstance(event, StepFinished) and event.step_id == "distro" and event.outcome is Outcome.DONE for event in events)
    assert time.monotonic() - began < 6
    deadline = time.monotonic() + 10
    while left := [p for p in psutil.process_iter(["cmdline"]) if seconds in (p.info["cmdline"] or [])]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def test_wslconfig_is_edited_by_key_and_comes_back(here: Places, tmp_path: Path) -> None:
    path = tmp_path / ".wslconfig"
    path.write_bytes(b"# mine\r\n[wsl2]\r\nprocessors=4\r\n")
    finished, events = run(plan_of(step("wsl-config", "config", path=str(path), values={"memory": "20GB"})), here)
    assert finished.outcome is Outcome.DONE
    assert path.read_bytes() == b"# mine\r\n[wsl2]\r\nprocessors=4\r\nmemory=20GB\r\n"
    assert undo_run(finished.run_id, LiveHost(), events.append, Cancel(), places=here).put_back
    assert path.read_bytes() == b"# mine\r\n[wsl2]\r\nprocessors=4\r\n"


def test_a_run_that_waits_for_a_restart_can_be_put_back(wsl: StandIn, here: Places) -> None:
    finished, events = run(plan_of(step("wsl-enable", "enable")), here)
    assert finished.outcome is Outcome.RESTART_NEEDED
    assert put_back(finished.run_id, LiveHost(), events.append, Cancel(), places=here).put_back
