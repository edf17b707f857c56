"""The whole line on this very machine, as a stranger starts it: no display, nobody to ask."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.report import load_report

pytestmark = [pytest.mark.line, pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(1200)]


def start(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | {"TRITON_SETUP_HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=Path(__file__).parents[2],
    )


def run(home: Path, *arguments: str) -> tuple[int, str, str]:
    process = start(home, *arguments)
    out, err = process.communicate(timeout=1000)
    return process.returncode, out, err


def test_the_line_is_walked_proved_reported_recognised_and_undone(home: Path) -> None:
    code, out, err = run(home)
    assert code == 0, out[-4000:] + err
    (environment,) = (home / "data" / "environments").iterdir()
    assert "New private environment" in out
    assert "Results are right" in out
    assert "Report: " in out
    assert "To undo all of it: " in out

    (report,) = (home / "data" / "reports").iterdir()
    loaded = load_report(report)
    assert loaded.report.proof is not None
    assert {check.code: check.outcome for check in loaded.report.proof.checks}["add-odd"] == "passed"
    assert loaded.report.plan is not None
    assert any(event.type == "run-finished" for event in loaded.report.events)

    # Here and from the report, the same facts and choice lead to the same answer: nothing is left to do.
    for machine in ((), ("--machine", str(report))):
        code, out, err = run(home, "plan", "--json", *machine)
        assert code == 0, err
        if not machine:
            plan = json.loads(out)
            assert plan["steps"] == []
            assert plan["python"]["executable"].startswith(str(environment))

    # As a script would: the interpreter says of itself that it proves no card.
    code, out, err = run(home, "prove", "--level", "import", "--json")
    assert code == 0, err
    proof = json.loads(out)
    assert proof["backend"] == "interpreter"

    # Made in a start of its own, the report still tells of the run and of the proof that followed.
    code, out, err = run(home, "report", "-o", str(home / "later.zip"))
    assert code == 0, err
    later = load_report(home / "later.zip").report
    assert later.proof is not None
    assert any(event.type == "run-finished" for event in later.events)

    code, out, err = run(home, "undo", "--yes", "--json")
    assert code == 0, err
    assert [json.loads(line) for line in out.splitlines() if line][-1]["put_back"] is True
    assert not environment.exists()


@pytest.mark.parametrize("seconds", [1.0, 6.0])
def test_ctrl_c_leaves_nothing_half_made(tmp_path: Path, seconds: float) -> None:
    process = start(tmp_path, "install")
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, out + err
    assert time.monotonic() - began < 20
    environments = tmp_path / "data" / "environments"
    assert not environments.exists() or not any(environments.iterdir())
