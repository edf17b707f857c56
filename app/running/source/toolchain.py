"""The compiler: where it is, the environment it needs, and whether it really compiles. Nothing is built before that."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import Final

import psutil

from app.host.downloads import file_sha256
from app.host.elevation import InstallSigned, ask_elevated
from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.fetching import fetch_file
from app.running.run import Run, text_argument

PROBE: Final = """#include <string>
#include <vector>
int main(int count, char **words) { std::vector<std::string> all(words, words + count); return all.empty(); }
"""
"""Needs the C++ standard library and the C runtime's headers; says nothing about CUDA, which the build does not need."""

VSWHERE: Final = r"Microsoft Visual Studio\Installer\vswhere.exe"
COMPILER: Final = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
"""The component that brings cl.exe; without -products vswhere leaves Build Tools out (github.com/microsoft/vswhere/issues/230)."""

BYTES_PER_JOB: Final = 4 << 30
"""Memory that one compile job of a large C++ project may take; our own choice, the project documents no figure."""


def check_toolchain(step: Step, run: Run) -> None:
    """Problem with its cause if there is no room, no compiler, or the compiler cannot compile a probe file."""
    folder = Path(text_argument(step, "folder"))
    refuse_without_room(step, run, folder)
    refuse_without_memory(psutil.virtual_memory().available)
    environment = developer_environment(step, run)
    work = run.folder / "probe"
    work.mkdir(exist_ok=True)
    source = work / "probe.cpp"
    run.host.write_file(str(source), PROBE.encode())
    if run.host.family == "windows":
        # Windows looks for a program in the PATH of the one that starts it, not in the one it is given.
        compiler = shutil.which("cl.exe", path=environment.get("PATH")) or "cl.exe"
        argv: tuple[str, ...] = (compiler, "/nologo", "/EHsc", "/c", str(source))
    else:
        argv = ("c++", "-c", str(source), "-o", str(work / "probe.o"))
    try:
        code = run.execute(step, argv, environment=environment, cwd=str(work), encoding="ansi")
    except Problem as problem:
        raise Problem(Text("source.no-compiler"), ExitCode.FAILED, "build-msvc-missing") from problem
    if code:
        raise Problem(Text("source.compiler-broken", {"exit_code": code}), ExitCode.FAILED, "compiler-misconfigured")
    run.say(step, "the compiler compiles the probe file")


def fetch_build_tools(step: Step, run: Run) -> None:
    """Downloads Microsoft's installer and lets it add the C++ tools; it must be signed by Microsoft to be run."""
    url = text_argument(step, "url")
    target = run.places.cache / "installers" / url.rsplit("/", 1)[-1]
    target.parent.mkdir(parents=True, exist_ok=True)
    # The address always gives the newest installer, so no hash can be known before; the signature decides.
    fetch_file(step, run, url, target)
    operation = InstallSigned("install-signed", "build-tools", str(target), file_sha256(str(target), run.cancel.check))
    result = ask_elevated(operation, run.places.state / "elevation", run.cancel)
    run.restart_required |= result.restart_required
    if not result.is_done:
        raise Problem(Text("source.build-tools-failed", {"exit_code": result.exit_code}), ExitCode.FAILED, "build-msvc-missing")


def refuse_without_room(step: Step, run: Run, folder: Path) -> None:
    """Problem if the disk of `folder` has less room than the step needs."""
    needed = step.arguments.get("room_bytes")
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = run.host.disk_free(str(place))
    if isinstance(needed, int) and free is not None and free < needed:
        params = {"free": f"{free / 1e9:.1f}", "needed": f"{needed / 1e9:.1f}", "path": str(place)}
        raise Problem(Text("source.no-room", params), ExitCode.BLOCKED, "disk-full")


def refuse_without_memory(free_bytes: int) -> None:
    """Problem if not even one compile job has the memory it may take."""
    if free_bytes < BYTES_PER_JOB // 2:
        params = {"free": f"{free_bytes / 1e9:.1f}", "needed": f"{BYTES_PER_JOB / 2e9:.1f}"}
        raise Problem(Text("source.no-memory", params), ExitCode.BLOCKED, "build-out-of-memory")


def find_vcvars(run: Run) -> str:
    """The batch file of the newest compiler that Microsoft's own vswhere lists; Problem if it lists none.

    Asked when the step runs: the build tools may have come with this very run.
    """
    variables = {name.upper(): value for name, value in run.host.environment().items()}
    programs = variables.get("PROGRAMFILES(X86)") or r"C:\Program Files (x86)"
    argv = (str(PureWindowsPath(programs) / VSWHERE), "-latest", "-products", "*", "-requires", COMPILER, "-property", "installationPath", "-utf8")
    answer = run.answer(lambda: run.host.query(argv, timeout_s=30.0))
    lines = answer.stdout.decode("utf-8", "replace").split("\n") if answer.exit_code == 0 else []
    root = next((line.strip() for line in lines if line.strip()), None)
    if root is None:
        raise Problem(Text("source.no-compiler"), ExitCode.FAILED, "build-msvc-missing")
    return str(PureWindowsPath(root) / "VC" / "Auxiliary" / "Build" / "vcvars64.bat")


def developer_environment(step: Step, run: Run) -> dict[str, str]:
    """Variables that the compiler needs; on Windows what its own vcvars64.bat sets, elsewhere none."""
    vcvars = text_argument(step, "vcvars") or (find_vcvars(run) if run.host.family == "windows" else "")
    if not vcvars:
        return {}
    # cmd is the only program that can read a batch file; the path comes from vswhere through the facts and is checked here.
    if '"' in vcvars or "%" in vcvars or not vcvars.lower().endswith(".bat"):
        raise Problem(Text("source.no-compiler"), ExitCode.BAD_INPUT, "build-msvc-missing")
    caller = run.folder / "developer.cmd"
    run.host.write_file(str(caller), f'@call "{vcvars}" >nul 2>&1\r\n@if errorlevel 1 exit /b 1\r\n@set\r\n'.encode("mbcs" if os.name == "nt" else "utf-8"))
    lines: list[str] = []

    def keep(line: object) -> bool:
        lines.append(getattr(line, "text", ""))
        return True

    if run.execute(step, ("cmd.exe", "/d", "/c", str(caller)), keep=keep, encoding="oem", timeout_s=120.0):
        raise Problem(Text("source.no-compiler"), ExitCode.FAILED, "build-msvc-missing")
    return wanted_variables(lines)


def wanted_variables(lines: list[str]) -> dict[str, str]:
    """From the output of `set`: only what compilers read, so that nothing else of the person's shell leaks into a build."""
    names = {"PATH", "INCLUDE", "LIB", "LIBPATH", "VCINSTALLDIR", "VCTOOLSINSTALLDIR", "WINDOWSSDKDIR", "WINDOWSSDKVERSION", "UCRTVERSION"}
    pairs = (line.partition("=") for line in lines)
    return {name.upper(): value for name, mark, value in pairs if mark and name.upper() in names}


def job_count(cores: int, free_bytes: int, bytes_per_job: int = BYTES_PER_JOB) -> int:
    """Compile jobs at a time: as many as memory carries, never more than cores, at least one."""
    return max(1, min(cores, free_bytes // bytes_per_job))


def build_variables(step: Step, developer: Mapping[str, str], jobs: int) -> dict[str, str]:
    """The environment of a build: the compiler's, the plan's, and how many jobs may run."""
    planned = step.arguments.get("variables")
    own = {str(name): str(value) for name, value in planned.items()} if isinstance(planned, Mapping) else {}
    return {**developer, **own, "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs), "MAX_JOBS": str(jobs), "VSLANG": "1033"}
