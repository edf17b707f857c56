"""What may hurt an install later is named at its end; nothing is named where nothing does. Real Pythons, real settings."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.model.events import Outcome
from app.model.text import Text
from app.texts import has, words
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.test_prefixes import make_prefix
from tests.running.worlds import change_steps, make_environment, old_wheels, plan_of, python_of

CLEAN = ("CC", "CUDA_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "PYTHONPATH", "PYTHONHOME", "TRITON_CACHE_DIR")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CLEAN:
        monkeypatch.delenv(name, raising=False)


def notes(bench: Bench, python: str, index: IndexServer) -> dict[str, Mapping[str, object]]:
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha.new", "beta"]), index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    for note in finished.notes:
        assert has(note.code)
        assert words(note, "en") != words(note, "zh_CN")
    return {note.code.removeprefix("run.hurts-"): note.params for note in finished.notes}


def test_nothing_hurts(bench: Bench, environment: Path, index: IndexServer) -> None:
    assert notes(bench, python_of(environment), index) == {}


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("TRITON_INTERPRET", "1", "interpreter"),
        ("TRITON_ALWAYS_COMPILE", "true", "compiles-again"),
        ("TORCH_COMPILE_DISABLE", "1", "no-compile"),
        ("CUDA_LAUNCH_BLOCKING", "1", "waits"),
        ("CUDA_VISIBLE_DEVICES", "-1", "no-card"),
        ("CUDA_VISIBLE_DEVICES", "", "no-card"),
        ("CUDA_PATH", "{folder}/gone/v12.8", "leads-nowhere"),
        ("TRITON_PTXAS_PATH", "{folder}", "leads-nowhere"),
        ("CC", "no-such-compiler", "leads-nowhere"),
        ("CC", '"{folder}/gone/cl.exe"', "leads-nowhere"),
        ("TRITON_CACHE_DIR", "{folder}/file/cache", "no-cache"),
        ("PYTHONHOME", "{folder}", "pythonhome"),
        ("PIP_USER", "1", "pip-elsewhere"),
        ("PIP_TARGET", "{folder}", "pip-elsewhere"),
    ],
)
def test_a_variable_that_hurts(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str, kind: str) -> None:
    (environment.parent / "file").write_text("no folder")
    monkeypatch.setenv(name, value.format(folder=environment.parent))
    assert list(notes(bench, python_of(environment), index)) == [kind]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRITON_INTERPRET", "0"),
        ("CUDA_VISIBLE_DEVICES", "1"),
        ("CUDA_PATH", "{folder}"),
        ("CC", "/bin/sh"),
        ("TRITON_CACHE_DIR", "{folder}/new/cache"),
        ("PIP_USER", "no"),
    ],
)
def test_one_that_does_not(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value.format(folder=environment.parent))
    assert notes(bench, python_of(environment), index) == {}


def foreign(folder: Path, module: str = "alpha") -> Path:
    (folder / module).mkdir(parents=True)
    (folder / module / "__init__.py").write_text("raise SystemExit('never imported')\n")
    return folder


def test_another_package_in_front(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = foreign(environment.parent / "路径 one")
    monkeypatch.setenv("PYTHONPATH", f"{environment.parent}{os.pathsep}{folder}")
    assert notes(bench, python_of(environment), index) == {"pythonpath": {"module": "alpha", "value": str(folder / "alpha" / "__init__.py")}}


def test_a_path_entry_without_such_a_package_is_nothing(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(foreign(environment.parent / "else", "other")))
    assert notes(bench, python_of(environment), index) == {}


def test_the_own_package_folder_and_pip_that_wants_a_venv(bench: Bench, tmp_path: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that is no virtual environment sees the person's own packages first; a venv does not."""
    python = make_prefix(tmp_path / "prefix", make_environment(tmp_path / "venv", old_wheels(tmp_path / "before")))
    answer = subprocess.run([python, "-c", "import sys, alpha; print(sys.prefix == sys.base_prefix)"], capture_output=True, text=True, check=False)
    if answer.stdout.strip() != "True":
        pytest.skip("this Python cannot be moved")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    asked = subprocess.run([python, "-c", "import site; print(site.getusersitepackages())"], capture_output=True, text=True, check=True)
    folder = foreign(Path(asked.stdout.strip()))
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nrequire-virtualenv = true\n[install]\nuser = false\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    assert notes(bench, python, index) == {
        "pip-refuses": {"name": "require-virtualenv = true", "value": str(config)},
        "user-site": {"module": "alpha", "value": str(folder / "alpha" / "__init__.py")},
    }


def test_a_secret_in_a_setting_stays_out(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_PATH", "https://me:secret@host/path")
    (note,) = notes(bench, python_of(environment), index).values()
    assert "secret" not in str(note)


def test_the_notes_travel(bench: Bench) -> None:
    from app.model import codec
    from app.model.events import RunFinished

    finished = RunFinished("r", Outcome.DONE, 1.0, notes=(Text("run.hurts-waits", {"name": "A", "value": "1"}),))
    assert codec.load(codec.dump(finished), RunFinished, "event") == finished
    old = {"run_id": "r", "outcome": "done", "seconds": 1.0, "problem": None, "put_back": False, "restart_required": False, "type": "run-finished"}
    assert codec.load(old, RunFinished, "event").notes == ()
