"""The script of a plan, run for real by sh: it does what the run does, and ends with the same codes."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.plan import Plan, RouteKind, RouteStatus, RouteVerdict, Step, Verdict
from app.planning import plan_script
from app.running.tools import find_uv
from tests.running.worlds import TITLE, new_wheels, plan_of, python_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sh")
NASTY = """#!/bin/sh
echo "$HOME" `id` 'single' \\\\ %PATH% & | <> ^ ! é
"""


def script_plan(folder: Path) -> tuple[Plan, Path]:
    """A new environment, two packages of a folder of wheels, a start file, a test. What must stay is beta."""
    new_wheels(folder / "wheels")
    uv, environment = find_uv(), folder / "my env"
    assert uv
    python, launcher = python_of(environment), folder / "a folder" / "start it.sh"
    install = (uv, "--no-config", "pip", "install", "--offline", "--no-index", "--find-links", str(folder / "wheels"), "--python", python)
    swap = Step("swap", "swap", TITLE, (*install, "beta==1.0", "&&", *install, "alpha==2.0"), arguments={"python": python, "keeps": ("beta==1.0",)})
    write = Step("launcher", "write-launcher", TITLE, arguments={"path": str(launcher), "content": NASTY})
    test = Step("test", "smoke-test", TITLE, (python, "-s", "-c", "import alpha; assert alpha.__version__ == '2.0'"))
    create = Step("environment", "create-environment", TITLE, (uv, "--no-config", "venv", "--python", os.sys.executable, str(environment)))
    check = Step("check", "check-free", TITLE, arguments={"python": python})
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    return replace(plan_of(None, (create, check, swap, write, test)), routes=routes, verdict=Verdict.READY), launcher


def run(plan: Plan, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "plan.sh"
    script.write_text(plan_script(plan, ".sh"), encoding="utf-8")
    return subprocess.run(["sh", str(script)], capture_output=True, text=True, timeout=120, check=False)


def test_it_does_the_same_and_ends_well(tmp_path: Path) -> None:
    plan, launcher = script_plan(tmp_path)
    done = run(plan, tmp_path)
    assert done.returncode == 0, done.stderr
    assert launcher.read_text(encoding="utf-8") == NASTY
    assert done.stdout.count("== ") == 5


@pytest.mark.parametrize(("broken", "code", "reached"), [("swap", 1, 3), ("check", 3, 2), ("test", 1, 5), ("keeps", 1, 3)])
def test_it_stops_where_the_run_would(tmp_path: Path, broken: str, code: int, reached: int) -> None:
    plan, launcher = script_plan(tmp_path)
    changed = {
        "swap": lambda step: replace(step, argv=(*step.argv, "not-there==9.9")),
        "check": lambda step: replace(step, arguments={"python": "/nowhere/python"}),
        "test": lambda step: replace(step, argv=("false",)),
        "keeps": lambda step: replace(step, arguments={**step.arguments, "keeps": ("beta==0.9",)}),
    }
    name = "swap" if broken == "keeps" else broken
    done = run(replace(plan, steps=tuple(changed[broken](step) if step.id == name else step for step in plan.steps)), tmp_path)
    assert (done.returncode, done.stdout.count("== ")) == (code, reached), done.stderr
    assert launcher.exists() is (reached > 4)


def test_it_stops_where_a_program_uses_the_environment(tmp_path: Path) -> None:
    plan, launcher = script_plan(tmp_path)
    assert run(replace(plan, steps=plan.steps[:1]), tmp_path).returncode == 0
    with subprocess.Popen([python_of(tmp_path / "my env"), "-c", "input()"], stdin=subprocess.PIPE) as program:
        done = run(replace(plan, steps=plan.steps[1:]), tmp_path)
        program.communicate(b"\n")
    assert done.returncode == 3
    assert not launcher.exists()


def test_a_plan_that_is_not_ready_changes_nothing(tmp_path: Path) -> None:
    plan, _ = script_plan(tmp_path)
    assert run(replace(plan, verdict=Verdict.NEEDS_ACTION), tmp_path).returncode == 3
    assert not (tmp_path / "my env").exists()
