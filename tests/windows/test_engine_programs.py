"""What Windows does differently for the engine: process trees, open files, long and foreign paths, progress lines."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from app.host import file_changes
from app.host.live import LiveHost
from app.host.places import places
from app.host.protocol import OutputLine
from app.model.cancel import Cancel
from app.model.events import Event, Outcome
from app.model.problem import Cancelled, Problem
from app.running import run_plan, undo_run
from tests.running.index_server import IndexServer
from tests.running.worlds import change_steps, make_environment, new_wheels, old_wheels, packages_of, plan_of, python_of, tree_of

pytestmark = [pytest.mark.windows, pytest.mark.timeout(300)]

# Opened for reading and shared for reading only, as a scanner or a hex editor does.
HOLD = """
import ctypes, sys, time
handle = ctypes.windll.kernel32.CreateFileW(sys.argv[1], 0x80000000, 1, None, 3, 0, None)
print("held", flush=True)
time.sleep(100)
"""

FAMILY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
print(child.pid, flush=True)
time.sleep(120)
"""


def test_cancel_ends_the_program_and_its_children() -> None:
    host, cancel, lines = LiveHost(), Cancel(), []

    def on_line(line: OutputLine) -> None:
        lines.append(line.text)
        cancel.set()

    began = time.monotonic()
    with pytest.raises(Cancelled):
        host.execute([sys.executable, "-c", FAMILY], on_line, cancel)
    assert time.monotonic() - began < 30
    grandchild = int(lines[0])
    deadline = time.monotonic() + 5
    while psutil.pid_exists(grandchild) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not psutil.pid_exists(grandchild)


def test_progress_lines_replace_each_other_and_chinese_arrives() -> None:
    lines: list[OutputLine] = []
    code = "import sys; sys.stdout.buffer.write('10%\\r50%\\r100%\\r\\n中文\\r\\n'.encode()); sys.stdout.flush(); sys.exit(3)"
    assert LiveHost().execute([sys.executable, "-X", "utf8", "-c", code], lines.append, Cancel()) == 3
    assert [(line.text, line.replaces) for line in lines] == [("10%", False), ("50%", True), ("100%", True), ("中文", False)]


def test_a_program_that_is_not_there_is_one_problem() -> None:
    with pytest.raises(Problem) as refused:
        LiveHost().execute(["C:\\no\\such\\program.exe"], print, Cancel())
    assert refused.value.text.code == "run.program-cannot-start"


def test_files_are_written_moved_and_removed_beyond_260_characters(tmp_path: Path) -> None:
    deep = tmp_path
    while len(str(deep)) < 300:
        deep = deep / "很深的文件夹 deep"
    path = str(deep / "文件.txt")
    file_changes.write_file(path, b"first")
    file_changes.write_file(path, b"second")
    file_changes.rename(path, path + ".moved")
    assert Path(file_changes.long_path(path + ".moved")).read_bytes() == b"second"
    with pytest.raises(Problem):
        file_changes.rename(str(tmp_path / "not there"), path)
    file_changes.remove(str(tmp_path / "很深的文件夹 deep"))
    assert not (tmp_path / "很深的文件夹 deep").exists()


def test_a_read_only_file_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("x")
    path.chmod(0o444)
    file_changes.remove(str(path))
    assert not path.exists()


def test_a_loaded_library_can_be_moved_aside(tmp_path: Path) -> None:
    import ctypes
    import shutil

    library = tmp_path / "loaded.dll"
    shutil.copy2(Path(sys.prefix) / "python3.dll", library)
    handle = ctypes.WinDLL(str(library))
    file_changes.rename(str(library), str(tmp_path / "aside" / "loaded.dll"))
    assert not library.exists()
    assert handle


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    return make_environment(tmp_path / "环境 env", old_wheels(tmp_path / "before"))


def test_change_and_undo_in_a_venv_under_a_chinese_name(environment: Path, tmp_path: Path, own_home: Path) -> None:
    before = tree_of(environment)
    python, events, host = python_of(environment), list[Event](), LiveHost()
    new_wheels(tmp_path / "index")
    with IndexServer(tmp_path / "index") as index:
        plan = plan_of(python, change_steps(python, ["alpha==2.0", "single==2.0"], ["alpha", "beta"], removes=("gamma",)), index=index.index)
        finished = run_plan(plan, host, events.append, Cancel(), places=places(str(own_home)))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "alpha" / "new.py").is_file()
    assert (environment / "Scripts" / "alpha-more.exe").is_file()
    undone = undo_run(finished.run_id, host, events.append, Cancel(), places=places(str(own_home)))
    assert undone.outcome is Outcome.DONE
    assert tree_of(environment) == before


def test_a_file_held_open_stops_before_anything_is_touched(environment: Path, tmp_path: Path, own_home: Path) -> None:
    before = tree_of(environment)
    python = python_of(environment)
    new_wheels(tmp_path / "index")
    held = environment / "Scripts" / "alpha.exe"
    holding = subprocess.Popen([sys.executable, "-c", HOLD, str(held)], stdout=subprocess.PIPE)
    assert holding.stdout
    holding.stdout.readline()
    try:
        with IndexServer(tmp_path / "index") as index:
            plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)
            finished = run_plan(plan, LiveHost(), lambda _: None, Cancel(), places=places(str(own_home)))
    finally:
        holding.kill()
        holding.wait()
        holding.stdout.close()
    assert finished.problem
    assert finished.problem.code == "run.environment-in-use"
    assert tree_of(environment) == before


def test_cancel_during_a_program_of_a_step_is_quick(environment: Path, own_home: Path) -> None:
    from dataclasses import replace

    from tests.running.worlds import step

    before = tree_of(environment)
    cancel = Cancel()
    sleepy = replace(step("sleep", "command"), argv=(sys.executable, "-c", "import time; time.sleep(100)"))
    threading.Timer(3.0, cancel.set).start()
    began = time.monotonic()
    finished = run_plan(plan_of(python_of(environment), [sleepy]), LiveHost(), lambda _: None, cancel, places=places(str(own_home)))
    assert time.monotonic() - began < 3.0 + 1.5
    assert finished.outcome is Outcome.CANCELLED
    assert tree_of(environment) == before
    assert os.name == "nt"


def test_long_paths_are_allowed_by_the_elevated_side(own_home: Path) -> None:
    """The whole way: a request, this program once more as an administrator, Windows' own tool, the answer."""
    import winreg

    from tests.running.worlds import step

    place = "SYSTEM\\CurrentControlSet\\Control\\FileSystem"
    with winreg.CreateKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
        winreg.SetValueEx(key, "LongPathsEnabled", 0, winreg.REG_DWORD, 0)
    finished = run_plan(plan_of(None, [step("long", "set-long-paths")]), LiveHost(), lambda _: None, Cancel(), places=places(str(own_home)))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, place) as key:
        assert winreg.QueryValueEx(key, "LongPathsEnabled")[0] == 1
