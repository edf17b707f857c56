"""From options of the command line to a Choice."""

import argparse
from dataclasses import replace
from pathlib import Path

from app.model.plan import Choice, RouteKind, TorchChange
from app.model.problem import ExitCode, Problem
from app.model.text import Text


def choice_of(options: argparse.Namespace, given: Choice) -> Choice:
    """The choice that the options describe. An answer file fills what no option names; else `given` (of a report) does."""
    if getattr(options, "answers", None):
        from app.report.answers import load_answers

        given = load_answers(options.answers)
    named = {
        "goals": options.goal,
        "route": RouteKind(options.route) if options.route != "auto" else None,
        "python": options.python,
        "new_env": _new_folder(options),
        "comfyui": options.comfyui,
        "torch_change": TorchChange(options.torch) if options.torch else None,
        "distro": options.distro,
        "index_url": options.index_url,
        "wheelhouse": options.wheelhouse,
        "model": options.model,
    }
    if named["python"] and named["new_env"]:
        raise Problem(Text("cli.python-or-new-env"), ExitCode.BAD_INPUT)
    return replace(given, **{name: value for name, value in named.items() if value is not None})


def _new_folder(options: argparse.Namespace) -> str | None:
    """The folder of --new-env, absolute on this machine; Problem where a file is in the way."""
    if not options.new_env or getattr(options, "machine", None):
        return options.new_env or None
    folder = Path(options.new_env).absolute()
    if folder.exists() and not folder.is_dir():
        raise Problem(Text("cli.folder-is-a-file", {"file": str(folder)}), ExitCode.BAD_INPUT)
    if any(parent.exists() and not parent.is_dir() for parent in folder.parents):
        raise Problem(Text("cli.folder-is-a-file", {"file": str(next(p for p in folder.parents if p.exists()))}), ExitCode.BAD_INPUT)
    return str(folder)
