"""The Visual C++ runtime: which steps bring a current one to where a Python loads it from.

kind        arguments
vc-runtime  python, mode and
            package         version: the DLLs of the package msvc-runtime into the folder of the Python
            beside          version: the same, where old ones lie that are loaded first
            from-system     the DLLs of Windows' own folder beside python.exe, old ones set aside
            redistributable url: Microsoft's installer, for the whole machine
"""

from typing import Final

from app.model.facts import Python
from app.model.plan import Step, Where
from app.model.unknown import UNKNOWN, known
from app.planning.situation import Situation
from app.planning.steps import Place, has_pip, installer, title, undo
from app.tables.builds import at_least, minor_of
from app.tables.fits import vc_package_for
from app.tables.judge import blames_runtime
from app.tables.machine import is_windows
from app.tables.rows import VcPackageRow

OWN_FOLDER: Final = frozenset({"embedded", "conda"})
"""Kinds whose python.exe lies in the folder that packages put their files into. A venv runs the python.exe of its base."""


def runtime_steps(case: Situation, place: Place) -> list[Step]:
    """What is missing, as far as it is known; nothing where the facts do not say."""
    if not is_windows(case.facts):
        return []
    floor = case.tables.vc_runtime.floor
    python = place.python
    beside = known(python.bundled_vc_runtime, None) if python else None
    is_stale = beside is not None and not at_least(beside, floor)
    installed = floor if case.facts.vc_runtime is UNKNOWN else case.facts.vc_runtime
    is_blamed = python is not None and any(blames_runtime(case.facts, python, module) for module in known(python.imports, {}))
    is_missing = installed is None or not at_least(installed, floor) or is_blamed
    package = vc_package_for(case.tables, minor_of(place.version)) if case.facts.os.arch == "x86_64" else None
    in_own_folder = python is not None and python.kind in OWN_FOLDER
    steps = []
    if is_missing and package and in_own_folder:
        if not is_stale and not _has_package(python, floor):
            steps.append(_from_package(place, package, "package"))
    elif is_missing:
        steps.append(_installer(case, place))
    if is_stale:
        steps.append(_from_package(place, package, "beside") if package else _from_system(place))
    return steps


def _has_package(python: Python | None, floor: str) -> bool:
    version = known(python.packages, {}).get("msvc-runtime") if python else None
    return version is not None and at_least(version, floor)


def _loads_from(place: Place) -> str:
    """The python.exe whose folder is searched first: of a venv the base's, where it is known."""
    base = known(place.python.base_executable, None) if place.python else None
    return base or place.executable


def _from_package(place: Place, row: VcPackageRow, mode: str) -> Step:
    executable = _loads_from(place)
    argv = (*installer(executable, has_pip(place.python)), "--no-deps", f"msvc-runtime=={row.version}")
    return Step(
        "vc-runtime-beside" if mode == "beside" else "vc-runtime",
        "vc-runtime",
        title(f"vc-runtime-{mode}"),
        argv,
        download_bytes=row.bytes,
        undo=undo("swap"),
        arguments={"python": executable, "mode": mode, "version": row.version},
        weight=0.5,
    )


def _from_system(place: Place) -> Step:
    arguments = {"python": _loads_from(place), "mode": "from-system"}
    words = title("vc-runtime-beside")
    return Step("vc-runtime-beside", "vc-runtime", words, where=Where.FILE, undo=undo("swap"), arguments=arguments, weight=0.2)


def _installer(case: Situation, place: Place) -> Step:
    row = case.tables.vc_runtime
    url = row.installer_arm if case.facts.os.arch == "arm64" else row.installer
    return Step(
        "vc-runtime",
        "vc-runtime",
        title("vc-runtime-installer"),
        (url.rpartition("/")[2], "/install", "/quiet", "/norestart"),
        needs_admin=True,
        download_bytes=row.installer_bytes,
        arguments={"python": place.executable, "mode": "redistributable", "url": url},
        weight=1.0,
    )
