"""Cancel in the phases that not every plan has: a new environment, build files, the runtime, what an earlier try fetched, the last flush."""

import hashlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.model.events import Event, Outcome, StepProgress, StepStarted
from app.model.plan import Plan
from app.running import run_plan
from tests.running.conftest import Bench
from tests.running.index_server import Fault, IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import change_steps, plan_of, python_of, step, tree_of


def cancelled_after(bench: Bench, plan: Plan, is_moment: Callable[[Event], bool], wait_s: float = 0.0) -> float:
    """Runs, cancels `wait_s` after the first event that is the moment, and returns how long it took from there to the end."""
    moment: list[float] = []

    def cancel() -> None:
        moment.append(time.monotonic())
        bench.cancel.set()

    def emit(event: Event) -> None:
        if is_moment(event) and not timers:
            timers.append(threading.Timer(wait_s, cancel))
            timers[0].start()

    timers: list[threading.Timer] = []
    finished = run_plan(plan, bench.host, emit, bench.cancel, places=bench.places)
    took_s = time.monotonic() - moment[0]
    assert (finished.outcome, finished.put_back) == (Outcome.CANCELLED, True)
    return took_s


def is_begun(step_id: str) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, StepStarted) and event.step_id == step_id


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes every connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_while_an_index_keeps_silent(bench: Bench, environment: Path, index: IndexServer, silent: str) -> None:
    before = tree_of(environment)
    python = python_of(environment)
    steps = change_steps(python, ["alpha==2.0"], ["alpha"])
    steps[1] = replace(steps[1], arguments={**steps[1].arguments, "torch_sources": (f"{silent}/simple/",)})
    assert cancelled_after(bench, plan_of(python, steps, index=index.index), is_begun("resolve"), 0.5) < 1.0
    assert tree_of(environment) == before


def test_while_the_hash_of_build_files_is_asked_for(bench: Bench, environment: Path, silent: str) -> None:
    before = tree_of(environment)
    python = python_of(environment)
    url = f"{silent}/python.3.11.nupkg"
    headers = step("headers", "python-headers", python=python, urls=(url,), hash_pages={url: f"{silent}/3.11.json"})
    assert cancelled_after(bench, plan_of(python, [headers]), is_begun("headers"), 0.5) < 1.0
    assert tree_of(environment) == before


def test_while_a_python_does_not_answer(bench: Bench, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    assert cancelled_after(bench, plan_of(str(python), change_steps(str(python), ["alpha"], [])), is_begun("check"), 0.3) < 1.0


def test_while_an_environment_is_made(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "slow-python"
    slow.write_text(f'#!/bin/sh\nmkdir -p "$5"\ntouch "$5/half"\nsleep 60\nexec {sys.executable} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr("app.running.environments.find_uv", lambda: None)
    folder = tmp_path / "new" / "env"
    made = step("env", "create-environment", folder=str(folder), python=str(slow), version="3.11")
    assert cancelled_after(bench, plan_of(python_of(folder), [made]), is_begun("env"), 0.3) < 1.0
    assert not (tmp_path / "new").exists()


def test_while_build_files_are_fetched(bench: Bench, environment: Path, tmp_path: Path) -> None:
    before = tree_of(environment)
    archive = tmp_path / "served" / "a.zip"
    archive.parent.mkdir()
    archive.write_bytes(b"x" * 100_000)
    python = python_of(environment)
    with IndexServer(archive.parent) as server:
        server.faults["a.zip"] = [Fault("stall", 1000)]
        url = server.file_url("a.zip")
        headers = step("headers", "python-headers", python=python, urls=(url,), hashes={url: hashlib.sha256(archive.read_bytes()).hexdigest()})
        assert cancelled_after(bench, plan_of(python, [headers]), is_begun("headers"), 0.5) < 1.0
    assert tree_of(environment) == before


def test_while_the_runtime_is_fetched(bench: Bench, environment: Path, tmp_path: Path) -> None:
    before = tree_of(environment)
    wheel = make_wheel(tmp_path / "served", "msvc-runtime", "14.44.1", data={"msvcp140.dll": b"new" * 1000})
    python = python_of(environment)
    with IndexServer(wheel.parent) as server:
        server.faults[wheel.name] = [Fault("stall", 100)]
        runtime = step("vc", "vc-runtime", python=python, mode="package", version="14.44.1")
        assert cancelled_after(bench, plan_of(python, [runtime], index=server.index), lambda event: isinstance(event, StepProgress)) < 1.0
    assert tree_of(environment) == before


def test_while_what_an_earlier_try_fetched_is_checked(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A big file is hashed in parts, and the token is asked between them."""
    before = tree_of(environment)
    python = python_of(environment)
    plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["no_such_module"]), index=index.index)
    assert Bench(bench.places.state.parent).run(plan).outcome is Outcome.FAILED

    hashing = threading.Event()

    def slow(path: str, check: Callable[[], None]) -> str:
        hashing.set()
        for _ in range(200):
            time.sleep(0.05)
            check()
        raise AssertionError("nobody stopped it")

    monkeypatch.setattr("app.running.wheelhouse.file_sha256", slow)
    assert cancelled_after(bench, plan, is_begun("download"), 0.3) < 1.0
    assert hashing.is_set()
    assert tree_of(environment) == before


def test_while_all_is_brought_to_the_disk(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last moment before a change stays."""
    before = tree_of(environment)
    released = threading.Event()
    monkeypatch.setattr(LiveHost, "flush_files", lambda *_: released.wait(20))
    python = python_of(environment)
    plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)
    assert cancelled_after(bench, plan, lambda event: event.type == "step-finished" and event.step_id == "test", 0.3) < 1.0
    released.set()
    assert tree_of(environment) == before
