"""A small world for a test: an environment with packages in it, wheels to change it, a plan that does, and how to compare trees."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from app.model.plan import Choice, Plan, PlannedPython, RouteKind, Step, Verdict
from app.model.text import Text
from app.running.tools import find_uv
from tests.running.made_wheels import make_wheel

TITLE = Text("run.title", {"goals": "test"})


def tree_of(root: Path) -> dict[str, str]:
    """Every path below `root` with what it is: a folder, where a link leads, or the hash of a file."""
    found: dict[str, str] = {}
    folders = [(str(root), "")]
    while folders:
        folder, prefix = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                key = f"{prefix}{entry.name}"
                if entry.is_symlink():
                    found[key] = f"-> {Path(entry.path).readlink()}"
                elif entry.is_dir():
                    found[key] = "folder"
                    folders.append((entry.path, f"{key}/"))
                else:
                    with open(entry.path, "rb", buffering=0) as file:  # noqa: PTH123 - hot for thousands of files under Wine
                        found[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def python_of(environment: Path) -> str:
    return str(environment / "Scripts" / "python.exe" if os.name == "nt" else environment / "bin" / "python")


def packages_of(environment: Path) -> Path:
    return environment / "Lib" / "site-packages" if os.name == "nt" else next((environment / "lib").glob("python3*")) / "site-packages"


def make_environment(environment: Path, wheels: Iterable[Path] = ()) -> Path:
    """A venv with `wheels` in it and compiled files beside their sources, as one has that was used."""
    uv = find_uv()
    assert uv
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([uv, "--no-config", "venv", "--python", sys.executable, str(environment)], check=True, **quiet)
    wheels = [str(wheel) for wheel in wheels]
    if wheels:
        install = [uv, "--no-config", "pip", "install", "--offline", "--no-index", "--no-deps", "--link-mode", "copy", "--python", python_of(environment)]
        subprocess.run([*install, *wheels], check=True, **quiet)
        subprocess.run([python_of(environment), "-m", "compileall", "-q", str(packages_of(environment))], check=True, **quiet)
    return environment


def old_wheels(folder: Path) -> list[Path]:
    """What is there before: alpha with many files, a part of a shared namespace, a script; keeper, gamma and a single-file module."""
    return [
        make_wheel(
            folder, "alpha", "1.0",
            {"alpha/__init__.py": b"__version__ = '1.0'\n", "alpha/old.py": b"x = 1\n", "alpha/deep/er/data.bin": b"o" * 9, "shared/alpha_part.py": b"v = 1\n"},
            scripts=["alpha"],
        ),
        make_wheel(folder, "keeper", "1.0", {"keeper/__init__.py": b"k = 1\n", "shared/keeper_part.py": b"k = 1\n"}),
        make_wheel(folder, "gamma", "1.0"),
        make_wheel(folder, "single", "1.0", {"single.py": b"__version__ = '1.0'\n"}),
    ]  # fmt: skip


def new_wheels(folder: Path) -> list[Path]:
    """What comes: alpha 2.0 with other files, single 2.0, and beta, which brings a file into the environment's own folder."""
    return [
        make_wheel(
            folder, "alpha", "2.0",
            {"alpha/__init__.py": b"__version__ = '2.0'\n", "alpha/new.py": b"x = 2\n", "alpha/deep/er/data.bin": b"n" * 7, "shared/alpha_part.py": b"v = 2\n"},
            requires=["beta>=1"], scripts=["alpha", "alpha-more"],
        ),
        make_wheel(folder, "single", "2.0", {"single.py": b"__version__ = '2.0'\n"}),
        make_wheel(folder, "beta", "1.0", data={"share/beta/table.txt": b"table"}),
    ]  # fmt: skip


def step(id: str, kind: str, **arguments: str | bool | tuple[str, ...] | Mapping[str, str]) -> Step:
    return Step(id, kind, TITLE, arguments=arguments)


def plan_of(python: str | None, steps: Iterable[Step], *, index: str | None = None, keeps: tuple[str, ...] = ()) -> Plan:
    planned = PlannedPython(python, "venv", "3.11") if python else None
    return Plan(Verdict.READY, RouteKind.LINUX, (), planned, (), {}, tuple(steps), 0, 0, keeps, Choice(index_url=index))


def change_steps(python: str, requirements: Iterable[str], modules: Iterable[str], *, removes: tuple[str, ...] = (), keeps: tuple[str, ...] = ()) -> list[Step]:
    """The steps of an ordinary change."""
    requirements = tuple(requirements)
    return [
        step("check", "check-free", python=python),
        step("resolve", "resolve", python=python, requirements=requirements, sources=(), find_links="", keeps=keeps),
        step("download", "download", requirements=requirements),
        step("swap", "swap", python=python, removes=removes, keeps=keeps),
        step("test", "smoke-test", python=python, modules=tuple(modules)),
    ]
