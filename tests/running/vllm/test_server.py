"""The vLLM steps with a real server process, a real venv and a real credential store of the test's own."""

import socket
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import Places, places
from app.host.secrets_store import read_secret
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished
from app.model.plan import Choice, Plan, RouteKind, RouteStatus, RouteVerdict, Step, Verdict
from app.model.problem import Problem
from app.model.text import Text
from app.running import run_plan, undo_run
from app.running.vllm.logon import create_command, task_document
from app.running.vllm.serving import server_command, server_environment
from app.running.vllm.settings import SECRET, ServerSettings, load_settings, serve_arguments
from tests.running.vllm.conftest import free_port


@pytest.fixture
def here(tmp_path: Path) -> Places:
    return places(str(tmp_path / "home"))


@pytest.fixture
def port() -> int:
    return free_port()


def run(here: Places, python: str, port: int, model: str, host: str = "127.0.0.1", cancel_at: str | None = None) -> tuple[RunFinished, list[str]]:
    """Cancels as soon as a log line holds `cancel_at`."""
    arguments = {"python": python, "distro": "", "model": model, "host": host, "port": port, "gpu_share": "0.85", "sequences": 4, "enforce_eager": True}
    steps = tuple(Step(kind, kind, Text("run.title", {"goals": kind}), arguments=arguments) for kind in ("vllm-configure", "vllm-start"))
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    events: list[Event] = []
    plan = Plan(Verdict.READY, RouteKind.NATIVE, routes, None, (), {}, steps, 0, 0, (), Choice())
    cancel = Cancel()

    def emit(event: Event) -> None:
        events.append(event)
        if cancel_at and isinstance(event, LogLine) and cancel_at in event.line:
            cancel.set()

    finished = run_plan(plan, LiveHost(), emit, cancel, places=here)
    return finished, [event.line for event in events if isinstance(event, LogLine)]


def test_a_real_completion_and_no_key_in_any_log(here: Places, python: str, port: int) -> None:
    finished, lines = run(here, python, port, "small-model")
    assert finished.outcome is Outcome.DONE, lines
    assert any("Paris (8)" in line for line in lines)
    key = read_secret(SECRET)
    assert key is not None
    assert len(key) >= 32
    assert any("key is ***" in line for line in lines)
    assert not any(key in path.read_text(encoding="utf-8", errors="replace") for path in (here.logs.parent).rglob("*") if path.is_file())
    assert load_settings(here).model == "small-model"
    with socket.socket() as one:
        assert one.connect_ex(("127.0.0.1", port)) != 0, "the first start is a proof, not the service"
    assert undo_run(finished.run_id, LiveHost(), lambda _: None, Cancel(), places=here).put_back
    with pytest.raises(Problem):
        load_settings(here)


@pytest.mark.parametrize(
    ("model", "code"),
    [("too-large", "vllm.ended"), ("open", "vllm.open-without-key"), ("mute", "vllm.no-completion")],
)
def test_a_server_that_is_not_right_is_not_called_right(here: Places, python: str, port: int, model: str, code: str) -> None:
    finished, _ = run(here, python, port, model)
    assert finished.outcome is Outcome.FAILED
    assert finished.problem is not None
    assert finished.problem.code == code


def test_a_cancel_does_not_wait_for_the_answer(here: Places, python: str, port: int) -> None:
    began = time.monotonic()
    finished, _ = run(here, python, port, "slow", cancel_at="thinking")
    assert (finished.outcome, finished.put_back) == (Outcome.CANCELLED, True)
    assert time.monotonic() - began < 15, "the answer would have taken a minute"
    with socket.socket() as one:
        assert one.connect_ex(("127.0.0.1", port)) != 0


def test_no_plan_can_open_it_to_other_machines(here: Places, python: str, port: int) -> None:
    finished, _ = run(here, python, port, "small-model", host="192.0.2.1")
    assert finished.problem == Text("vllm.only-this-pc")


def test_the_key_travels_by_the_environment_also_into_linux() -> None:
    settings = ServerSettings("/opt/venv/bin/python", "TritonSetup", "m", 8000, "0.85")
    command = server_command(settings, "wsl.exe")
    assert command[:8] == ("wsl.exe", "-d", "TritonSetup", "-u", "root", "--cd", "~", "-e")
    assert "0.0.0.0" not in command
    environment = server_environment(settings, "k")
    assert environment["WSLENV"].startswith("VLLM_API_KEY/u")
    assert "k" not in command
    assert "--swap-space" not in serve_arguments(settings)


def test_the_logon_task_is_well_formed_and_never_elevated() -> None:
    document = task_document("C:\\Program Files\\T&S\\TritonSetup.exe", ("vllm", "run"))
    tree = ET.fromstring(document.split("?>", 1)[1])
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert tree.find(".//t:Command", space).text == "C:\\Program Files\\T&S\\TritonSetup.exe"
    assert tree.find(".//t:Arguments", space).text == "vllm run"
    assert tree.find(".//t:RunLevel", space).text == "LeastPrivilege"
    assert create_command("t.xml") == ("schtasks.exe", "/create", "/tn", "TritonSetup vLLM", "/xml", "t.xml", "/f")
