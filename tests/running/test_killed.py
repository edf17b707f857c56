"""The runner is killed at every boundary of the journal and at random moments: the environment is the old one or the new one."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.running import list_runs, put_back, run_plan, undo_run
from tests.running.index_server import IndexServer
from tests.running.kill_drive import DIED
from tests.running.worlds import make_environment, new_wheels, old_wheels, packages_of, tree_of

ROOT = Path(__file__).resolve().parents[2]
MOMENTS = 200

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills with POSIX signals and forks")


def remove(folder: Path) -> None:
    """Removes a folder for good: a child of a killed run may go on writing into it for a moment."""
    for _ in range(200):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)
    raise TimeoutError(f"something keeps writing into {folder}")


class Killing:
    """An environment and our own folders, laid anew for every try at the same place; a process that is told what to run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment, self.home = folder / "env", folder / "home"
        make_environment(self.environment, old_wheels(folder / "before"))
        new_wheels(folder / "index")
        self.before = tree_of(self.environment)
        self.home.mkdir(parents=True)
        self.server = IndexServer(folder / "index")
        self.server.__enter__()
        self.driver = subprocess.Popen(
            [sys.executable, "-m", "tests.running.kill_drive"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.keep("start")
        self.run()
        # What was fetched once is there, so that the kills fall on what changes the environment.
        cache = folder / "cache"
        shutil.copytree(self.home / "cache", cache)
        self.lay("start")
        shutil.copytree(cache, self.home / "cache", dirs_exist_ok=True)
        self.keep("start")

    def close(self) -> None:
        assert self.driver.stdin
        assert self.driver.stdout
        self.driver.stdin.close()
        self.driver.wait(10)
        self.driver.stdout.close()
        self.server.__exit__()

    def keep(self, name: str) -> None:
        """Keeps the present state of all folders under a name."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        for part in ("env", "home"):
            shutil.copytree(self.folder / part, self.folder / name / part, symlinks=True)

    def lay(self, name: str) -> None:
        """Makes all folders what they were when they were kept."""
        for part in ("env", "home"):
            remove(self.folder / part)
            shutil.copytree(self.folder / name / part, self.folder / part, symlinks=True)

    def run(self, *, kill_after_s: float | None = None, **command: str) -> int:
        """The exit code of one run in a child; -9 where it was killed."""
        assert self.driver.stdin
        assert self.driver.stdout
        command |= {"home": str(self.home), "environment": str(self.environment), "index": self.server.index}
        self.driver.stdin.write(json.dumps(command) + "\n")
        self.driver.stdin.flush()
        pid = json.loads(self.driver.stdout.readline())["pid"]
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return int(json.loads(self.driver.stdout.readline())["code"])

    def runs(self) -> list:
        return list(list_runs(places(str(self.home))))

    def judge(self, *, go_on: bool = False) -> str:
        """What the next start makes of it: asserts that nothing is broken, and returns the state that was found."""
        here, host, cancel = places(str(self.home)), LiveHost(), Cancel()
        runs = self.runs()
        if not runs:
            assert tree_of(self.environment) == self.before
            return "nothing"
        (run,) = runs
        state: str = run.state
        if state == "unfinished" and go_on:
            finished = run_plan(None, host, lambda _: None, cancel, places=here, resume=run.id)
            assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
            self.assert_new()
            state = "gone on"
        elif state == "committed":
            self.assert_new()
        if state in ("gone on", "committed"):
            finished = undo_run(run.id, host, lambda _: None, cancel, places=here)
        else:
            finished = put_back(run.id, host, lambda _: None, cancel, places=here)
        assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
        assert tree_of(self.environment) == self.before, state
        return state

    def assert_new(self) -> None:
        site = packages_of(self.environment)
        assert (site / "alpha" / "__init__.py").read_text() == "__version__ = '2.0'\n"
        assert (site / "single.py").read_text() == "__version__ = '2.0'\n"
        assert (site / "shared" / "alpha_part.py").read_text() == "v = 2\n"
        assert (site / "shared" / "keeper_part.py").read_text() == "k = 1\n"
        assert (self.environment / "share" / "beta" / "table.txt").read_text() == "table"
        assert not list(site.glob("gamma*"))
        assert not list(site.glob("alpha-1*"))


@pytest.fixture(scope="module")
def killing(quick_folder: Path) -> Iterator[Killing]:
    killing = Killing(quick_folder / "killing")
    yield killing
    killing.close()


@pytest.fixture(scope="module")
def before_swap(killing: Killing) -> str:
    """The name of the state just before the first rename, and the run's id; most kills fall behind it."""
    killing.lay("start")
    assert killing.run(when="rename:1") == DIED
    killing.keep("swap")
    return str(killing.runs()[0].id)


def test_killed_at_every_line_of_the_journal(killing: Killing) -> None:
    states = Counter[str]()
    for number in range(1, 40):
        killing.lay("start")
        kind = ("before", "after", "torn")[number % 3]
        code = killing.run(when=f"{kind}:{number}")
        if code == 0:
            break
        assert code == DIED
        states[killing.judge(go_on=number % 2 == 0)] += 1
    assert code == 0, "more lines than this test expects"
    assert sum(states.values()) > 15
    assert states["gone on"] > 3
    assert states["unfinished"] > 3


def test_killed_before_every_rename(killing: Killing, before_swap: str) -> None:
    states = Counter[str]()
    for number in range(1, 60):
        killing.lay("swap")
        code = killing.run(resume=before_swap, when=f"rename:{number}")
        if code == 0:
            break
        assert code == DIED
        states[killing.judge(go_on=number % 2 == 0)] += 1
    assert code == 0, "more renames than this test expects"
    assert states["gone on"] >= 5
    assert states["unfinished"] >= 5


def test_killed_while_what_was_unpacked_is_gathered(killing: Killing) -> None:
    states = Counter[str]()
    for number in range(1, 40):
        killing.lay("start")
        code = killing.run(when=f"inside:{number}")
        if code == 0:
            break
        assert code == DIED
        states[killing.judge(go_on=number % 2 == 1)] += 1
    assert code == 0, "more renames than this test expects"
    assert states["gone on"] >= 2


@pytest.mark.parametrize("moment", ["rename:3", "rename:12", "after:12"])
def test_a_power_cut_forgets_which_steps_were_over(killing: Killing, before_swap: str, moment: str) -> None:
    """Those lines are not flushed; the acts are."""
    killing.lay("swap")
    assert killing.run(resume=before_swap, when=moment) in (DIED, 0)
    (journal,) = killing.home.rglob("journal.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(line for line in lines if json.loads(line)["entry"] != "step"))
    assert killing.judge(go_on=True) in ("gone on", "committed")


def test_killed_while_it_puts_back(killing: Killing, before_swap: str) -> None:
    """Putting back is itself interrupted after every rename it makes, and taken up again."""
    from app.host import file_changes

    class Enough(BaseException):
        pass

    for stop_swap_at in (6, 15):
        killing.lay("swap")
        assert killing.run(resume=before_swap, when=f"rename:{stop_swap_at}") == DIED
        killing.keep("half")
        for number in range(1, 60):
            killing.lay("half")
            left = [number]

            def rename(source: str, target: str, left: list[int] = left) -> None:
                left[0] -= 1
                if left[0] < 0:
                    raise Enough
                file_changes.rename(source, target)

            host = LiveHost()
            host.rename = rename
            try:
                put_back(before_swap, host, lambda _: None, Cancel(), places=places(str(killing.home)))
            except Enough:
                assert killing.judge() == "unfinished"
            else:
                break
        assert number > 3
        assert tree_of(killing.environment) == killing.before


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_random_moments(killing: Killing, before_swap: str) -> None:
    """SIGKILL at moments spread over the whole run, four of five over the part that exchanges files, tests and commits."""
    chance = random.Random(20261130)
    states = Counter[str]()
    began = time.monotonic()
    killing.lay("start")
    assert killing.run() == 0
    whole_s = time.monotonic() - began
    began = time.monotonic()
    killing.lay("swap")
    assert killing.run(resume=before_swap) == 0
    end_s = time.monotonic() - began
    for number in range(MOMENTS):
        if number % 5 == 0:
            killing.lay("start")
            killing.run(kill_after_s=whole_s * chance.random())
        else:
            killing.lay("swap")
            killing.run(resume=before_swap, kill_after_s=end_s * chance.random())
        states[killing.judge()] += 1
    assert sum(states.values()) == MOMENTS
    assert states["unfinished"] > MOMENTS // 4, states
