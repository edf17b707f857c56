"""The WSL route against a wsl.exe that keeps state and really runs Linux: switch on, restart, distro, environment, undo, cancel."""

import hashlib
import os
import threading
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.host.elevation import ElevatedResult
from app.host.live import LiveHost
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished, StepFinished
from app.model.plan import Choice, Plan, RouteKind, RouteStatus, RouteVerdict, Step, Verdict, Where
from app.model.text import Text
from app.resources import assets
from app.running import put_back, run_plan, undo_run
from app.running.wsl import steps
from tests.running.wsl.windows_like import WindowsLike
from tests.standins.wsl import StandIn

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")
DISTRO = "TritonSetup"


@pytest.fixture
def here(tmp_path: Path) -> Places:
    return places(str(tmp_path / "home"))


def step(kind: str, name: str, **arguments: object) -> Step:
    return Step(name, kind, Text("run.title", {"goals": name}), where=Where.WSL, arguments=arguments)


def plan_of(*steps: Step) -> Plan:
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    return Plan(Verdict.READY, RouteKind.WSL2, routes, None, (), {}, steps, 0, 0, (), Choice())


def install(wsl: StandIn, image: Path) -> Step:
    url, sha256 = image.as_uri(), hashlib.sha256(image.read_bytes()).hexdigest()
    return step("wsl-install-distro", "distro", distro=DISTRO, folder=str(wsl.folder / DISTRO), url=url, sha256=sha256)


def run(plan: Plan, here: Places, cancel: Cancel | None = None, resume: str | None = None) -> tuple[RunFinished, list[Event]]:
    return run_on(LiveHost(), plan, here, cancel, resume)


def run_on(host: LiveHost, plan: Plan, here: Places, cancel: Cancel | None = None, resume: str | None = None) -> tuple[RunFinished, list[Event]]:
    events: list[Event] = []
    return run_plan(plan, host, events.append, cancel or Cancel(), places=here, resume=resume), events


@pytest.mark.parametrize(("language", "has_registry"), [("en-US", False), ("zh-CN", True), ("de-DE", True)])
def test_from_nothing_over_a_restart_to_a_python_in_the_distro_and_back(wsl: StandIn, image: Path, here: Places, language: str, has_registry: bool) -> None:
    wsl.change(language=language)
    host = WindowsLike(wsl) if has_registry else LiveHost()
    environment = "/root/triton-setup/environment"
    plan = plan_of(
        step("wsl-enable", "enable"),
        install(wsl, image),
        step("wsl-check-gpu", "gpu", distro=DISTRO),
        step("wsl-command", "venv", distro=DISTRO, command=("python3", "-m", "venv", "--without-pip", environment), undo=("rm", "-rf", environment)),
        step("wsl-command", "test", distro=DISTRO, command=(f"{environment}/bin/python", "-c", "import sys; print('in', sys.prefix)")),
    )
    finished, _ = run_on(host, plan, here)
    assert finished.outcome is Outcome.RESTART_NEEDED
    assert finished.restart_required
    assert not finished.put_back
    if has_registry:
        # Gone on with too early, it waits again: what Windows says decides, not how often it was started.
        assert run_on(host, plan, here, resume=finished.run_id)[0].outcome is Outcome.RESTART_NEEDED

    wsl.restart_windows()
    finished, events = run_on(host, plan, here, resume=finished.run_id)
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


def test_what_was_there_before_is_kept_by_a_run_and_by_its_undo(wsl: StandIn, here: Places) -> None:
    inside = wsl.add_distro(DISTRO) / "opt/one"
    made = {
        "distro": DISTRO,
        "command": ("sh", "-c", "mkdir -p /opt/one && echo new > /opt/one/file"),
        "undo": ("rm", "-rf", "/opt/one"),
        "makes": "/opt/one/file",
    }
    first, _ = run(plan_of(step("wsl-command", "make", **made)), here)
    assert (inside / "file").read_text() == "new\n"
    (inside / "file").write_text("used since\n")
    second, events = run(plan_of(step("wsl-command", "make", **made)), here)
    assert second.outcome is Outcome.DONE
    assert undo_run(second.run_id, LiveHost(), events.append, Cancel(), places=here).put_back
    assert (inside / "file").read_text() == "used since\n", "the second run made nothing, so its undo takes nothing away"
    assert undo_run(first.run_id, LiveHost(), events.append, Cancel(), places=here).put_back
    assert not inside.exists()


def test_what_a_failed_run_began_is_taken_away(wsl: StandIn, here: Places) -> None:
    inside = wsl.add_distro(DISTRO) / "opt/two"
    half = {"distro": DISTRO, "command": ("sh", "-c", "mkdir -p /opt/two && exit 5"), "undo": ("rm", "-rf", "/opt/two"), "makes": "/opt/two/file"}
    finished, _ = run(plan_of(step("wsl-command", "make", **half)), here)
    assert finished.put_back
    assert not inside.exists()


ROWS = tomllib.loads((assets() / "tables" / "wsl_errors.toml").read_text(encoding="utf-8"))["row"]
VERBS = ("--install", "--import", "run", "--update")


@pytest.mark.parametrize(("number", "row"), list(enumerate(ROWS)), ids=[row["codes"][0] for row in ROWS])
def test_every_row_of_the_error_table_is_played(wsl: StandIn, image: Path, here: Places, number: int, row: dict[str, Any]) -> None:
    """wsl.exe fails in each of the ways it has: while it installs, imports, starts a distro or updates; in every language."""
    verb, code = VERBS[number % len(VERBS)], row["codes"][number % len(row["codes"])]
    wsl.change(kind="absent" if verb == "--install" else "package", fail={verb: code}, language=("en-US", "zh-CN", "de-DE")[number % 3])
    played = [step("wsl-update", "update")] if verb == "--update" else [step("wsl-enable", "enable"), install(wsl, image)]
    finished, events = run(plan_of(*played), here)
    assert finished.outcome is Outcome.FAILED
    assert finished.problem == Text(f"wsl.act-{row['act']}", {"wsl_code": code})
    assert any(isinstance(event, LogLine) and event.line == f"cause: {row['cause']}" for event in events)
    assert (DISTRO in wsl.read()["distros"]) is (verb == "run"), "what was made before the failure is kept, nothing else is there"


def test_a_feature_that_is_off_behind_a_package_that_answers_is_switched_on(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="package", platform=False)
    told, _ = run(plan_of(install(wsl, image)), here)
    assert told.problem == Text("wsl.act-enable", {"wsl_code": "WSL_E_VIRTUAL_MACHINE_PLATFORM_REQUIRED"})
    plan = plan_of(step("wsl-enable", "enable", feature=True, start_hypervisor=False), install(wsl, image))
    finished, _ = run_on(WindowsLike(wsl), plan, here)
    assert finished.outcome is Outcome.RESTART_NEEDED
    wsl.restart_windows()
    assert run_on(WindowsLike(wsl), plan, here, resume=finished.run_id)[0].outcome is Outcome.DONE
    assert sum("--install" in call for call in wsl.calls()) == 1


def test_a_hypervisor_that_is_off_at_boot_is_switched_on_and_waited_for(wsl: StandIn, here: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(operation: Any, folder: Path, cancel: Cancel) -> ElevatedResult:
        asked.append(operation.type)
        return ElevatedResult(0, restart_required=False)

    wsl.change(kind="package")
    monkeypatch.setattr(steps, "ask_elevated", ask)
    plan = plan_of(step("wsl-enable", "enable", feature=False, start_hypervisor=True))
    finished, _ = run(plan, here)
    assert finished.outcome is Outcome.RESTART_NEEDED
    assert run(plan, here, resume=finished.run_id)[0].outcome is Outcome.RESTART_NEEDED, "Windows has not restarted yet"
    booted = psutil.boot_time()
    monkeypatch.setattr(psutil, "boot_time", lambda: booted + 3600)
    assert run(plan, here, resume=finished.run_id)[0].outcome is Outcome.DONE
    assert asked == ["start-hypervisor-at-boot"], "once, and nothing else"


def test_an_old_wsl_is_updated_and_then_answers(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="inbox")
    finished, _ = run(plan_of(step("wsl-update", "update"), install(wsl, image)), here)
    assert finished.outcome is Outcome.DONE


def test_a_wsl_that_stays_silent_is_not_waited_for_without_end(wsl: StandIn, image: Path, here: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    wsl.change(kind="package", stall_s={"run": 60})
    monkeypatch.setattr(steps, "_FIRST_START_S", 1.0)
    began = time.monotonic()
    finished, _ = run(plan_of(install(wsl, image)), here)
    assert finished.outcome is Outcome.FAILED
    assert time.monotonic() - began < 20


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


def test_where_the_image_is_not_to_be_had_a_mirror_with_the_same_file_serves(wsl: StandIn, image: Path, here: Places, tmp_path: Path) -> None:
    wsl.change(kind="package")
    wanted = install(wsl, image)
    other = tmp_path / "other.wsl"
    other.write_bytes(b"not the image")
    mirrors = (other.as_uri(), image.as_uri())
    moved = replace(wanted, arguments={**wanted.arguments, "url": (tmp_path / "gone" / "image.wsl").as_uri(), "mirrors": mirrors})
    finished, events = run(plan_of(moved), here)
    assert finished.outcome is Outcome.DONE, events
    assert DISTRO in wsl.read()["distros"]


def sleepers(seconds: str) -> list[psutil.Process]:
    return [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", seconds]]


def test_cancel_ends_the_linux_side_too(wsl: StandIn, image: Path, here: Places) -> None:
    wsl.change(kind="package")
    cancel, cancelled_at = Cancel(), []
    seconds = "987.654321"

    def cancel_once_it_sleeps() -> None:
        deadline = time.monotonic() + 60
        while not sleepers(seconds) and time.monotonic() < deadline:
            time.sleep(0.1)
        cancelled_at.append(time.monotonic())
        cancel.set()

    threading.Thread(target=cancel_once_it_sleeps).start()
    finished, events = run(plan_of(install(wsl, image), step("wsl-command", "long", distro=DISTRO, command=("sleep", seconds))), here, cancel)
    assert finished.outcome is Outcome.CANCELLED
    assert any(isinstance(event, StepFinished) and event.step_id == "distro" and event.outcome is Outcome.DONE for event in events)
    assert time.monotonic() - cancelled_at[0] < 10
    deadline = time.monotonic() + 20
    while left := sleepers(seconds):
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
