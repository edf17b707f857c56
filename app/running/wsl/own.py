"""The distros that this program made: known by what Windows said of them when they were made, removed only by their name typed.

Removing a distro deletes its disk at once and for good (learn.microsoft.com/windows/wsl/basic-commands). So it is no step of any
plan, no undo does it, and a distro counts as ours only while identity and folder are still those that were written down.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from app.host.places import Places
from app.host.protocol import Host, Machine, Readings
from app.model import codec
from app.model.cancel import Cancel
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.wsl.errors import problem_of
from app.running.wsl.linux import wsl_at

LXSS: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss"
LIMIT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class OwnDistro:
    """`guid` is the name of its key in the registry: another distro of the same name has another one."""

    name: str
    folder: str
    guid: str

    def size_bytes(self) -> int:
        folder = Path(self.folder)
        return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) if folder.is_dir() else 0


def registered(host: Readings) -> Iterator[OwnDistro]:
    """Every distro that Windows knows, ours or not."""
    key = host.registry(LXSS)
    for guid in key.subkeys if key else ():
        values = found.values if guid.startswith("{") and (found := host.registry(f"{LXSS}\\{guid}")) else {}
        name, folder = values.get("DistributionName"), values.get("BasePath")
        if isinstance(name, str) and isinstance(folder, str):
            yield OwnDistro(name, folder.removeprefix("\\\\?\\"), guid)


def write_down(places: Places, host: Host, name: str, folder: str) -> None:
    """Notes a distro that was just made in a folder of ours, as Windows knows it now."""
    for distro in registered(host):
        if distro.name == name and _is_same(distro.folder, folder):
            host.write_file(str(_record(places, name)), json.dumps(asdict(distro), ensure_ascii=False).encode())


def own_distros(places: Places, host: Readings) -> tuple[OwnDistro, ...]:
    """Those written down that Windows still knows by the same identity, name and folder."""
    now = tuple(registered(host))
    found = []
    for path in sorted((places.data / "wsl").glob("*.json")):
        noted = codec.load(codec.parse(path.read_bytes(), path.name), OwnDistro, path.name)
        found += [one for one in now if (one.guid, one.name) == (noted.guid, noted.name) and _is_same(one.folder, noted.folder)]
    return tuple(found)


def remove_distro(places: Places, host: Machine, name: str, typed: str, cancel: Cancel) -> None:
    """Deletes a distro of ours with all that is in it. Problem if it is not ours, or if what was typed is not exactly its name."""
    own = next((one for one in own_distros(places, host) if one.name == name), None)
    if own is None:
        raise Problem(Text("wsl.not-our-distro", {"distro": name}), ExitCode.BLOCKED)
    if typed != own.name:
        raise Problem(Text("wsl.name-not-typed", {"distro": name}), ExitCode.BLOCKED)
    for verb in ("--terminate", "--unregister"):
        printed: list[str] = []
        code = host.execute((wsl_at(host), verb, own.name), lambda line: printed.append(line.text), cancel, encoding="utf-16-le", timeout_s=LIMIT_S)  # noqa: B023 - called before the next turn
        if code:
            raise problem_of("\n".join(printed), code)
    _record(places, name).unlink(missing_ok=True)
    shutil.rmtree(own.folder, ignore_errors=True)


def _record(places: Places, name: str) -> Path:
    return places.data / "wsl" / f"{name}.json"


def _is_same(one: str, other: str) -> bool:
    return one.rstrip("\\/").casefold() == other.rstrip("\\/").casefold()
