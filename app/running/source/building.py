"""Builds a wheel from source in a short folder of our own. The wheel then goes through the same swap as any other."""

import os
import shutil
from pathlib import Path
from typing import Final

import psutil
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.run import Run, list_argument, text_argument
from app.running.source.toolchain import build_variables, developer_environment, job_count, refuse_without_room
from app.running.tools import find_uv

MAX_BUILD_S: Final = 6 * 3600.0


def build_wheel(step: Step, run: Run) -> None:
    """Clones `repository` at `reference`, builds with `python`, leaves one wheel in `wheels`. Problem naming what failed."""
    folder, wheels = Path(text_argument(step, "folder")), Path(text_argument(step, "wheels"))
    refuse_without_room(step, run, folder)
    run.make_folder(folder)
    run.make_folder(wheels)
    developer = developer_environment(step, run)
    variables = build_variables(step, developer, job_count(psutil.cpu_count() or 1, psutil.virtual_memory().available))
    python = _build_environment(step, run, folder)
    source = _sources(step, run, folder)
    # cmake and ninja of the pinned build requirements, not whatever versions the machine has.
    behind = variables.get("PATH") or next((value for name, value in run.host.environment().items() if name.upper() == "PATH"), "")
    variables["PATH"] = os.pathsep.join((str(python.parent), behind))
    argv = (str(python), "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--verbose", "--wheel-dir", str(wheels), str(source))
    _must(run, step, argv, "source.build-failed", environment=variables, timeout_s=MAX_BUILD_S)
    run.say(step, f"built {_only_wheel(wheels).name}")


def _build_environment(step: Step, run: Run, folder: Path) -> Path:
    """A venv for the build alone, with the build requirements pinned by the plan."""
    venv = folder / "build-environment"
    python = venv / ("Scripts/python.exe" if run.host.family == "windows" else "bin/python")
    base, uv = text_argument(step, "python"), find_uv()
    if not python.exists():
        argv = (uv, "venv", "--seed", "--no-config", "--python", base, str(venv)) if uv else (base, "-m", "venv", str(venv))
        _must(run, step, argv, "source.environment-failed")
    beside = text_argument(step, "beside")
    if beside:
        # The build imports torch: the environment's own, which must not be touched, is put on the path behind the build's packages.
        run.host.write_file(str(Path(run.target(str(python)).purelib) / "beside.pth"), f"{run.target(beside).purelib}\n".encode())
    requirements = list_argument(step, "requirements")
    _must(run, step, (str(python), "-m", "pip", "install", "--disable-pip-version-check", *requirements), "source.environment-failed")
    return python


def _sources(step: Step, run: Run, folder: Path) -> Path:
    """The checked-out sources; the subfolder that holds setup.py where older versions keep it apart."""
    target = folder / "source"
    if not (target / ".git").exists():
        # autocrlf would change the line ends of files whose hashes the build knows.
        clone = (_git(run), "-c", "core.autocrlf=false", "clone", "--depth", "1", "--branch", text_argument(step, "reference"))
        _must(run, step, (*clone, "--", text_argument(step, "repository"), str(target)), "source.clone-failed")
    return target / text_argument(step, "subfolder")


def _git(run: Run) -> str:
    """git by its name, or where its installer puts it: one that came with this very run is not in our PATH yet."""
    variables = {name.upper(): value for name, value in run.host.environment().items()}
    usual = Path(variables.get("PROGRAMFILES") or r"C:\Program Files") / "Git" / "cmd" / "git.exe"
    return str(usual) if run.host.family == "windows" and not shutil.which("git") and usual.is_file() else "git"


def _must(run: Run, step: Step, argv: tuple[str, ...], failed: str, *, environment: dict[str, str] | None = None, timeout_s: float | None = None) -> None:
    code = run.execute(step, argv, environment=environment, timeout_s=timeout_s)
    if code:
        raise Problem(Text(failed, {"exit_code": code, "program": Path(argv[0]).name}))


def _only_wheel(folder: Path) -> Path:
    """The one wheel that was built; Problem if there is none, several, or a name that is no wheel's."""
    wheels = sorted(folder.glob("*.whl"))
    try:
        for wheel in wheels:
            parse_wheel_filename(wheel.name)
    except InvalidWheelFilename as error:
        raise Problem(Text("source.no-wheel", {"path": str(folder)}), ExitCode.FAILED) from error
    if len(wheels) != 1:
        raise Problem(Text("source.no-wheel", {"path": str(folder)}), ExitCode.FAILED)
    return wheels[0]
