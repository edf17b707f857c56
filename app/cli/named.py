"""What a command line names on this machine, checked before any work begins: one line for what is not there."""

import argparse
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from app.model.problem import ExitCode, Problem
from app.model.text import Text


def check_named(options: argparse.Namespace) -> None:
    """Problem (exit code 2) for a named Python, folder or index that cannot be used. `--python NAME` is looked up as the shell would.

    Paths of another machine (`--machine`) are left to the planner: only its facts can say what is there.
    """
    if getattr(options, "machine", None):
        return
    if getattr(options, "python", None):
        options.python = _program(options.python)
    for name in ("comfyui", "wheelhouse"):
        if getattr(options, name, None) and not Path(getattr(options, name)).is_dir():
            raise _unusable("cli.no-such-folder", getattr(options, name), name)
    for folder in getattr(options, "folder", ()):
        if not Path(folder).is_dir():
            raise _unusable("cli.no-such-folder", folder, "folder")
    if getattr(options, "index_url", None):
        _check_url(options.index_url)


def _program(named: str) -> str:
    path = Path(named)
    if path.is_file():
        if shutil.which(path.absolute()) is None:
            raise _unusable("cli.python-cannot-run", named, "python")
        return named
    found = shutil.which(named) if path.name == named else None
    if found is None:
        raise _unusable("cli.no-such-python", named, "python")
    return found


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_one = False
    if not is_one:
        raise _unusable("cli.not-an-index", url, "index-url")


def _unusable(code: str, named: str, option: str) -> Problem:
    return Problem(Text(code, {"named": named, "option": f"--{option}"}), ExitCode.BAD_INPUT)
