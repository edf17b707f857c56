"""Which tables decide here: fresher ones that a person took, where they still pass every check, else the shipped ones."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.host.kept_files import forget, keep, read_kept, stamp
from app.model.problem import Problem, reason_of
from app.model.text import Text
from app.tables import Tables, load_tables

FOLDER: Final = "tables"
"""Below the program's data."""


def current_tables(data: Path) -> Tables:
    """The tables to decide with; `data` is the program's own folder."""
    written = stamp(data / FOLDER / "manifest.json")
    return load_tables() if written is None else _kept(data / FOLDER, written)


@lru_cache(maxsize=2)
def _kept(folder: Path, written: int) -> Tables:
    """`written` makes another package another entry of the cache."""
    from app.tables.fresh import tables_from

    return tables_from(read_kept(folder))


def keep_tables(data: Path, files: dict[str, bytes]) -> None:
    """Keeps files that were checked before, in the place of earlier ones."""
    _change(data, lambda folder: keep(folder, files))


def forget_tables(data: Path) -> bool:
    """Goes back to the shipped tables; whether there were others."""
    found = stamp(data / FOLDER / "manifest.json") is not None
    _change(data, forget)
    return found


def _change(data: Path, act: Callable[[Path], object]) -> None:
    try:
        act(data / FOLDER)
    except OSError as error:
        raise Problem(Text("tables.not-kept", {"folder": str(data / FOLDER), "reason": reason_of(error)})) from error
