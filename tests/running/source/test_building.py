"""The source route with a real compiler: a small CMake and pybind11 extension stands for the large one."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from app.diagnosis.logs import diagnose
from app.host.elevation import InstallSigned
from app.host.elevation.perform import installer_command
from app.host.live import LiveHost
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished
from app.model.plan import Choice, Plan, RouteKind, RouteStatus, RouteVerdict, Step, Verdict
from app.model.problem import Problem
from app.model.text import Text
from app.running import run_plan
from app.running.source.toolchain import job_count, refuse_without_memory, wanted_variables
from tests.planning.build import machine, plan, python
from tests.running.made_wheels import make_wheel
from tests.running.source.windows_lines import WindowsLines
from tests.running.worlds import make_environment, python_of, tree_of

pytestmark = pytest.mark.skipif(os.name == "nt" or not shutil.which("c++") or not shutil.which("git"), reason="needs a C++ compiler and git on Linux")

GOLDEN = Path(__file__).with_name("windows_lines.json")

SETUP = """
import os, subprocess, sys
from pathlib import Path
import pybind11
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name)).parent.resolve()
        work = Path(self.build_temp); work.mkdir(parents=True, exist_ok=True)
        assert os.environ["PROJECT_SWITCH"] == "0", "the plan's variables must arrive"
        import beside_me  # lies in the environment that the wheel is for, as torch does
        subprocess.check_call(["cmake", "-G", "Ninja", str(Path(__file__).parent), f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={target}",
            f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"], cwd=work)
        subprocess.check_call(["cmake", "--build", "."], cwd=work)

setup(name="small", version="1.0", ext_modules=[Extension("small", [])], cmdclass={"build_ext": CMakeBuild})
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(small CXX)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 REQUIRED)
pybind11_add_module(small small.cpp)
"""
SOURCE = '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(small, m) { m.def("add", [](int a, int b) { return a + b; }); }\n'


@pytest.fixture
def here(tmp_path: Path) -> Places:
    return places(str(tmp_path / "home"))


def repository(folder: Path, source: str = SOURCE) -> Path:
    folder.mkdir()
    for name, content in (("setup.py", SETUP), ("CMakeLists.txt", CMAKE), ("small.cpp", source)):
        (folder / name).write_text(content)
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-C", str(folder))
    subprocess.run([*git, "init", "-q", "-b", "release"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    return folder


def run(here: Places, *steps: Step) -> tuple[RunFinished, list[Event]]:
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    plan = Plan(Verdict.READY, RouteKind.SOURCE, routes, None, (), {}, steps, 0, 0, (), Choice())
    events: list[Event] = []
    return run_plan(plan, LiveHost(), events.append, Cancel(), places=here), events


def build(tmp_path: Path, repository: Path) -> Step:
    environment = make_environment(tmp_path / "environment", [make_wheel(tmp_path, "beside_me", "1.0")])
    arguments = {
        "python": sys.executable,
        "beside": python_of(environment),
        "repository": str(repository),
        "reference": "release",
        "requirements": ("setuptools==80.9.0", "wheel==0.45.1", "cmake==3.31.6", "ninja==1.11.1.4", "pybind11==2.13.6"),
        "variables": {"PROJECT_SWITCH": "0"},
        "folder": str(tmp_path / "b"),
        "wheels": str(tmp_path / "wheels"),
        "room_bytes": 1000,
    }
    return Step("build", "source-build", Text("run.title", {"goals": "build"}), arguments=arguments)


def check(tmp_path: Path, **more: object) -> Step:
    return Step("toolchain", "check-toolchain", Text("run.title", {"goals": "check"}), arguments={"folder": str(tmp_path / "b"), "room_bytes": 1000} | more)


@pytest.mark.network
@pytest.mark.slow
def test_the_toolchain_is_checked_and_a_wheel_comes_out(tmp_path: Path, here: Places) -> None:
    step = build(tmp_path, repository(tmp_path / "repository"))
    before = tree_of(tmp_path / "environment")
    finished, events = run(here, check(tmp_path), step)
    lines = [event.line for event in events if isinstance(event, LogLine)]
    assert finished.outcome is Outcome.DONE, "\n".join(lines[-40:])
    assert tree_of(tmp_path / "environment") == before, "what the build sees, it does not touch"
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    code = "import small; print(small.add(2, 3))"
    assert subprocess.run([sys.executable, "-c", code], cwd=unpacked, capture_output=True, text=True, check=True).stdout == "5\n"


@pytest.mark.network
@pytest.mark.slow
def test_a_build_that_fails_is_put_back_and_its_first_error_stands_in_the_log(tmp_path: Path, here: Places) -> None:
    finished, events = run(here, build(tmp_path, repository(tmp_path / "repository", SOURCE.replace("return a + b", "return a + missing_name"))))
    assert finished.outcome is Outcome.FAILED
    assert finished.put_back
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "wheels").exists()
    assert any("missing_name" in event.line for event in events if isinstance(event, LogLine))
    log = (here.logs / f"{finished.run_id}.log").read_bytes()
    first = diagnose(io.BytesIO(log)).findings[0]
    assert (first.code, first.confidence > 0.5) == ("build-cpp-error", True)


def test_no_room_and_no_compiler_are_named_before_anything_is_built(tmp_path: Path, here: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    finished, _ = run(here, check(tmp_path, room_bytes=1 << 60))
    assert finished.problem is not None
    assert finished.problem.code == "source.no-room"
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    finished, _ = run(here, check(tmp_path))
    assert finished.problem is not None
    assert finished.problem.code == "source.no-compiler"
    broken = programs / "c++"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    finished, _ = run(here, check(tmp_path))
    assert finished.problem == Text("source.compiler-broken", {"exit_code": 3})


def test_only_what_compilers_read_comes_from_the_developer_prompt() -> None:
    lines = ["Path=C:\\VC\\bin;C:\\Windows", "INCLUDE=C:\\VC\\include", "LIB=C:\\VC\\lib", "HF_TOKEN=secret", "=C:=C:\\", "PROMPT=$P$G", "noise"]
    assert wanted_variables(lines) == {"PATH": "C:\\VC\\bin;C:\\Windows", "INCLUDE": "C:\\VC\\include", "LIB": "C:\\VC\\lib"}


@pytest.mark.parametrize(("cores", "free_gib", "jobs"), [(16, 64, 16), (16, 16, 4), (16, 3, 1), (2, 64, 2)])
def test_jobs_follow_memory(cores: int, free_gib: int, jobs: int) -> None:
    assert job_count(cores, free_gib << 30) == jobs


def windows_steps(tmp_path: Path) -> tuple[Step, ...]:
    """The steps that the planner makes for a Windows without build tools, in a folder of the test."""
    made = plan(machine(python("2.14.1+cu130"), tools={"git": "2.50"}), route=RouteKind.SOURCE)
    kept = [one for one in made.steps if one.kind in {"check-toolchain", "source-build"}]
    places_of = {"folder": str(tmp_path / "tbuild"), "wheels": str(tmp_path / "tbuild/wheels"), "room_bytes": 1}
    return tuple(replace(one, arguments={name: places_of.get(name, value) for name, value in one.arguments.items()}) for one in kept)


def test_the_command_lines_of_windows_are_the_golden_ones(tmp_path: Path, here: Places) -> None:
    """`TRITON_SETUP_REWRITE=1` writes the file anew; read the difference before you commit it."""
    host, events = WindowsLines(tmp_path), []
    steps = windows_steps(tmp_path)
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    finished = run_plan(Plan(Verdict.READY, RouteKind.SOURCE, routes, None, (), {}, steps, 0, 0, (), Choice()), host, events.append, Cancel(), places=here)
    assert finished.outcome is Outcome.DONE, events
    elevated = installer_command(InstallSigned("install-signed", "build-tools", "C:\\t\\vs_BuildTools.exe", "0" * 64), Path("vs_BuildTools.exe"), Path())
    text = json.dumps([*host.lines, {"argv": list(elevated)}], indent=1) + "\n"
    if os.environ.get("TRITON_SETUP_REWRITE"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


def test_tools_that_did_not_come_are_missed_before_anything_is_built(tmp_path: Path, here: Places) -> None:
    host = WindowsLines(tmp_path, has_tools=False)
    routes = tuple(RouteVerdict(route, RouteStatus.READY) for route in RouteKind)
    plan_ = Plan(Verdict.READY, RouteKind.SOURCE, routes, None, (), {}, windows_steps(tmp_path), 0, 0, (), Choice())
    finished = run_plan(plan_, host, lambda _: None, Cancel(), places=here)
    assert finished.problem == Text("source.no-compiler")
    assert not (tmp_path / "tbuild").exists()


def test_without_memory_for_one_job_nothing_begins() -> None:
    refuse_without_memory(8 << 30)
    with pytest.raises(Problem) as problem:
        refuse_without_memory(1 << 30)
    assert problem.value.cause == "build-out-of-memory"
