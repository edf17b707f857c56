"""Taking back what a run did, from its journal alone: now, after a crash, or days later."""

import os
from collections.abc import Callable
from pathlib import Path

from app.host.file_changes import flush_folder
from app.host.protocol import Machine
from app.running.acts import Act, MadeFolder, Opened, Swapped, WroteFile, trees_of
from app.running.journal import Journal, read_acts
from app.running.moves import load_moves, reverse


def take_back(folder: Path, journal: Journal, host: Machine, say: Callable[[str], None]) -> None:
    """Reverses the acts of the run in `folder`, the last first. Can be interrupted at any point and begun again. Problem if a file resists."""
    journal.write("undo")
    for act in reversed(read_acts(folder)):
        say(_words(act))
        _reverse(act, host)
    journal.write("undone")


def tidy(folder: Path, host: Machine) -> None:
    """After a commit: removes what neither the environment nor an undo needs."""
    for act in read_acts(folder):
        if isinstance(act, Opened):
            _keep_only_aside(Path(act.path), host)


def _reverse(act: Act, host: Machine) -> None:
    if isinstance(act, MadeFolder):
        _remove_quickly(act.path, host)
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
            moves = load_moves(Path(act.moves).read_bytes(), act.moves)
            reverse(moves, trees_of(act), host)
            flush_folder(act.root)
    else:
        _close(Path(act.path), host)


def _remove_quickly(path: str, host: Machine) -> None:
    """Renames first, so that a half-removed environment never stands under its name."""
    if os.path.lexists(path):
        doomed = f"{path}.removing"
        host.remove(doomed)
        host.rename(path, doomed)
    host.remove(f"{path}.removing")


def _close(work: Path, host: Machine) -> None:
    host.remove(str(work))
    if work.parent.is_dir() and not any(work.parent.iterdir()):
        host.remove(str(work.parent))


def _keep_only_aside(work: Path, host: Machine) -> None:
    if not work.is_dir():
        return
    for child in sorted(work.iterdir()):
        if not child.name.startswith("aside-"):
            host.remove(str(child))
    if not any(work.iterdir()):
        _close(work, host)


def _words(act: Act) -> str:
    place = act.root if isinstance(act, Swapped) else act.path
    return f"takes back {act.type} {place}"
