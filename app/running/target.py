"""The Python that a run works on: where it keeps its files and what is installed there."""

import importlib.metadata
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

from app.host.protocol import Readings
from app.model.problem import Problem
from app.model.text import Text

_QUESTION: Final = """
import json, os, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({
    "executable": sys.executable, "version": ".".join(map(str, sys.version_info[:3])), "prefix": sys.prefix, "base_prefix": sys.base_prefix,
    "purelib": paths["purelib"], "platlib": paths["platlib"], "scripts": paths["scripts"], "include": paths["include"],
    "managed": sys.prefix == sys.base_prefix and os.path.isfile(os.path.join(paths["stdlib"], "EXTERNALLY-MANAGED")),
}))
"""


@dataclass(frozen=True, slots=True)
class Target:
    """`root` is the environment's folder: everything that is installed lies below it."""

    executable: str
    version: str
    root: Path
    base: str
    purelib: str
    platlib: str
    scripts: str
    include: str
    is_managed: bool

    @property
    def is_virtual(self) -> bool:
        return os.path.normcase(self.base) != os.path.normcase(str(self.root))


def ask_target(python: str, host: Readings) -> Target:
    """Asks `python` itself, without a compiled file being left. Problem if it does not start or does not answer."""
    answer = host.query([python, "-I", "-B", "-X", "utf8", "-c", _QUESTION], 60.0)
    if answer.exit_code != 0:
        reason = answer.stderr.decode(errors="replace").strip().splitlines()[-1:] or [answer.failure or "?"]
        raise Problem(Text("run.python-does-not-start", {"python": python, "reason": reason[0][:200]}), cause="venv-broken")
    try:
        said = json.loads(answer.stdout.decode(errors="replace").strip().splitlines()[-1])
        return Target(
            executable=python,
            version=said["version"],
            root=Path(said["prefix"]),
            base=said["base_prefix"],
            purelib=said["purelib"],
            platlib=said["platlib"],
            scripts=said["scripts"],
            include=said["include"],
            is_managed=said["managed"],
        )
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise Problem(Text("run.python-does-not-start", {"python": python, "reason": "no answer"}), cause="venv-broken") from error


def installed(target: Target) -> dict[str, str]:
    """Normalised names to versions of what lies in the environment's own site-packages."""
    return {name: version for name, version, _ in _distributions(target)}


def files_of(target: Target, names: frozenset[str]) -> tuple[str, ...]:
    """Every file of the installed packages `names`, relative to the environment, with `/`; all distributions of a name.

    Where a package kept no record of its files, the folders that it names as its own count, and its own metadata.
    """
    root = os.path.realpath(target.root)
    found: set[str] = set()
    for name, _, distribution in _distributions(target):
        if name in names:
            for path in _recorded(distribution):
                relative = os.path.relpath(os.path.normpath(path), root)
                if not relative.startswith(".."):
                    found.add(relative.replace(os.sep, "/"))
    return tuple(sorted(found))


def _distributions(target: Target) -> Iterator[tuple[str, str, importlib.metadata.Distribution]]:
    """Normalised name, version and distribution of whatever names itself."""
    for distribution in importlib.metadata.distributions(path=list(dict.fromkeys([target.purelib, target.platlib]))):
        # Only the head of the metadata: parsing every package's long description takes seconds in a big environment.
        head = (distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or "").partition("\n\n")[0]
        fields = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in head.splitlines())}
        if fields.get("name"):
            yield canonicalize_name(fields["name"]), fields.get("version", ""), distribution


def _recorded(distribution: importlib.metadata.Distribution) -> Iterator[str]:
    metadata_folder = Path(os.path.realpath(str(distribution._path)))  # type: ignore[attr-defined]  # the only way to where a distribution lies
    home = metadata_folder.parent
    if (metadata_folder / "RECORD").is_file() and distribution.files is not None:
        yield from (os.path.join(home, *file.parts) for file in distribution.files)  # noqa: PTH118 - hot for torch's 13,000 files
    else:
        tops = (distribution.read_text("top_level.txt") or distribution.metadata["Name"].replace("-", "_")).split()
        for top in tops:
            yield from _everything_below(home / top)
            yield str(home / f"{top}.py")
    # Files that installers add without recording them.
    yield from _everything_below(metadata_folder)


def _everything_below(place: Path) -> Iterator[str]:
    if place.is_dir():
        for folder, _, names in os.walk(place):
            yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118 - hot
    elif place.is_file():
        yield str(place)
