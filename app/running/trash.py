"""Removing big trees without anybody waiting: renamed out of the way at once, deleted in the background, swept up after a crash."""

import itertools
import os
import threading
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.host.protocol import Machine
from app.model.problem import Problem
from app.running.journal import Journal, read_journal, runs_folder

_NAME: Final = ".triton-setup-removing"
_SMALL: Final = 300
"""So many entries are deleted at once."""


def throw_away(path: Path, place: Path, journal: Journal, host: Machine) -> None:
    """Takes `path` away from where it is, into a folder in `place` on the same volume, and deletes it there in the background.

    Deletes it where it is if it cannot be renamed. Problem if that fails too.
    """
    if not os.path.lexists(path):
        return
    heap = place / f"{_NAME}-{uuid.uuid4().hex[:8]}"
    journal.write("trash", path=str(heap))
    try:
        host.rename(str(path), str(heap / path.name))
    except Problem:
        host.remove(str(path))
        host.remove(str(heap))
        return
    if _is_small(heap):
        host.remove(str(heap))
    else:
        delete_later([heap], host)


def _is_small(path: Path) -> bool:
    return next(itertools.islice(path.rglob("*"), _SMALL, None), None) is None


def delete_later(paths: Iterable[Path], host: Machine) -> None:
    """Deletes in a thread of its own, which the program's end waits for."""

    def work() -> None:
        for path in paths:
            try:
                host.remove(str(path))
            except Problem:
                # Its path stands in a journal; the next run tries again.
                continue

    threading.Thread(target=work, name="trash").start()


def sweep(state: Path, host: Machine) -> None:
    """Deletes what earlier, interrupted deletions left."""
    folder = runs_folder(state)
    heaps = [
        Path(entry.values["path"])
        for run in (folder.iterdir() if folder.is_dir() else ())
        for entry in read_journal(run)
        if entry.kind == "trash" and Path(entry.values["path"]).name.startswith(_NAME)
    ]
    left = [heap for heap in heaps if heap.exists()]
    if left:
        delete_later(left, host)
