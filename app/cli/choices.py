"""From options of the command line to a Choice."""

import argparse
import os
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from app.cli.terminal import Terminal
from app.model.plan import Choice, ModelFolders, RouteKind, TorchChange
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.model.unknown import known
from app.session import Session


def choice_of(options: argparse.Namespace, session: Session, terminal: Terminal) -> Choice:
    """The choice that the options describe. An answer file fills what no option names; else the session's (of a report) does."""
    if options.python and options.new_env:
        raise Problem(Text("cli.python-or-new-env"), ExitCode.BAD_INPUT)
    given = given_choice(options, session, terminal)
    named = {
        "goals": options.goal,
        "route": RouteKind(options.route) if options.route != "auto" else None,
        "python": options.python,
        "new_env": _new_folder(options, session),
        "comfyui": options.comfyui,
        "torch_change": TorchChange(options.torch) if options.torch else None,
        "torch_version": options.torch_version,
        "distro": options.distro,
        "index_url": options.index_url,
        "wheelhouse": options.wheelhouse,
        "model": options.model,
        "models": ModelFolders(options.models) if options.models else None,
    }
    if named["python"] or named["new_env"]:
        given = replace(given, python=None, new_env=None)
    return replace(given, **{name: value for name, value in named.items() if value is not None})


def given_choice(options: argparse.Namespace, session: Session, terminal: Terminal) -> Choice:
    """The choice of the answer file, said decision by decision and made to fit this machine; without one the session's."""
    if options.answers is None:
        return session.choice
    from app.report.answers import describe_answers, read_answers

    answers = read_answers(options.answers)
    terminal.say("cli.answers", file=options.answers.name)
    for line in describe_answers(answers):
        terminal.line("  " + terminal.words(line))
    return session.fit(answers.choice)


def _new_folder(options: argparse.Namespace, session: Session) -> str | None:
    """The folder of --new-env, absolute on this machine; Problem where no environment can be made there, as far as can be told."""
    given: str | None = options.new_env
    if not given:
        return None
    is_replay = bool(getattr(options, "machine", None))
    windows = session.facts.os.family == "windows" if session.facts else os.name == "nt"
    if not is_replay and (windows or not PureWindowsPath(given).drive):
        given = str(Path(given).absolute())
    place = PureWindowsPath(given) if windows else PurePosixPath(given)
    if not place.is_absolute() or "\0" in given:
        raise Problem(Text("cli.folder-not-full", {"file": given, "example": "D:\\envs\\triton" if windows else "/home/me/triton"}), ExitCode.BAD_INPUT)
    if place == place.parent:
        raise Problem(Text("cli.folder-is-root", {"file": given}), ExitCode.BAD_INPUT)
    if not is_replay:
        _check_here(Path(given), session)
    return given


def _check_here(folder: Path, session: Session) -> None:
    """No file in the way, and nothing in the folder but an environment that was found."""
    if folder.exists() and not folder.is_dir():
        raise Problem(Text("cli.folder-is-a-file", {"file": str(folder)}), ExitCode.BAD_INPUT)
    if any(parent.exists() and not parent.is_dir() for parent in folder.parents):
        raise Problem(Text("cli.folder-is-a-file", {"file": str(next(p for p in folder.parents if p.exists()))}), ExitCode.BAD_INPUT)
    pythons = known(session.facts.pythons, ()) if session.facts else ()
    is_environment = any(folder in Path(python.executable).parents[:2] for python in pythons)
    if folder.is_dir() and not is_environment and any(folder.iterdir()):
        raise Problem(Text("run.folder-not-empty", {"path": str(folder)}), ExitCode.BAD_INPUT)
