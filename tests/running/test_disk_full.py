"""A disk that is full at any point: a small file system in memory, with more and less room."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.plan import Plan
from app.model.problem import Problem
from app.running import list_runs, put_back, run_plan
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import change_steps, make_environment, old_wheels, plan_of, python_of, tree_of


def may_mount() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if not may_mount():
        pytest.skip("mounting a small file system needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", str(disk)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("this system does not let root mount a file system")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, leave_bytes: int) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        file.write(b"x" * max(0, shutil.disk_usage(disk).free - leave_bytes))
    return ballast


@pytest.mark.parametrize("home_too", [False, True], ids=["environment-on-it", "everything-on-it"])
def test_wherever_the_disk_runs_full_the_environment_is_whole(small_disk: Path, tmp_path: Path, home_too: bool) -> None:
    make_wheel(tmp_path / "index", "big", "1.0", {f"big/part{n}.bin": os.urandom(100_000) for n in range(10)})
    environment = make_environment(small_disk / "env", old_wheels(tmp_path / "before"))
    python, before = python_of(environment), tree_of(environment)
    ended = []
    with IndexServer(tmp_path / "index") as index:
        for number, leave in enumerate((0, 4_096, 20_000, 60_000, 150_000, 500_000, 1_100_000, 1_500_000, 2_300_000, 5_000_000)):
            home = (small_disk if home_too else tmp_path) / f"home-{number}"
            ballast = fill(small_disk, leave)
            bench = Bench(home)
            here = places(str(home))
            plan = plan_of(python, change_steps(python, ["big==1.0"], ["keeper"]), index=index.index)
            outcome = run_or_refuse(bench, plan)
            ballast.unlink()
            for run in list_runs(here):
                if run.state in ("unfinished", "failed"):
                    assert put_back(run.id, bench.host, lambda _: None, Cancel(), places=here).outcome is Outcome.DONE
            ended.append(outcome)
            if outcome is Outcome.DONE:
                break
            assert tree_of(environment) == before, leave
            shutil.rmtree(home, ignore_errors=True)
    assert ended[-1] is Outcome.DONE, ended
    assert len(ended) > 3


def run_or_refuse(bench: Bench, plan: Plan) -> Outcome:
    """The outcome; a run that could not even begin its journal counts as failed."""
    try:
        return run_plan(plan, bench.host, bench.events.append, bench.cancel, places=bench.places).outcome
    except Problem as problem:
        if problem.cause != "disk-full":
            raise
        return Outcome.FAILED
