"""Files beside python.exe that Triton needs there: Python's own headers and import libraries, and the Visual C++ runtime."""

import base64
import hashlib
import json
import re
import shutil
import tarfile
import urllib.parse
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from app.host.downloads import file_sha256, shown
from app.host.elevation import InstallSigned
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.environments import fetched_home
from app.running.fetching import fetch_file
from app.running.resolving import resolve_only
from app.running.run import Run, list_argument, text_argument
from app.running.staging import stage
from app.running.swapping import exchange, refuse_if_held
from app.running.target import Target, files_of
from app.running.wheelhouse import fetch, wheelhouse

_MINOR: Final = re.compile(r"#\s*define\s+PY_(MAJOR|MINOR)_VERSION\s+(\d+)")
_VC_PACKAGE: Final = "msvc-runtime"
_RUNTIME_DLLS: Final = ("msvcp140*.dll", "vcruntime140*.dll", "concrt140.dll")
_LARGEST_BYTES: Final = 200 << 20
"""Of headers and libraries together, unpacked; a real set has about 10 MB."""


def add_python_headers(step: Step, run: Run) -> None:
    """Puts `include` and `libs` of the same Python minor version into the environment.

    From another Python on this machine (`from_folder`); else from an archive (`urls` in order of preference), a NuGet package or a
    zip of the two folders, whose hash is known: `hashes` by address, or what the registry says of it (`hash_pages`); else from a
    standalone build that uv fetches and checks by the hashes it ships with.
    """
    target = run.target(text_argument(step, "python"))
    staged = run.work_folder(target.root) / f"staged-{step.id}"
    shutil.rmtree(staged, ignore_errors=True)
    folder = text_argument(step, "from_folder")
    if folder:
        _copy_folder(Path(folder), target, staged)
    else:
        _bring(step, run, target, staged)
    _check_version(staged, target)
    refuse_if_held(run, target, ())
    exchange(step, run, target, staged, ())


def _bring(step: Step, run: Run, target: Target, staged: Path) -> None:
    problem: Problem | None = None
    try:
        _unpack(_archive(step, run), target, staged)
    except Problem as failure:
        run.say(step, f"no archive: {failure.cause or failure.text.code}")
        problem = failure
    if problem is None:
        return
    shutil.rmtree(staged, ignore_errors=True)
    minor = ".".join(target.version.split(".")[:2])
    home = fetched_home(step, run, minor)
    if home is None:
        raise problem
    _copy_folder(home, target, staged)


def add_vc_runtime(step: Step, run: Run) -> None:
    """Brings a current Visual C++ runtime, by `mode`.

    package: the DLLs of the package into the Python's own folder, where Windows looks first. beside: the same, over old ones that lie
    there. from-system: Windows' own DLLs over old ones. These need no administrator. redistributable: Microsoft's installer, checked
    by its signature, for the whole machine.
    """
    mode = text_argument(step, "mode", "package")
    if mode == "redistributable":
        url = text_argument(step, "url")
        installer = run.places.cache / "archives" / urllib.parse.urlsplit(url).path.rpartition("/")[2]
        # Always the newest, so no hash can be known; Microsoft's signature is checked before it is started.
        fetch_file(step, run, url, installer)
        run.elevate(step, InstallSigned("install-signed", "vc-redist", str(installer), file_sha256(str(installer))))
        return
    target = run.target(text_argument(step, "python"))
    staged = run.work_folder(target.root) / f"staged-{step.id}"
    replaced: tuple[str, ...] = ()
    if mode == "from-system":
        _copy_system_runtime(run, target, staged)
    else:
        resolution = resolve_only(step, run, (f"{_VC_PACKAGE}=={text_argument(step, 'version')}",))
        folder = wheelhouse(run.places.cache, resolution)
        fetch(step, run, resolution, folder)
        stage(step, run, target, resolution.wheels, folder, staged=staged)
        _bring_beside(target, staged, every=mode == "beside")
        replaced = files_of(target, frozenset(wheel.name for wheel in resolution.wheels))
    refuse_if_held(run, target, ())
    exchange(step, run, target, staged, replaced)


def _bring_beside(target: Target, staged: Path, *, every: bool) -> None:
    """The package puts some DLLs into Scripts only; python.exe looks beside itself."""
    for dll in sorted((staged / Path(target.scripts).name).glob("*.dll")):
        if not (staged / dll.name).exists() and (every or not (target.root / dll.name).exists()):
            shutil.copy2(dll, staged / dll.name)


def _copy_system_runtime(run: Run, target: Target, staged: Path) -> None:
    system = Path(run.host.environment().get("SystemRoot", "C:\\Windows")) / "System32"
    staged.mkdir(parents=True, exist_ok=True)
    for pattern in _RUNTIME_DLLS:
        for old in target.root.glob(pattern):
            if (system / old.name).is_file():
                shutil.copy2(system / old.name, staged / old.name)


def _archive(step: Step, run: Run) -> Path:
    """The first archive that can be had and is the right one. Problem of the first that failed if none is."""
    failure: Problem | None = None
    for url in list_argument(step, "urls"):
        path = run.places.cache / "archives" / urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
        expected = _expected_hash(step, run, url)
        if expected is None:
            run.say(step, f"leaves out {shown(url)}: nothing says which hash it must have")
            continue
        if path.is_file() and expected.fits(path):
            return path
        try:
            fetch_file(step, run, url, path)
            if not expected.fits(path):
                run.host.remove(str(path))
                raise Problem(Text("run.hash-mismatch", {"url": shown(url)}), cause="hash-mismatch")
        except Problem as problem:
            run.say(step, f"{shown(url)}: {problem.cause or problem.text.code}")
            failure = failure or problem
        else:
            return path
    raise failure or Problem(Text("run.headers-no-source", {"step": step.id}), cause="python-headers-missing")


@dataclass(frozen=True, slots=True)
class _Hash:
    algorithm: str
    digest: bytes

    def fits(self, path: Path) -> bool:
        with path.open("rb") as file:
            return hashlib.file_digest(file, self.algorithm).digest() == self.digest


def _expected_hash(step: Step, run: Run, url: str) -> _Hash | None:
    """The plan's own hash for the address, else the one that the NuGet registry lists for the package."""
    known = _mapping(step, "hashes").get(url)
    try:
        if known:
            return _Hash("sha256", bytes.fromhex(known))
        leaf = _page(run, _mapping(step, "hash_pages").get(url, ""))
        details = _page(run, str(leaf.get("catalogEntry", "")))
        if details.get("packageHashAlgorithm") != "SHA512":
            return None
        return _Hash("sha512", base64.b64decode(str(details.get("packageHash", "")), validate=True))
    except ValueError:
        return None


def _page(run: Run, url: str) -> Mapping[str, object]:
    """A JSON document behind an address; empty if there is none."""
    answer = run.answer(lambda: run.host.text(url)) if url else None
    document = json.loads(answer) if answer else {}
    return document if isinstance(document, dict) else {}


def _mapping(step: Step, name: str) -> Mapping[str, str]:
    value = step.arguments.get(name, {})
    return value if isinstance(value, Mapping) else {}


def _copy_folder(source: Path, target: Target, staged: Path) -> None:
    for name, place in _places(target).items():
        found = next((child for child in (source.iterdir() if source.is_dir() else ()) if child.name.lower() == name and child.is_dir()), None)
        if found is not None:
            shutil.copytree(found, staged / place, dirs_exist_ok=True)


def _unpack(archive: Path, target: Target, staged: Path) -> None:
    places, total = _places(target), 0
    try:
        for name, size, read in _members(archive):
            part = next((part for part in places if part in [p.lower() for p in PurePosixPath(name).parts[:-1]]), None)
            if part is None:
                continue
            parts = PurePosixPath(name).parts
            inside = parts[[p.lower() for p in parts].index(part) + 1 :]
            total += size
            # The archive is not ours: nothing of it may land outside the staging tree, or fill the disk.
            if ".." in inside or any(":" in p or "\\" in p for p in inside) or total > _LARGEST_BYTES:
                raise Problem(Text("run.file-damaged", {"path": str(archive)}), cause="file-damaged")
            goal = staged.joinpath(places[part], *inside)
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_bytes(read().read())
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise Problem(Text("run.file-damaged", {"path": str(archive)}), cause="file-damaged") from error


def _members(archive: Path) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as file:
            for entry in file.infolist():
                if not entry.is_dir():
                    yield entry.filename, entry.file_size, lambda entry=entry, file=file: file.open(entry)  # type: ignore[misc]  # bound at once
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield member.name, member.size, lambda content=content: content  # type: ignore[misc]  # bound at once


def _places(target: Target) -> dict[str, str]:
    """Where `include` and `libs` belong, relative to the environment."""
    include = Path(target.include)
    inside = include.is_relative_to(target.root)
    return {"include": include.relative_to(target.root).as_posix() if inside else "Include", "libs": "libs"}


def _check_version(staged: Path, target: Target) -> None:
    header = staged / _places(target)["include"] / "patchlevel.h"
    found = dict(_MINOR.findall(header.read_text(encoding="utf-8", errors="replace"))) if header.is_file() else {}
    wanted = ".".join(target.version.split(".")[:2])
    version = f"{found.get('MAJOR')}.{found.get('MINOR')}"
    if not found or version != wanted:
        raise Problem(Text("run.headers-wrong-version", {"found": version if found else "–", "wanted": wanted}), cause="python-headers-missing")
