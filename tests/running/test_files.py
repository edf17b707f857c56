"""Steps that write files, run commands and clear caches, and how they are taken back."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.events import Outcome
from app.running import undo_run
from tests.running.conftest import Bench
from tests.running.worlds import plan_of, step, tree_of


def test_files_are_written_and_put_back(bench: Bench, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "there.txt").write_text("mine")
    before = tree_of(place)
    steps = [
        step("new", "write-launcher", path=str(place / "deep" / "run_fast.bat"), content="@echo 你好\r\n", encoding="gbk"),
        step("over", "write-file", path=str(place / "there.txt"), content="ours"),
        step("again", "write-file", path=str(place / "there.txt"), content="ours again"),
    ]
    finished = bench.run(plan_of(None, steps))
    assert finished.outcome is Outcome.DONE
    assert (place / "deep" / "run_fast.bat").read_bytes() == "@echo 你好\r\n".encode("gbk")
    assert (place / "there.txt").read_text() == "ours again"
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(place) == before


def test_a_character_that_the_encoding_lacks_is_one_problem(bench: Bench, tmp_path: Path) -> None:
    finished = bench.run(plan_of(None, [step("new", "write-file", path=str(tmp_path / "x.bat"), content="中", encoding="ascii")]))
    assert finished.problem
    assert finished.problem.code == "run.file-failed"
    assert not (tmp_path / "x.bat").exists()


def test_a_failed_command_takes_the_file_before_it_back(bench: Bench, tmp_path: Path) -> None:
    failing = replace(step("command", "command"), argv=(sys.executable, "-c", "import sys; print('why'); sys.exit(5)"))
    finished = bench.run(plan_of(None, [step("new", "write-file", path=str(tmp_path / "x.txt"), content="x"), failing]))
    assert finished.problem
    assert (finished.problem.code, finished.problem.params["code"], finished.put_back) == ("run.command-failed", 5, True)
    assert not (tmp_path / "x.txt").exists()


def test_caches_of_triton_and_inductor_go(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caches = [tmp_path / "triton-cache", tmp_path / "inductor-cache"]
    for cache in caches:
        (cache / "deep").mkdir(parents=True)
        (cache / "deep" / "kernel.cubin").write_text("x")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(caches[0]))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(caches[1]))
    assert bench.run(plan_of(None, [step("caches", "clear-caches", python="")])).outcome is Outcome.DONE
    assert not any(cache.exists() for cache in caches)
    assert not list(tmp_path.glob("*.old"))


def test_a_step_of_an_unknown_kind_or_without_its_argument(bench: Bench) -> None:
    assert bench.run(plan_of(None, [step("x", "dance")])).problem.code == "run.step-unknown"
    assert bench.run(plan_of(None, [step("x", "swap", python=True)])).problem.code == "run.step-argument"


def test_a_python_that_does_not_start(bench: Bench, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("no program")
    broken.chmod(0o755)
    finished = bench.run(plan_of(str(broken), [step("x", "resolve", python=str(broken), requirements=("alpha",), keeps=())]))
    assert finished.problem
    assert finished.problem.code == "run.python-does-not-start"
