"""Findings about each Python: may it be used, where it lies, what is missing beside it. Their evidence begins with `pythons[n]`."""

from collections.abc import Iterator

from app.diagnosis.facts.found import automatic, found, manual
from app.diagnosis.facts.packages import find_in_packages
from app.model.facts import MachineFacts, Python
from app.model.findings import Finding, Severity
from app.model.plan import Choice
from app.model.unknown import UNKNOWN, known
from app.tables import Tables
from app.tables.builds import at_least, minor_of
from app.tables.judge import PythonFlaw, python_flaws
from app.tables.machine import environment_folder, is_windows, main_gpu, own_pythons, path, site_packages

PATH_LIMIT = 259
"""Longest path that Windows programs without long paths can open."""

CLOUD_FOLDERS = ("onedrive", "dropbox", "google drive", "googledrive", "icloud drive", "iclouddrive")


def find(facts: MachineFacts, tables: Tables, choice: Choice) -> Iterator[Finding]:
    if choice.new_env and is_windows(facts):
        yield from _new_location(facts, tables, choice.new_env)
    for place, python in own_pythons(facts):
        flaws = python_flaws(facts, python, tables)
        yield from _flaws(facts, tables, place, python, flaws)
        if PythonFlaw.STORE_ALIAS in flaws:
            continue
        yield from _state(place, python)
        if choice.wants_triton:
            yield from _headers(facts, place, python)
        if is_windows(facts):
            yield from _location(facts, tables, place, python)
            yield from _runtime(tables, place, python)
        yield from _shadowed(place, python)
        if not {PythonFlaw.BITS, PythonFlaw.VERSION, PythonFlaw.FREE_THREADED, PythonFlaw.ARCHITECTURE} & set(flaws):
            yield from find_in_packages(facts, tables, choice, place, python)


def _flaws(facts: MachineFacts, tables: Tables, place: int, python: Python, flaws: tuple[PythonFlaw, ...]) -> Iterator[Finding]:
    at = f"pythons[{place}]"
    where = python.executable
    for flaw in flaws:
        match flaw:
            case PythonFlaw.STORE_ALIAS:
                yield found("store-alias", Severity.NOTE, f"{at}.kind", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.STORE:
                yield found("store-alias", Severity.WARNING, f"{at}.kind", variant="store", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.BITS:
                yield found("wheel-unsupported", Severity.BLOCKER, f"{at}.bits", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.FREE_THREADED:
                yield found("wheel-unsupported", Severity.BLOCKER, f"{at}.free_threaded", variant="free", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.ARCHITECTURE:
                yield found("dll-wrong-architecture", Severity.BLOCKER, f"{at}.arch", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.VERSION:
                yield _version(facts, tables, at, python)
            case PythonFlaw.EXTERNALLY_MANAGED:
                yield found("externally-managed", Severity.BLOCKER, f"{at}.externally_managed", remedy=automatic("new-environment"), python=where)
            case PythonFlaw.BROKEN:
                yield found("venv-broken", Severity.BLOCKER, f"{at}.base_ok", remedy=automatic("new-environment"), python=where)


def _version(facts: MachineFacts, tables: Tables, at: str, python: Python) -> Finding:
    served = {minor for row in tables.triton_windows for minor in row.pythons} if is_windows(facts) else {m for row in tables.torch for m in row.pythons}
    ordered = sorted(served, key=lambda minor: tuple(map(int, minor.split("."))))
    return found(
        "python-version-unsupported",
        Severity.BLOCKER,
        f"{at}.version",
        remedy=automatic("new-environment"),
        python=python.executable,
        version=minor_of(python.version),
        oldest=ordered[0],
        newest=ordered[-1],
    )


def _state(place: int, python: Python) -> Iterator[Finding]:
    at = f"pythons[{place}]"
    if known(python.writable, True) is False:
        yield found("permission-denied", Severity.BLOCKER, f"{at}.writable", remedy=manual("writable-folder"), python=python.executable)
    if users := known(python.in_use_by, ()):
        yield found("file-locked", Severity.BLOCKER, f"{at}.in_use_by", remedy=manual("close-program"), program=users[0])
    if known(python.has_pip, True) is False:
        yield found("pip-missing", Severity.NOTE, f"{at}.has_pip", remedy=automatic("use-uv"), python=python.executable)
    if leftovers := known(python.leftovers, ()):
        names = ", ".join(leftovers)
        yield found(
            "package-conflict", Severity.NOTE, f"{at}.leftovers", variant="leftovers", remedy=manual("remove-leftovers", "leftovers-remedy"), names=names
        )
    if (problem := known(python.imports, {}).get("ssl")) and problem != "ok":
        yield found("ssl-module-missing", Severity.WARNING, f"{at}.imports.ssl", remedy=automatic("use-uv"), python=python.executable)


def _headers(facts: MachineFacts, place: int, python: Python) -> Iterator[Finding]:
    if known(python.has_headers, True) is not False:
        return
    if is_windows(facts):
        yield found(
            "python-headers-missing", Severity.WARNING, f"pythons[{place}].has_headers", remedy=automatic("add-headers"), version=minor_of(python.version)
        )
    elif main_gpu(facts):
        yield found(
            "python-headers-missing", Severity.WARNING, f"pythons[{place}].has_headers", variant="linux", remedy=manual("install-python-dev", "linux-remedy")
        )


def _location(facts: MachineFacts, tables: Tables, place: int, python: Python) -> Iterator[Finding]:
    folder = environment_folder(facts, python)
    at = f"pythons[{place}].executable"
    if not folder.isascii():
        yield found("non-ascii-path", Severity.WARNING, at, remedy=manual("move-folder", "move-remedy"), path=folder)
    if root := cloud_root(facts, folder):
        yield found("onedrive-path", Severity.WARNING, at, "os.cloud_roots", remedy=automatic("new-environment"), path=folder, root=root)
    longest = len(site_packages(facts, python)) + 1 + tables.room.longest_torch_path
    if facts.os.long_paths is False and longest > PATH_LIMIT:
        yield found("long-path", Severity.WARNING, at, "os.long_paths", remedy=automatic("shorter-path"), path=folder, length=len(folder), longest=longest)


def _new_location(facts: MachineFacts, tables: Tables, folder: str) -> Iterator[Finding]:
    """The folder that the person names for a new environment. What is wrong with it, another folder cures."""
    if not folder.isascii():
        yield found("non-ascii-path", Severity.WARNING, "os.ansi_code_page", remedy=manual("other-folder", "folder-remedy"), path=folder)
    if root := cloud_root(facts, folder):
        yield found("onedrive-path", Severity.WARNING, "os.cloud_roots", remedy=manual("other-folder", "folder-remedy"), path=folder, root=root)
    longest = len(folder) + len("\\Lib\\site-packages\\") + tables.room.longest_torch_path
    if facts.os.long_paths is False and longest > PATH_LIMIT:
        cure = manual("other-folder", "folder-remedy")
        yield found("long-path", Severity.WARNING, "os.long_paths", remedy=cure, path=folder, length=len(folder), longest=longest)


def cloud_root(facts: MachineFacts, folder: str) -> str | None:
    """The cloud folder that holds a folder: one that Windows names, or one that the path itself names."""
    place = path(facts, folder)
    named = next((root for root in known(facts.os.cloud_roots, ()) if place.is_in(root)), None)
    if named:
        return named
    parts = folder.replace("/", "\\").split("\\")
    found_at = next((i for i, part in enumerate(parts) if part.lower().startswith(CLOUD_FOLDERS)), None)
    return "\\".join(parts[: found_at + 1]) if found_at else None


def _runtime(tables: Tables, place: int, python: Python) -> Iterator[Finding]:
    beside = known(python.bundled_vc_runtime, None)
    if beside and not at_least(beside, tables.vc_runtime.floor):
        yield found(
            "vc-runtime-stale",
            Severity.WARNING,
            f"pythons[{place}].bundled_vc_runtime",
            remedy=automatic("renew-runtime-beside"),
            python=python.executable,
            version=beside,
            floor=tables.vc_runtime.floor,
        )


def _shadowed(place: int, python: Python) -> Iterator[Finding]:
    outside = known(python.user_site_packages, {})
    if python.user_site is not UNKNOWN and not python.user_site:
        return
    inside = known(python.packages, {})
    hidden = sorted(name for name in outside if name in inside or name in {"torch", "triton", "triton-windows", "sageattention"})
    if hidden:
        names = ", ".join(f"{name} {outside[name]}" for name in hidden)
        yield found("user-site-shadow", Severity.WARNING, f"pythons[{place}].user_site_packages", remedy=automatic("keep-user-site-out"), names=names)
