"""Exchanging files of an environment by renames, so that any interruption can be taken back or finished.

What is replaced moves to `aside`, what is new moves in from `staged`, both on the environment's own volume and under the same
relative paths. A rename either happened or not, and which of the two shows on the disk: so one list written before the first
rename is all that going on or putting back needs.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.host.file_changes import long_path
from app.model import codec

Rename = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Moves:
    """Paths relative to the environment, with `/`. A folder stands for all that is in it.

    `aside` leave the environment, `inward` come in; `files` are the single files behind `inward`.
    """

    aside: tuple[str, ...]
    inward: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trees:
    """The environment `root` and the three trees beside it, on one volume, all with the same relative paths."""

    root: Path
    aside: Path
    staged: Path
    discarded: Path


class Mover(Protocol):
    def rename(self, source: str, target: str) -> None: ...

    def remove(self, path: str) -> None: ...


def plan_moves(root: Path, staged: Path, removed: Iterable[str]) -> Moves:
    """The fewest renames that take the files `removed` out of `root` and bring all of `staged` in.

    A file that is in the way of a staged one goes aside too, whoever it belongs to. Compiled files of removed sources go with them.
    """
    incoming = frozenset(_files_below(staged))
    doomed = set(_present(root, (*removed, *incoming)))
    doomed |= {compiled for path in doomed for compiled in _compiled_of(root, path)}
    aside = tuple(_fewest(root, "", frozenset(doomed)))
    gone = frozenset(aside)
    return Moves(aside, tuple(_inward(root, staged, "", gone)), tuple(sorted(incoming)))


def perform(moves: Moves, trees: Trees, mover: Mover, check: Callable[[], None]) -> None:
    """Makes the renames that are not made yet. `check` is asked between them and may raise to stop."""
    for path in moves.aside:
        check()
        if not _exists(trees.aside, path):
            mover.rename(str(trees.root / path), str(trees.aside / path))
    for path in moves.inward:
        check()
        if _exists(trees.staged, path):
            mover.rename(str(trees.staged / path), str(trees.root / path))


def reverse(moves: Moves, trees: Trees, mover: Mover) -> None:
    """Takes back whatever of `moves` was made, now or days later, and can itself be interrupted and begun again.

    What came into the new folders since then and is not ours stays where it is.
    """
    ours = frozenset(moves.files)
    waiting = frozenset(path for path in moves.aside if _exists(trees.aside, path))
    at_home = frozenset(moves.aside) - waiting
    for path in reversed(moves.inward):
        if path not in at_home and _exists(trees.root, path) and not _exists(trees.staged, path):
            _take_out(path, trees, ours, at_home, mover)
    for path in reversed(moves.aside):
        if path in waiting:
            _bring_back(path, trees, mover)


def _take_out(path: str, trees: Trees, ours: Set[str], at_home: Set[str], mover: Mover) -> None:
    root = trees.root
    found = frozenset(_files_below(root, path)) if _is_folder(root, path) else frozenset({path})
    doomed = {file for file in found if file in ours or _source_of(file) in ours}
    doomed |= {compiled for file in doomed for compiled in _compiled_of(root, file)}
    for part in _fewest(root, path.rpartition("/")[0], frozenset(doomed) - at_home):
        _discard(part, trees, mover)
    if _is_folder(root, path) and not any(_files_below(root, path)):
        _discard(path, trees, mover)


def _bring_back(path: str, trees: Trees, mover: Mover) -> None:
    root, aside = trees.root, trees.aside
    if not _exists(root, path):
        mover.rename(str(aside / path), str(root / path))
    elif _is_folder(root, path) and _is_folder(aside, path):
        # A program made the folder again in between: what was ours goes back into it, one by one.
        with os.scandir(long_path(str(aside / path))) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            _bring_back(f"{path}/{name}", trees, mover)
        mover.remove(str(aside / path))
    else:
        _discard(path, trees, mover)
        mover.rename(str(aside / path), str(root / path))


def _discard(path: str, trees: Trees, mover: Mover) -> None:
    target = trees.discarded / path
    if os.path.lexists(long_path(str(target))):
        mover.remove(str(target))
    mover.rename(str(trees.root / path), str(target))


def _inward(root: Path, staged: Path, folder: str, gone: Set[str]) -> Iterator[str]:
    with os.scandir(long_path(str(staged / folder))) as entries:
        children = sorted(entries, key=lambda entry: entry.name)
    for child in children:
        path = f"{folder}/{child.name}" if folder else child.name
        if path in gone or not _exists(root, path) or not child.is_dir(follow_symlinks=False):
            yield path
        else:
            yield from _inward(root, staged, path, gone)


def _fewest(root: Path, folder: str, doomed: Set[str]) -> list[str]:
    """`doomed` files below `folder` as the fewest renames: a folder of which everything is doomed counts as one."""
    tree: dict[str, Any] = {}
    prefix = f"{folder}/" if folder else ""
    for path in doomed:
        node = tree
        for part in path.removeprefix(prefix).split("/"):
            node = node.setdefault(part, {})
    return [path for name in sorted(tree) for path in _collapse(root, f"{prefix}{name}", tree[name])[1]]


def _collapse(root: Path, path: str, node: dict[str, Any]) -> tuple[bool, list[str]]:
    if not node:
        return True, [path]
    whole, parts = True, []
    with os.scandir(long_path(str(root / path))) as entries:
        names = {entry.name for entry in entries}
    for name in sorted(node):
        child_whole, child_parts = _collapse(root, f"{path}/{name}", node[name])
        whole &= child_whole
        parts += child_parts
    # The environment's own folders (bin, Scripts, site-packages) stay, even when everything in them is exchanged.
    if whole and names == set(node) and "/site-packages/" in f"/{path}":
        return True, [path]
    return False, parts


def _compiled_of(root: Path, path: str) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    if not name.endswith(".py"):
        return
    cache = f"{folder}/__pycache__" if folder else "__pycache__"
    stem = name.removesuffix(".py") + "."
    try:
        with os.scandir(long_path(str(root / cache))) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(stem) and entry.name.endswith(".pyc")]
    except OSError:
        return
    # `six.cpython-311.pyc` belongs to six.py, `six.more.cpython-311.pyc` does not.
    yield from (f"{cache}/{found}" for found in names if found.removeprefix(stem).count(".") <= 2)


def _source_of(path: str) -> str:
    """The source a compiled file was made from, else the path itself."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".pyc") or not folder.endswith("__pycache__"):
        return path
    home = folder.removesuffix("__pycache__")
    return f"{home}{name.split('.')[0]}.py"


def _files_below(root: Path, folder: str = "") -> Iterator[str]:
    start = long_path(str(root / folder) if folder else str(root))
    stack = [(start, folder)]
    while stack:
        place, relative = stack.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    path = f"{relative}/{entry.name}" if relative else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        stack.append((entry.path, path))
                    else:
                        yield path
        except FileNotFoundError:
            continue


def _present(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """Which of `paths` exist in `root`, by one look into each folder and not one at each file."""
    listed: dict[str, frozenset[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in listed:
            listed[folder] = frozenset(_names_in(long_path(str(root / folder))))
        if os.path.normcase(name) in listed[folder]:
            yield path


def _names_in(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (os.path.normcase(entry.name) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return


def _exists(root: Path, path: str) -> bool:
    return os.path.lexists(long_path(str(root / path)))


def _is_folder(root: Path, path: str) -> bool:
    place = Path(long_path(str(root / path)))
    return place.is_dir() and not place.is_symlink()


def dump_moves(moves: Moves) -> bytes:
    return json.dumps(codec.dump(moves), ensure_ascii=False).encode()


def load_moves(content: bytes, name: str) -> Moves:
    return codec.load(codec.parse(content, name), Moves, name)
