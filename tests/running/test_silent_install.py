"""Silent installs, as an administrator's script starts them: the program itself, an answer file, JSON lines out, an exit code.

The packages are stand-ins under the names and versions that the plan asks for, so that nothing is downloaded.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.model.plan import Choice, Goal
from app.report.answers import save_answers
from tests.running.made_wheels import make_wheel

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stops the program by a POSIX signal")


class Silent:
    """A home, an answer file that asks for a new environment, a wheelhouse with what its plan wants."""

    def __init__(self, folder: Path, packages: Mapping[str, str] | None = None) -> None:
        self.home, self.environment, self.wheelhouse = folder / "home", folder / "大 env", folder / "wheels"
        self.answers = save_answers(Choice(goals=(Goal.TRITON,), new_env=str(self.environment)), None, folder / "answers.json")
        self.wheelhouse.mkdir()
        self.code = 0
        self.packages: Mapping[str, str] = packages or self.run("plan", "--json")[1][0]["packages"]
        for name, version in self.packages.items():
            make_wheel(self.wheelhouse, name, version)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        command, *rest = arguments
        inputs = ("--answers", str(self.answers), "--wheelhouse", str(self.wheelhouse)) if command in ("plan", "install") and "--resume" not in rest else ()
        return subprocess.Popen(
            [sys.executable, "-m", "app", command, *inputs, *rest],
            env={**os.environ, "TRITON_SETUP_HOME": str(self.home), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
        )

    def meet_test(self, number: signal.Signals) -> list[dict]:
        """Installs and sends the signal during the test of what was installed; what was told afterwards. `code` is the exit code."""
        with self.start("install", "--yes", "--json") as process:
            assert process.stdout
            next(line for line in process.stdout if (event := json.loads(line))["type"] == "step-started" and event["step_id"] == "test")
            began = time.monotonic()
            process.send_signal(number)
            told = [json.loads(line) for line in process.stdout]
            self.code = process.wait(30)
            assert time.monotonic() - began < 5
        return told

    def run(self, *arguments: str) -> tuple[int, list[dict], str]:
        """Exit code, the JSON documents on standard output, standard error."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        documents = [json.loads(out)] if arguments[0] == "plan" else [json.loads(line) for line in out.splitlines()]
        return process.returncode, documents, err


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What the plan of this machine wants."""
    return Silent(tmp_path_factory.mktemp("planned")).packages


@pytest.fixture
def silent(tmp_path: Path, packages: Mapping[str, str]) -> Silent:
    return Silent(tmp_path, packages)


def test_a_script_installs_and_undoes(silent: Silent) -> None:
    code, events, err = silent.run("install", "--yes", "--json")
    assert code == 0, err
    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["plan", "run-started"]
    assert kinds[-1] == "run-finished"
    assert events[-1]["outcome"] == "done"
    steps = events[1]["steps"]
    assert [event["step_id"] for event in events if event["type"] == "step-finished"] == steps
    assert {event["outcome"] for event in events if event["type"] == "step-finished"} == {"done"}
    assert any(event["type"] == "step-progress" and event["done_bytes"] == event["total_bytes"] > 0 for event in events)
    assert list(silent.environment.glob("lib/python3*/site-packages/triton-*.dist-info"))

    code, events, err = silent.run("undo", "--yes", "--json")
    assert code == 0, err
    assert events[-1]["put_back"] is True
    assert not silent.environment.exists()


def test_what_fails_is_told_by_code_1_and_leaves_nothing(silent: Silent) -> None:
    (broken,) = silent.wheelhouse.glob("triton-*.whl")
    name, version = broken.name.split("-")[:2]
    make_wheel(silent.wheelhouse, name, version, {"triton/__init__.py": b"raise ImportError('no such DLL')\n"})
    code, events, _ = silent.run("install", "--yes", "--json")
    assert code == 1
    assert (events[-1]["outcome"], events[-1]["put_back"]) == ("failed", True)
    assert "triton" in events[-1]["problem"]
    assert not silent.environment.exists()


def test_without_consent_or_a_right_answer_file_nothing_starts(silent: Silent) -> None:
    code, events, _ = silent.run("install", "--json")
    assert code == 3
    assert [event["type"] for event in events] == ["plan"]
    silent.answers.write_text("{}")
    code, events, err = silent.run("install", "--yes", "--json")
    assert (code, events) == (2, [])
    assert "answers.json" in err
    assert not silent.environment.exists()


def test_a_stopped_script_leaves_nothing_and_a_killed_one_is_gone_on_with(silent: Silent) -> None:
    # Both are met while the test of the new packages waits.
    waiting = silent.home.with_name("waiting")
    waiting.touch()
    code = f"import os, time\nwhile os.path.exists({str(waiting)!r}): time.sleep(0.1)\n".encode()
    make_wheel(silent.wheelhouse, "triton", silent.packages["triton"], {"triton/__init__.py": code})

    events = silent.meet_test(signal.SIGTERM)
    assert (events[-1]["outcome"], events[-1]["put_back"], silent.code) == ("cancelled", True, 4)
    assert not silent.environment.exists()

    silent.meet_test(signal.SIGKILL)
    assert silent.code == -signal.SIGKILL
    code, events, _ = silent.run("install", "--yes", "--json")
    assert (code, events[-1]["type"]) == (3, "plan"), "an unfinished run is neither ignored nor taken up unasked"
    waiting.unlink()
    code, events, err = silent.run("install", "--resume", "--json")
    assert (code, events[-1]["outcome"]) == (0, "done"), err
    assert list(silent.environment.glob("lib/python3*/site-packages/triton-*.dist-info"))
