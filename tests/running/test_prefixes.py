"""Pythons that are no virtual environment: conda's layout, one of the system that refuses installs, one without pip."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from app.model.events import Outcome
from app.running import undo_run
from app.running.target import ask_target
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.worlds import change_steps, make_environment, old_wheels, plan_of, tree_of

MINOR = f"python{sys.version_info[0]}.{sys.version_info[1]}"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a prefix is made of links here; the portable ComfyUI is such a Python there")


def make_prefix(folder: Path, wheels_from: Path) -> str:
    """A whole Python of its own in `folder`: its program, links to the standard library, site-packages with what the venv has. No pip."""
    library = folder / "lib" / MINOR
    library.mkdir(parents=True)
    (folder / "bin").mkdir()
    python = folder / "bin" / "python"
    shutil.copy2(os.path.realpath(sys.executable), python)
    for entry in Path(sysconfig.get_paths()["stdlib"]).iterdir():
        if entry.name not in ("site-packages", "EXTERNALLY-MANAGED", "__pycache__"):
            (library / entry.name).symlink_to(entry)
    shared = sysconfig.get_config_var("INSTSONAME")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and (source := Path(sysconfig.get_config_var("LIBDIR"), shared)).is_file():
        (folder / "lib" / shared).symlink_to(source)
    shutil.copytree(wheels_from / "lib" / MINOR / "site-packages", library / "site-packages", ignore=shutil.ignore_patterns("_virtualenv*"))
    return str(python)


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    python = make_prefix(tmp_path / "own prefix 环境", make_environment(tmp_path / "venv", old_wheels(tmp_path / "before")))
    answer = subprocess.run([python, "-c", "import sys, alpha; print(sys.prefix == sys.base_prefix)"], capture_output=True, text=True, check=False)
    if answer.stdout.strip() != "True":
        pytest.skip(f"this Python cannot be moved: {answer.stderr[-200:]}")
    return python


def change_and_undo(bench: Bench, python: str, index: IndexServer) -> None:
    folder = Path(python).parents[1]
    before = tree_of(folder)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0", "single==2.0"], ["alpha", "beta"], removes=("gamma",)), index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    site = folder / "lib" / MINOR / "site-packages"
    assert (site / "alpha" / "new.py").is_file()
    assert not (site / "gamma").exists()
    assert (folder / "share" / "beta" / "table.txt").is_file()
    undone = undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert undone.outcome is Outcome.DONE
    assert tree_of(folder) == before


def test_a_conda_environment(bench: Bench, prefix: str, index: IndexServer) -> None:
    """Its own records of what conda put there stay as they are."""
    records = Path(prefix).parents[1] / "conda-meta"
    records.mkdir()
    (records / "history").write_text("==> 2026-01-01 <==\n")
    (records / f"python-{sys.version.split()[0]}-h1_0_cpython.json").write_text("{}")
    change_and_undo(bench, prefix, index)


def test_a_python_that_its_system_manages(bench: Bench, prefix: str, index: IndexServer) -> None:
    """Whether it may be changed was the plan's to decide; the engine then does it without a broken half."""
    (Path(prefix).parents[1] / "lib" / MINOR / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=ask your system\n")
    assert ask_target(prefix, bench.host).is_managed
    change_and_undo(bench, prefix, index)


def test_without_uv_a_python_that_has_no_pip_is_changed_by_ours(bench: Bench, prefix: str, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("resolvers", "staging", "environments"):
        monkeypatch.setattr(f"app.running.{module}.find_uv", lambda: None)
    change_and_undo(bench, prefix, index)
