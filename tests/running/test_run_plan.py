"""A whole run on a real environment: kept, refused, cancelled, undone."""

import json
import subprocess
import threading
import time
from pathlib import Path

import pytest

from app.host.dry_run import DryRunHost
from app.model.completion import RECORD_NAME
from app.model.events import LogLine, Outcome, StepFinished, StepProgress
from app.model.problem import ExitCode, Problem
from app.running import list_runs, run_plan, undo_run
from app.texts import has, words
from tests.running.conftest import Bench
from tests.running.index_server import Fault, IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import change_steps, make_environment, packages_of, plan_of, python_of, step, tree_of


def test_a_change_is_kept_and_undone_to_the_byte(bench: Bench, environment: Path, index: IndexServer) -> None:
    before = tree_of(environment)
    python = python_of(environment)
    steps = change_steps(python, ["alpha==2.0", "single==2.0"], ["alpha", "single", "beta", "keeper"], removes=("gamma",))
    finished = bench.run(plan_of(python, steps, index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)

    site = packages_of(environment)
    assert (site / "alpha" / "new.py").read_bytes() == b"x = 2\n"
    assert not (site / "alpha" / "old.py").exists()
    assert not (site / "gamma").exists()
    assert (site / "shared" / "keeper_part.py").read_bytes() == b"k = 1\n"
    assert (environment / "share" / "beta" / "table.txt").read_bytes() == b"table"
    record = json.loads((site.parent / RECORD_NAME).read_text())
    assert record["packages"] == {"alpha": "2.0", "beta": "1.0", "single": "2.0"}
    (run,) = list_runs(bench.places)
    assert (run.id, run.state, run.python) == (finished.run_id, "committed", python)
    assert "alpha 2.0" in (bench.places.logs / f"{run.id}.log").read_text()
    check = subprocess.run([python, "-c", "import alpha, single; print(alpha.__version__, single.__version__)"], capture_output=True, text=True, check=True)
    assert check.stdout.split() == ["2.0", "2.0"]

    undone = undo_run(run.id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert (undone.outcome, undone.put_back) == (Outcome.DONE, True)
    assert tree_of(environment) == before
    assert list_runs(bench.places)[0].state == "put-back"


def test_undo_leaves_what_came_later(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    before = tree_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    mine = packages_of(environment) / "alpha" / "notes.txt"
    mine.write_text("written by the person")
    subprocess.run([python, "-c", "import alpha.new"], check=True)
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    after = tree_of(environment)
    kept = after.pop(mine.relative_to(environment).as_posix())
    assert kept
    assert after == before


def test_a_failed_smoke_test_puts_everything_back(bench: Bench, environment: Path, index: IndexServer) -> None:
    before = tree_of(environment)
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha", "alpha.old"]), index=index.index))
    assert (finished.outcome, finished.put_back) == (Outcome.FAILED, True)
    assert finished.problem
    assert finished.problem.code == "run.smoke-failed"
    assert finished.problem.params["module"] == "alpha.old"
    assert tree_of(environment) == before


def test_a_module_that_ends_python_is_named(bench: Bench, environment: Path, index: IndexServer) -> None:
    before = tree_of(environment)
    make_wheel(index.folder, "deadly", "1.0", {"deadly.py": b"import os; os._exit(7)\n"})
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["deadly==1.0"], ["keeper", "deadly"]), index=index.index))
    assert finished.problem
    assert (finished.problem.code, finished.problem.params) == ("run.smoke-died", {"module": "deadly", "code": 7})
    assert tree_of(environment) == before


def test_new_environment_is_made_and_removed_again(bench: Bench, tmp_path: Path, index: IndexServer) -> None:
    import sys

    folder = tmp_path / "deep" / "er" / "中文 环境"
    python = python_of(folder)
    steps = [step("env", "create-environment", folder=str(folder), python=sys.executable, version="3.11"), *change_steps(python, ["alpha==2.0"], ["alpha"])]
    finished = bench.run(plan_of(python, steps, index=index.index))
    assert finished.outcome is Outcome.DONE
    assert not (folder / ".triton-setup").exists()
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("occupied", ["file", "folder"])
def test_an_occupied_folder_is_refused(bench: Bench, tmp_path: Path, occupied: str) -> None:
    folder = tmp_path / "place"
    if occupied == "file":
        folder.write_text("mine")
    else:
        folder.mkdir()
        (folder / "mine.txt").write_text("mine")
    before = tree_of(tmp_path)
    finished = bench.run(plan_of(python_of(folder), [step("env", "create-environment", folder=str(folder), python="", version="3.11")]))
    assert finished.problem
    assert finished.problem.code == {"file": "run.folder-is-file", "folder": "run.folder-not-empty"}[occupied]
    assert {key: value for key, value in tree_of(tmp_path).items() if not key.startswith("home")} == before


class TestKeeps:
    def test_what_wants_a_kept_package_changed_is_named(self, bench: Bench, environment: Path, index: IndexServer) -> None:
        make_wheel(index.folder, "keeper", "2.0")
        make_wheel(index.folder, "greedy", "1.0", requires=["keeper>=2"])
        before = tree_of(environment)
        python = python_of(environment)
        finished = bench.run(plan_of(python, change_steps(python, ["greedy==1.0"], ["greedy"], keeps=("keeper==1.0",)), index=index.index))
        assert finished.problem
        assert finished.problem.code == "run.keep-wanted-changed"
        assert "greedy 1.0 (keeper>=2)" in str(finished.problem.params["by"])
        assert finished.problem.params["wanted"] == "keeper==2.0"
        assert tree_of(environment) == before

    def test_a_kept_package_that_changed_meanwhile_stops_the_swap(self, bench: Bench, environment: Path, index: IndexServer) -> None:
        python = python_of(environment)
        steps = change_steps(python, ["alpha==2.0"], ["alpha"], keeps=("keeper==1.0",))
        newer = make_wheel(index.folder / "else", "keeper", "1.5")
        meanwhile = step("meanwhile", "command")
        from dataclasses import replace

        from app.running.tools import find_uv

        command = (find_uv() or "", "--no-config", "pip", "install", "--offline", "--no-index", "--python", python, str(newer))
        steps.insert(3, replace(meanwhile, argv=command))
        finished = bench.run(plan_of(python, steps, index=index.index))
        assert finished.problem
        assert (finished.problem.code, finished.problem.params["found"]) == ("run.keep-is-another", "1.5")
        assert (packages_of(environment) / "alpha" / "old.py").exists()

    def test_removing_a_kept_package_is_refused(self, bench: Bench, environment: Path, index: IndexServer) -> None:
        before = tree_of(environment)
        python = python_of(environment)
        finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"], removes=("keeper",), keeps=("keeper==1.0",)), index=index.index))
        assert finished.problem
        assert finished.problem.code == "run.keep-would-go"
        assert tree_of(environment) == before


def test_a_removed_package_that_shares_files_makes_the_other_come_again(bench: Bench, tmp_path: Path, index: IndexServer) -> None:
    files = {"engine/__init__.py": b"__version__ = 'w'\n", "engine/win.py": b"w = 1\n"}
    windows = make_wheel(index.folder, "engine-windows", "3.0", files)
    plain = make_wheel(tmp_path / "old", "engine", "2.0", {"engine/__init__.py": b"__version__ = 'l'\n"})
    environment = make_environment(tmp_path / "env", [windows, plain])
    before = tree_of(environment)
    python = python_of(environment)
    steps = change_steps(python, ["engine-windows==3.0"], ["engine.win"])
    steps.insert(3, step("remove", "swap", python=python, removes=("engine",), packages=(), requirements=()))
    finished = bench.run(plan_of(python, steps, index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "engine" / "__init__.py").read_bytes() == files["engine/__init__.py"]
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


class TestCancel:
    @pytest.mark.parametrize("at", ["check", "resolve", "download", "swap", "test"])
    def test_cancel_in_every_step_leaves_it_as_it_was(self, bench: Bench, environment: Path, index: IndexServer, at: str) -> None:
        before = tree_of(environment)
        python = python_of(environment)
        index.faults["alpha-2.0-py3-none-any.whl"] = [Fault("stall", 100)] * 5 if at == "download" else []
        moment: list[float] = []

        def emit(event: object) -> None:
            bench.events.append(event)
            if getattr(event, "step_id", None) == at and not moment:
                threading.Timer(0.15 if at == "download" else 0.0, lambda: (moment.append(time.monotonic()), bench.cancel.set())).start()
                time.sleep(0.05)

        modules = ["alpha"]
        if at == "test":
            make_wheel(index.folder, "sleepy", "1.0", {"sleepy.py": b"import time; time.sleep(60)\n"})
            modules = ["sleepy"]
        wanted = ["sleepy==1.0"] if at == "test" else ["alpha==2.0"]
        plan = plan_of(python, change_steps(python, wanted, modules), index=index.index)
        finished = run_plan(plan, bench.host, emit, bench.cancel, places=bench.places)
        assert time.monotonic() - moment[0] < 1.0
        assert (finished.outcome, finished.put_back) == (Outcome.CANCELLED, True)
        assert tree_of(environment) == before

    def test_what_was_fetched_before_a_cancel_is_not_fetched_again(self, bench: Bench, environment: Path, index: IndexServer) -> None:
        big = make_wheel(index.folder, "big", "1.0", {"big.py": __import__("random").Random(1).randbytes(400_000)})
        index.faults[big.name] = [Fault("stall", 200_000)]
        python = python_of(environment)
        plan = plan_of(python, change_steps(python, ["big==1.0"], []), index=index.index)

        def cancel_once_it_stalls(event: object) -> None:
            if isinstance(event, StepProgress) and event.done_bytes == 200_000:
                bench.cancel.set()

        stopped = run_plan(plan, bench.host, cancel_once_it_stalls, bench.cancel, places=bench.places)
        assert stopped.outcome is Outcome.CANCELLED
        again = Bench(bench.places.state.parent)
        index.requests.clear()
        assert again.run(plan).outcome is Outcome.DONE
        assert [asked for path, asked in index.requests if path.endswith(big.name)] == ["bytes=200000-"]


def test_two_runs_at_once_the_second_is_refused(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    index.faults["alpha-2.0-py3-none-any.whl"] = [Fault("stall", 10)]
    plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)
    first = threading.Thread(target=bench.run, args=(plan,))
    first.start()
    while not bench.of(StepProgress):
        time.sleep(0.02)
    with pytest.raises(Problem) as refused:
        Bench(bench.places.state.parent).run(plan)
    assert (refused.value.text.code, refused.value.exit_code) == ("run.another-run", ExitCode.BLOCKED)
    bench.cancel.set()
    first.join()


def test_a_running_program_is_named_before_anything_is_touched(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    script = environment.parent / "comfy_main.py"
    script.write_text("import time; print('up', flush=True); time.sleep(60)")
    before = tree_of(environment)
    with subprocess.Popen([python, str(script)], stdout=subprocess.PIPE) as program:
        assert program.stdout
        program.stdout.readline()
        finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
        program.kill()
    assert finished.problem
    assert finished.problem.code == "run.environment-in-use"
    assert "comfy_main.py" in str(finished.problem.params["programs"])
    assert str(program.pid) in str(finished.problem.params["programs"])
    assert tree_of(environment) == before
    assert bench.of(StepFinished)[0].exit_code == ExitCode.BLOCKED


def test_a_later_run_on_the_same_environment_is_undone_first(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    before = tree_of(environment)
    first = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    second = bench.run(plan_of(python, change_steps(python, ["single==2.0"], ["single"]), index=index.index))
    with pytest.raises(Problem) as refused:
        undo_run(first.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert refused.value.text.params["later"] == second.run_id
    for run in (second, first):
        assert undo_run(run.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places).outcome is Outcome.DONE
    assert tree_of(environment) == before
    with pytest.raises(Problem):
        undo_run(first.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)


def test_nothing_to_install_changes_nothing_but_the_record(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    make_wheel(index.folder, "keeper", "1.0", {"keeper/__init__.py": b"k = 1\n", "shared/keeper_part.py": b"k = 1\n"})
    before = tree_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["keeper==1.0"], ["keeper"]), index=index.index))
    assert finished.outcome is Outcome.DONE
    after = tree_of(environment)
    assert {key for key in after if after[key] != before.get(key)} == {(packages_of(environment).parent / RECORD_NAME).relative_to(environment).as_posix()}


def test_progress_tells_bytes_speed_and_items(bench: Bench, environment: Path, index: IndexServer) -> None:
    big = make_wheel(index.folder, "big", "1.0", {"big.bin": __import__("random").Random(1).randbytes(2_000_000)})
    index.faults[big.name] = [Fault("slow", 2_000_000)]
    python = python_of(environment)
    bench.run(plan_of(python, change_steps(python, ["big==1.0"], []), index=index.index))
    told = [event for event in bench.of(StepProgress) if event.step_id == "download"]
    assert [event.fraction for event in told if event.fraction is not None] == sorted(event.fraction for event in told if event.fraction is not None)
    assert told[-1].fraction == 1.0
    middle = [event for event in told if event.bytes_per_second and event.seconds_left]
    assert middle
    assert middle[-1].item == big.name
    assert 500_000 < middle[-1].bytes_per_second < 4_000_000
    assert told[-1].done_bytes == told[-1].total_bytes == big.stat().st_size


def test_dry_run_rehearses_and_can_fail(bench: Bench, environment: Path) -> None:
    before = tree_of(environment)
    plan = plan_of(python_of(environment), change_steps(python_of(environment), ["alpha==2.0"], ["alpha"]))
    finished = run_plan(plan, DryRunHost(bench.host), bench.events.append, bench.cancel, places=bench.places)
    assert finished.outcome is Outcome.DONE
    failed = run_plan(plan, DryRunHost(bench.host, "swap"), bench.events.append, bench.cancel, places=bench.places)
    assert (failed.outcome, failed.problem and failed.problem.params["step"]) == (Outcome.FAILED, "swap")
    with pytest.raises(Problem) as refused:
        run_plan(plan, DryRunHost(bench.host, "no-such"), bench.events.append, bench.cancel, places=bench.places)
    assert refused.value.exit_code is ExitCode.BAD_INPUT
    assert tree_of(environment) == before
    assert list_runs(bench.places) == ()


def test_every_text_of_a_run_has_words(bench: Bench) -> None:
    import re

    codes = {code for path in Path("app/running").rglob("*.py") for code in re.findall(r'"(run\.[a-z-]+)"', path.read_text(encoding="utf-8"))}
    codes |= {code for path in Path("app/host").rglob("*.py") for code in re.findall(r'"(run\.[a-z-]+)"', path.read_text(encoding="utf-8"))}
    assert len(codes) > 30
    assert not [code for code in sorted(codes) if not has(code)]


def test_log_lines_are_also_in_the_file(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    log = (bench.places.logs / f"{finished.run_id}.log").read_text(encoding="utf-8")
    lines = bench.of(LogLine)
    assert lines
    assert all(line.line in log for line in lines)
    assert finished.problem is None or words(finished.problem)
