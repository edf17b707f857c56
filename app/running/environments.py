"""New environments, and the Pythons they are made from."""

import os
from dataclasses import replace
from pathlib import Path

from app.host.protocol import OutputLine
from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.run import Run, text_argument
from app.running.tools import find_uv


def create_environment(step: Step, run: Run) -> None:
    """Makes a virtual environment in a folder that is not there or empty. Needs neither pip nor ensurepip in the base Python."""
    folder = Path(text_argument(step, "folder"))
    base = text_argument(step, "python") or text_argument(step, "version")
    _refuse_occupied(folder, run)
    run.make_folder(folder)
    for argv in _ways(base, folder, run):
        if run.execute(step, argv, environment=fetched_pythons(run)) == 0 and _python_of(folder).exists():
            return
        run.say(step, "this way failed; trying the next one")
    raise Problem(Text("run.environment-not-made", {"path": str(folder), "python": base}), cause="venv-broken")


def fetch_python(step: Step, run: Run) -> None:
    """Fetches a Python of our own, checked by uv against the hashes it ships with. It stays for later environments."""
    uv = find_uv()
    version = text_argument(step, "version")
    if uv is None or run.execute(step, [uv, "--no-config", "python", "install", "--no-bin", version], environment=fetched_pythons(run)) != 0:
        raise Problem(Text("run.python-not-fetched", {"version": version}), cause="network-failed")


def fetched_home(step: Step, run: Run, version: str) -> Path | None:
    """The folder of a Python of our own, fetched if it is not there yet; None if it cannot be had."""
    try:
        fetch_python(replace(step, arguments={"version": version}), run)
    except Problem:
        return None
    lines: list[str] = []

    def keep(line: OutputLine) -> bool:
        lines.extend([line.text] if line.stream == "stdout" else [])
        return line.stream == "stdout"

    argv = [find_uv() or "uv", "--no-config", "python", "find", "--managed-python", "--no-python-downloads", version]
    code = run.execute(step, argv, environment=fetched_pythons(run), keep=keep)
    home = Path(lines[0]).parent if code == 0 and lines else None
    return home.parent if home is not None and home.name == "bin" else home


def fetched_pythons(run: Run) -> dict[str, str]:
    """Variables that keep uv's Pythons in our own folder and out of the registry."""
    return {"UV_PYTHON_INSTALL_DIR": str(run.places.data / "pythons"), "UV_PYTHON_INSTALL_REGISTRY": "0"}


def _ways(base: str, folder: Path, run: Run) -> list[list[str]]:
    ways = []
    uv = find_uv()
    if uv:
        ways.append([uv, "--no-config", "--cache-dir", str(run.places.cache / "uv"), "venv", "--allow-existing", "--no-project", "--python", base, str(folder)])
    if Path(base).is_file():
        ways.append([base, "-I", "-m", "venv", "--without-pip", str(folder)])
    return ways


def _refuse_occupied(folder: Path, run: Run) -> None:
    if os.path.lexists(folder) and not folder.is_dir():
        raise Problem(Text("run.folder-is-file", {"path": str(folder)}), ExitCode.BAD_INPUT)
    if folder.is_dir() and any(folder.iterdir()) and not run.made(folder):
        raise Problem(Text("run.folder-not-empty", {"path": str(folder)}), ExitCode.BLOCKED)


def _python_of(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"
