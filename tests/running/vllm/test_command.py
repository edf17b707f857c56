"""The command `vllm`: runs, answers, stops, starts at logon and goes again, with a real server and a Task Scheduler that keeps tasks."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.front import run
from app.cli.server import run_server
from app.cli.terminal import Terminal
from app.host.live import LiveHost
from app.host.places import Places, places
from app.host.secrets_store import keep_secret, read_secret
from app.model.cancel import Cancel
from app.model.problem import ExitCode
from app.running.vllm.logon import TASK
from app.running.vllm.serving import HEALTH, serve
from app.running.vllm.settings import SECRET, ServerSettings, dump_settings, load_settings, settings_file
from tests.running.vllm.conftest import free_port

SCHEDULER = """#!/bin/sh
case $1 in
/create) cp "$5" "$TASKS/$3" ;;
/delete) rm "$TASKS/$3" ;;
esac
"""


@pytest.fixture
def here(own_home: Path, python: str) -> Places:
    """A server that was set up, with a key."""
    made = places(str(own_home))
    settings_file(made).parent.mkdir(parents=True)
    settings_file(made).write_bytes(dump_settings(ServerSettings(python, "", "small-model", free_port(), "0.85")))
    keep_secret(SECRET, "the-key-of-the-test")
    return made


@pytest.fixture
def serving(here: Places) -> Iterator[threading.Thread]:
    codes: list[ExitCode] = []
    cancel = Cancel()
    thread = threading.Thread(target=lambda: codes.append(run_server(here, Terminal("en"), cancel)))
    thread.start()
    deadline = time.monotonic() + 30
    while run(["vllm", "status"]) and time.monotonic() < deadline:
        time.sleep(0.2)
    yield thread
    cancel.set()
    thread.join(30)
    assert codes == [ExitCode.DONE]


def test_it_answers_until_it_is_stopped_by_another_start(here: Places, serving: threading.Thread) -> None:
    assert run(["vllm", "status"]) == 0
    assert run(["vllm", "stop"]) == 0
    serving.join(10)
    assert not serving.is_alive()
    assert run(["vllm", "status"]) == 1
    assert run(["vllm", "stop"]) == 0, "nothing to stop is no failure"
    log = (here.logs / "vllm.log").read_text(encoding="utf-8")
    assert "the-key-of-the-test" not in log
    assert "key is ***" in log


def test_what_somebody_else_serves_is_not_stopped(here: Places) -> None:
    settings = load_settings(here)
    with serve(settings, "a-key", LiveHost(), lambda _: None) as server:
        server.wait_until_ready(settings.port, HEALTH, Cancel(), 30)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("app.cli.server.STOP_S", 1.0)
            assert run(["vllm", "stop"]) == 1
        assert run(["vllm", "status"]) == 0


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script; Windows' own is asked in tests/windows")
def test_logon_task_and_removal(here: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs, tasks = tmp_path / "programs", tmp_path / "tasks"
    programs.mkdir()
    tasks.mkdir()
    (programs / "schtasks.exe").write_text(SCHEDULER, encoding="utf-8")
    (programs / "schtasks.exe").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TASKS", str(tasks))
    assert run(["vllm", "logon-on"]) == 0
    assert "<LogonTrigger>" in (tasks / TASK).read_text(encoding="utf-16")
    assert run(["vllm", "logon-off"]) == 0
    assert not (tasks / TASK).exists()
    assert run(["vllm", "logon-on"]) == 0
    assert run(["vllm", "remove"]) == 0
    assert list(tasks.iterdir()) == []
    assert read_secret(SECRET) is None
    assert run(["vllm", "status"]) == 3, "nothing is set up any more"
