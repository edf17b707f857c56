"""Taking back what a run did, from its journal alone: now, after a crash, or days later."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from app.host.file_changes import flush_folder
from app.host.protocol import Machine
from app.model.cancel import Cancel
from app.model.problem import Problem
from app.model.text import Text
from app.running.acts import MadeFolder, Opened, Swapped, UndoneByCommand, WroteFile, trees_of
from app.running.journal import Journal, read_acts
from app.running.moves import load_moves, reverse
from app.running.trash import throw_away


def take_back(folder: Path, journal: Journal, host: Machine, say: Callable[[str], None]) -> None:
    """Reverses the acts of the run in `folder`, the last first. Can be interrupted at any point and begun again. Problem if a file resists."""
    with contextlib.suppress(Problem):
        # Not even room for a line: the acts and the disk say enough.
        journal.write("undo")
    acts = read_acts(folder)
    made = [act.path for act in acts if isinstance(act, MadeFolder)]
    for act in reversed(acts):
        if isinstance(act, UndoneByCommand):
            say(f"takes back by {' '.join(act.argv)}")
            _run(act, host)
            continue
        place = act.root if isinstance(act, Swapped) else act.path
        if any(place != folder_made and Path(place).is_relative_to(folder_made) for folder_made in made):
            # Goes with the new folder it lies in.
            continue
        say(f"takes back {act.type} {place}")
        _reverse(act, journal, host)
    journal.write("undone")


def tidy(folder: Path, journal: Journal, host: Machine) -> None:
    """After a commit: removes what neither the environment nor an undo needs."""
    for act in read_acts(folder):
        if isinstance(act, Opened) and Path(act.path).is_dir():
            work = Path(act.path)
            for child in sorted(work.iterdir()):
                if not child.name.startswith("aside-"):
                    throw_away(child, _beside(work), journal, host)
            if not any(work.iterdir()):
                _close(work, journal, host)


def _run(act: UndoneByCommand, host: Machine) -> None:
    code = host.execute(act.argv, lambda _: None, Cancel())
    if code:
        raise Problem(Text("run.command-failed", {"program": Path(act.argv[0]).name, "code": code}))


def _reverse(act: MadeFolder | WroteFile | Swapped | Opened, journal: Journal, host: Machine) -> None:
    if isinstance(act, MadeFolder):
        path = Path(act.path)
        throw_away(path, Path((act.path, *act.parents)[-1]).parent, journal, host)
        for parent in act.parents:
            if Path(parent).is_dir() and not any(Path(parent).iterdir()):
                host.remove(parent)
    elif isinstance(act, WroteFile):
        if act.before is None:
            host.remove(act.path)
        elif Path(act.before).is_file():
            host.write_file(act.path, Path(act.before).read_bytes())
    elif isinstance(act, Swapped):
        if Path(act.moves).is_file() and Path(act.root).is_dir():
            reverse(load_moves(Path(act.moves).read_bytes(), act.moves), trees_of(act), host)
            flush_folder(act.root)
    else:
        _close(Path(act.path), journal, host)


def _close(work: Path, journal: Journal, host: Machine) -> None:
    """The working folder goes out of the environment, and its parent in it where that is empty then."""
    home = work.parent
    throw_away(work, _beside(work), journal, host)
    if os.path.lexists(home) and not any(home.iterdir()):
        host.remove(str(home))


def _beside(work: Path) -> Path:
    """The folder that holds the environment of a working folder."""
    return work.parent.parent.parent
