"""The probe: known places first, then a search within a time, each Python read once."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Final

from app.model.facts import Python
from app.model.scan import ScanResult
from app.model.unknown import UNKNOWN, known
from app.probes.look import Look
from app.probes.pythons.apps import Neighbours, app_by_start_script, app_version, attention_flags
from app.probes.pythons.places import app_folders, known_pythons
from app.probes.pythons.reading import in_use_by, read_python
from app.probes.pythons.search import Budget, Searched, search
from app.probes.pythons.shape import Shape, shape_of
from app.probes.scanning import STAMPS, Probe

SEARCH_S: Final = 1.0
"""For looking around on the drives. Folders that the person named and those of known applications are not cut."""

NAMED_SEARCH_S: Final = 20.0
NAMED_LEVELS: Final = 5
_DRIVE_LEVELS: Final = 4


def pythons_probe(folders: tuple[str, ...], previous: ScanResult | None) -> Probe:
    """`folders` are named by the person. `previous` spares reading environments that did not change since."""

    def look_at_pythons(look: Look) -> None:
        _Pythons(look, previous).read_all(folders)

    return Probe("pythons", ("pythons",), look_at_pythons, timeout_s=60.0)


class _Pythons:
    """Collects, and puts what it has so far: a scan that runs out of time keeps it."""

    def __init__(self, look: Look, previous: ScanResult | None) -> None:
        self._look = look
        self._near = Neighbours(look)
        self._running = look.python_processes()
        self._seen: set[str] = set()
        self._searched = Searched()
        self._found: list[Python] = []
        self._stamps: dict[str, str] = {}
        known_before = () if previous is None or previous.facts.pythons is UNKNOWN else previous.facts.pythons
        self._old = {python.executable: python for python in known_before}
        self._old_gaps = previous.facts.gaps if previous is not None else ()
        self._old_stamps = previous.stamps if previous is not None else {}

    def read_all(self, folders: tuple[str, ...]) -> None:
        look = self._look
        named = Budget(math.inf if look.is_replay else NAMED_SEARCH_S)
        for executable in self._named(folders, named):
            self.read(executable)
        for source in (iter(self._old), known_pythons(look)):
            for executable in source:
                self.read(executable)
        for executable in search(look, tuple(app_folders(look)), named, self._searched):
            self.read(executable)
        around = Budget(math.inf if look.is_replay else SEARCH_S)
        for executable in search(look, _drive_roots(look), around, self._searched):
            self.read(executable)
        for folder in dict.fromkeys(self._searched.starters):
            self._assign(folder)
        if named.cut or around.cut:
            look.gap("pythons", "search-cut", f"{SEARCH_S:g} s" if around.cut else f"{NAMED_SEARCH_S:g} s")
        if self._found and self._running is None:
            look.gap("pythons.in_use_by", "no-answer")
        if any(python.packages is not UNKNOWN and "torch" in python.packages for python in self._found):
            # Only a start of torch itself could tell; the proof does that when it is asked for.
            look.gap("pythons.torch_cuda_available", "not-asked")
        self._put()

    def _named(self, folders: tuple[str, ...], budget: Budget) -> Iterator[str]:
        look = self._look
        for folder in folders:
            if look.name(folder).lower().startswith("python") and look.program(folder) is not None:
                yield folder
                continue
            before = len(self._found)
            yield from search(look, ((folder, NAMED_LEVELS),), budget, self._searched)
            # A folder inside an application: its Python lies beside or above.
            above = self._near.ancestors(folder)[:2] if len(self._found) == before else []
            yield from search(look, tuple((parent, 2) for parent in above if look.same(look.parent(parent)) != look.same(parent)), budget, self._searched)

    def read(self, executable: str) -> None:
        look = self._look
        key = self._identity(executable)
        if key in self._seen:
            return
        self._seen.add(key)
        shape = shape_of(look, executable)
        if shape is None:
            return
        stamp = self._stamp(shape)
        old = self._old.get(executable)
        if old is not None and stamp and self._old_stamps.get(executable) == stamp:
            python = old if self._running is None else dataclasses.replace(old, in_use_by=in_use_by(look, shape, self._running))
            for gap in self._old_gaps:
                # What could not be read of it then is told again: its detail begins with the executable.
                if gap.probe.startswith("pythons.") and known(gap.detail, "").partition(": ")[0] == executable:
                    look.gap(gap.probe, gap.code, known(gap.detail, None))
        else:
            python = read_python(look, self._near, shape, self._running)
        if stamp:
            self._stamps[executable] = stamp
        self._found.append(python)
        self._put()

    def _assign(self, folder: str) -> None:
        """Gives the environment that a start script names, wherever it lies, to the application of that script."""
        told = app_by_start_script(self._near, folder)
        if told is None:
            return
        app, venv = told
        executable = self._look.join(venv, "Scripts", "python.exe")
        self.read(executable)
        for index, python in enumerate(self._found):
            if self._look.same(python.executable) == self._look.same(executable) and python.app is None:
                version, flags = app_version(self._near, app), attention_flags(self._near, app)
                self._found[index] = dataclasses.replace(python, app=app.code_name, app_root=app.root, app_version=version, attention_flags=flags)

    def _put(self) -> None:
        self._look.put("pythons", tuple(self._found))
        self._look.put(STAMPS, dict(self._stamps))

    def _identity(self, executable: str) -> str:
        """Links to one Python are one Python; a venv's link to its base is not: its folder is what matters."""
        look = self._look
        folder = look.parent(executable)
        if look.on_windows:
            # uv and Scoop give one Python a second folder, a junction to the first. What lies in Scripts is a venv's.
            inside = look.name(folder).lower() in ("scripts", "bin")
            return look.same(folder if inside else look.parent(look.resolve(executable) or executable))
        if look.exists(look.join(look.parent(folder), "pyvenv.cfg")):
            return look.same(folder)
        return look.resolve(executable) or look.same(executable)

    def _stamp(self, shape: Shape) -> str:
        """When the environment last changed: an install or removal changes the folder of packages."""
        times = [self._look.modified(folder) for folder in shape.site_folders]
        return ",".join(f"{time:.6f}" for time in times if time is not None)


def _drive_roots(look: Look) -> tuple[tuple[str, int], ...]:
    """Where people put things, then whole drives; network drives are left out."""
    home = look.variable("USERPROFILE" if look.on_windows else "HOME")
    roots: list[tuple[str, int]] = []
    if home:
        clouds = [cloud for name in ("OneDrive", "OneDriveCommercial", "OneDriveConsumer") if (cloud := look.variable(name))]
        clouds += [look.join(home, name[:-1]) for name in look.names(home, "OneDrive*") or () if name.endswith("/")]
        roots += [(folder, 5) for folder in (*(look.join(home, name) for name in ("Desktop", "Documents", "Downloads")), *clouds)]
        roots.append((home, _DRIVE_LEVELS))
    if look.on_windows:
        roots += [(drive.root, _DRIVE_LEVELS) for drive in look.drives() if drive.kind in ("fixed", "removable") and drive.free_bytes is not None]
        return tuple(roots)
    roots += [(folder, 3) for folder in ("/opt", "/srv", "/workspace", "/data")]
    roots += [(drive.root, 3) for drive in look.drives() if drive.root not in ("/", home) and drive.kind != "network" and not drive.root.startswith("/boot")]
    return tuple(roots)
