"""Looks for Pythons below folders: what lies near and what sounds promising first, so that a cut search has found the most."""

import heapq
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from app.probes.look import Look
from app.probes.pythons.apps import START_SCRIPT

MAX_CHILDREN: Final = 1500
"""A folder with more subfolders than this is data, not a place for programs."""

MAX_DEPTH: Final = 12
_PROMISING_LEVELS: Final = 4
_PROMISING_LEAD: Final = 3

_SKIPPED: Final = frozenset(
    {
        *("windows", "windows.old", "$recycle.bin", "system volume information", "recovery", "perflogs", "msocache", "config.msi", "lost+found"),
        *("node_modules", "site-packages", "dist-packages", "__pycache__", "include", "lib", "lib64", "libs", "share", "dlls", "tcl"),
        *("custom_nodes", "models", "checkpoints", "loras", "huggingface", "blobs", "datasets", "steamapps", "windowsapps"),
    }
)
_DOT_FOLDERS: Final = frozenset({".venv", ".venvs", ".env", ".envs", ".virtualenvs", ".conda", ".pyenv", ".pixi"})
_PROMISING: Final = re.compile(
    r"comfy|diffus|webui|forge|pinokio|swarm|stability|framepack|invoke|fooocus|musubi|kohya|wan2|portable|python|venv|conda|torch|triton"
    r"|flux|\bllm|vllm|\bai\b|^ai[_-]|^sd[_.-]|aki|绘|生成|画|packages$|^env|^\.venv|^standalone-env$"
)


@dataclass(slots=True)
class Budget:
    """How long a search may go on."""

    seconds: float
    started: float = field(default_factory=time.perf_counter)
    cut: bool = False

    @property
    def spent(self) -> bool:
        if time.perf_counter() - self.started >= self.seconds:
            self.cut = True
        return self.cut


@dataclass(slots=True)
class Searched:
    """`folders` were looked at. `starters` are folders with a start script that may name an environment elsewhere."""

    folders: set[str] = field(default_factory=set)
    starters: list[str] = field(default_factory=list)


def search(look: Look, roots: tuple[tuple[str, int], ...], budget: Budget, searched: Searched) -> Iterator[str]:
    """Executables of Pythons below the roots, each root with the number of levels to go down."""
    order = count()
    waiting = [(0, next(order), folder, levels) for folder, levels in roots]
    while waiting and not budget.spent:
        depth, _, folder, levels = heapq.heappop(waiting)
        # A folder met again with more levels to go is looked into again.
        key = f"{look.same(folder)}|{levels}"
        if key in searched.folders:
            continue
        searched.folders.add(key)
        names = look.names(folder)
        if names is None:
            continue
        if START_SCRIPT in names:
            searched.starters.append(folder)
        python = python_in(look, folder, names)
        if python is not None:
            yield python
            if "conda-meta/" in names and "envs/" in names:
                # Environments of conda lie inside its base.
                heapq.heappush(waiting, (depth, next(order), look.join(folder, "envs"), 1))
            if "pyvenv.cfg" in names or "conda-meta/" in names:
                continue
        if depth >= MAX_DEPTH:
            continue
        for child in [name[:-1] for name in names if name.endswith("/")][:MAX_CHILDREN]:
            lower = child.lower()
            promising = _PROMISING.search(lower) is not None
            left = max(levels - 1, _PROMISING_LEVELS) if promising else levels - 1
            if left >= 0 and _worth(lower):
                heapq.heappush(waiting, (depth + 1 - (_PROMISING_LEAD if promising else 0), next(order), look.join(folder, child), left))


def python_in(look: Look, folder: str, names: tuple[str, ...]) -> str | None:
    """The Python whose prefix this folder is; None: it is none."""
    if "pyvenv.cfg" in names:
        return _venv_python(look, folder, names)
    if look.on_windows:
        if any(name.lower() == "python.exe" for name in names) and look.name(folder).lower() not in ("scripts", "bin", "windowsapps", "shims"):
            return look.join(folder, "python.exe")
        return None
    return look.join(folder, "bin", "python") if "conda-meta/" in names and "bin/" in names else None


def _venv_python(look: Look, folder: str, names: tuple[str, ...]) -> str | None:
    if look.on_windows:
        # A venv made by a MinGW Python has bin, all others Scripts.
        inner = "bin" if "bin/" in names and "Scripts/" not in names else "Scripts"
        return look.join(folder, "python.exe") if "python.exe" in names else look.join(folder, inner, "python.exe")
    return look.join(folder, "bin", "python")


def _worth(lower: str) -> bool:
    if lower.startswith("."):
        return lower in _DOT_FOLDERS
    return lower not in _SKIPPED and not lower.startswith("$")
