"""Looks for Pythons below a folder: breadth first, so that what lies near is found when the time is over."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from app.probes.look import Look

MAX_CHILDREN: Final = 1500
"""A folder with more subfolders than this is data, not a place for programs."""

_SKIPPED: Final = frozenset(
    {
        *("windows", "windows.old", "$recycle.bin", "$winreagent", "system volume information", "recovery", "perflogs", "msocache", "config.msi"),
        *("node_modules", "site-packages", "dist-packages", "__pycache__", "include", "lib", "lib64", "libs", "share", "dlls", "tcl", "doc", "docs"),
        *("custom_nodes", "models", "output", "input", "temp", "tmp", "checkpoints", "loras", "huggingface", "hub", "blobs", "datasets"),
        *("steam", "steamapps", "steamlibrary", "epic games", "games", "riot games", "xboxgames", "windowsapps", "microsoft", "packages_cache"),
        *("proc", "sys", "dev", "run", "boot", "snap", "lost+found", "go", "cargo", "target", "build", "dist"),
        *("python_embeded_backup",),
    }
)
_WANTED_DOT: Final = frozenset({".venv", ".venvs", ".env", ".envs", ".virtualenvs", ".conda", ".pyenv"})


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


def search(look: Look, roots: tuple[tuple[str, int], ...], budget: Budget) -> Iterator[str]:
    """Executables of Pythons below the roots, each root with the number of levels to go down."""
    waiting = deque(roots)
    seen = set()
    while waiting and not budget.spent:
        folder, levels = waiting.popleft()
        key = look.same(folder)
        if key in seen:
            continue
        seen.add(key)
        names = look.names(folder)
        if names is None:
            continue
        python = python_in(look, folder, names)
        if python is not None:
            yield python
            # Environments of conda lie inside its base.
            if "conda-meta/" in names and "envs/" in names:
                waiting.append((look.join(folder, "envs"), 1))
            if "pyvenv.cfg" in names or "conda-meta/" in names:
                continue
        if levels > 0:
            children = [name[:-1] for name in names if name.endswith("/")]
            waiting.extend((look.join(folder, child), levels - 1) for child in children[:MAX_CHILDREN] if _worth(child))


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
        # A venv made by a MinGW Python has bin, all others Scripts; one without either is broken, and still to be told.
        inner = "bin" if "bin/" in names and "Scripts/" not in names else "Scripts"
        return look.join(folder, "python.exe") if "python.exe" in names else look.join(folder, inner, "python.exe")
    return look.join(folder, "bin", "python")


def _worth(child: str) -> bool:
    lower = child.lower()
    if lower.startswith("."):
        return lower in _WANTED_DOT
    return lower not in _SKIPPED and not lower.startswith(("$", "cuda"))
