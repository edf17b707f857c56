"""Python's headers and the Visual C++ runtime beside a Python, from archives, folders and a package."""

import base64
import hashlib
import io
import json
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from app.model.events import Outcome, StepProgress
from app.running import undo_run
from tests.running.conftest import Bench
from tests.running.index_server import Fault, IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import plan_of, python_of, step, tree_of

HERE = f"#define PY_MAJOR_VERSION {sys.version_info[0]}\n#define PY_MINOR_VERSION {sys.version_info[1]}\n"
FILES = {"include/Python.h": "// Python", "include/patchlevel.h": HERE, "include/cpython/object.h": "//", "libs/python311.lib": "lib", "other/readme.txt": "x"}


@pytest.fixture(autouse=True)
def no_other_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """uv would ask the network, again and again, for what only one test is about."""
    monkeypatch.setattr("app.running.environments.find_uv", lambda: None)


def zipped(path: Path, files: dict[str, str], prefix: str = "") -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(prefix + name, content)
    return path


def tarred(path: Path, files: dict[str, str], prefix: str = "") -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(prefix + name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return path


def headers(bench: Bench, environment: Path, **arguments: object):
    python = python_of(environment)
    one = replace(step("headers", "python-headers", python=python), arguments={"python": python, "version": "3.11", **arguments})
    return bench.run(plan_of(python, [one]))


def known(server: IndexServer, archive: Path) -> dict[str, object]:
    """Arguments that name the archive and its hash."""
    url = server.file_url(archive.name)
    return {"urls": (url,), "hashes": {url: hashlib.sha256(archive.read_bytes()).hexdigest()}}


def include_of(environment: Path) -> Path:
    """Where the environment's Python looks for its headers; a venv's lie with its base, so the fallback is its own folder."""
    return environment / "Include"


@pytest.mark.parametrize(
    ("make", "name", "prefix"),
    [(zipped, "python_3.11.9_include_libs.zip", ""), (zipped, "python.3.11.9.nupkg", "tools/"), (tarred, "cpython-3.11.tar.gz", "python/")],
    ids=["zip", "nuget", "standalone"],
)
def test_build_files_from_an_archive_and_back(bench: Bench, environment: Path, tmp_path: Path, make: Callable[..., Path], name: str, prefix: str) -> None:
    before = tree_of(environment)
    archive = make(tmp_path / "index" / name, FILES, prefix)
    with IndexServer(archive.parent) as server:
        sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
        urls = ("http://127.0.0.1:9/nothing.zip", server.file_url(name))
        finished = headers(bench, environment, urls=urls, hashes=dict.fromkeys(urls, sha256))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (include_of(environment) / "cpython" / "object.h").is_file()
    assert (environment / "libs" / "python311.lib").read_text() == "lib"
    assert not list(environment.rglob("readme.txt"))
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


def test_what_is_fetched_for_them_is_seen_with_speed_and_time_left(bench: Bench, environment: Path, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "index" / "a.zip", {**FILES, "include/big.h": Random(1).randbytes(400_000).hex()})
    size = archive.stat().st_size
    with IndexServer(archive.parent) as server:
        server.faults[archive.name] = [Fault("slow", 600_000)]
        finished = headers(bench, environment, **known(server, archive))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    told = bench.of(StepProgress)
    middle = [event for event in told if event.bytes_per_second and event.seconds_left]
    assert middle
    assert (middle[-1].item, middle[-1].total_bytes) == (archive.name, size)
    assert told[-1].done_bytes == size


def test_build_files_from_another_python_of_this_machine(bench: Bench, environment: Path, tmp_path: Path) -> None:
    real = Path(sysconfig.get_paths()["include"])
    if not (real / "patchlevel.h").is_file():
        pytest.skip("this Python has no headers")
    other = tmp_path / "other"
    other.mkdir()
    (other / "Include").symlink_to(real)
    finished = headers(bench, environment, from_folder=str(other))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (include_of(environment) / "Python.h").read_bytes() == (real / "Python.h").read_bytes()


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({**FILES, "include/patchlevel.h": "#define PY_MAJOR_VERSION 3\n#define PY_MINOR_VERSION 7\n"}, "run.headers-wrong-version"),
        ({"libs/python311.lib": "lib"}, "run.headers-wrong-version"),
        ({**FILES, "include/../../../evil.txt": "out"}, "run.file-damaged"),
        ({**FILES, "include/C:\\evil.txt": "out"}, "run.file-damaged"),
    ],
    ids=["other-minor", "no-headers", "climbs-out", "drive-letter"],
)
def test_a_wrong_archive_changes_nothing(bench: Bench, environment: Path, tmp_path: Path, files: dict[str, str], code: str) -> None:
    before = tree_of(environment)
    archive = zipped(tmp_path / "index" / "a.zip", files)
    with IndexServer(archive.parent) as server:
        finished = headers(bench, environment, **known(server, archive))
    assert finished.problem
    assert finished.problem.code == code
    assert tree_of(environment) == before
    assert not list(tmp_path.glob("**/evil.txt"))


def test_a_damaged_archive_and_a_wrong_hash(bench: Bench, environment: Path, tmp_path: Path) -> None:
    archive = tmp_path / "index" / "a.zip"
    archive.parent.mkdir(exist_ok=True)
    archive.write_bytes(b"PK\x03\x04 not really")
    with IndexServer(archive.parent) as server:
        assert headers(bench, environment, **known(server, archive)).problem.code == "run.file-damaged"
        url = server.file_url("a.zip")
        assert headers(bench, environment, urls=(url,), hashes={url: "0" * 64}).problem.code == "run.hash-mismatch"
    assert headers(bench, environment).problem.code == "run.headers-no-source"


def test_an_archive_without_a_known_hash_is_not_even_fetched(bench: Bench, environment: Path, tmp_path: Path) -> None:
    zipped(tmp_path / "index" / "a.zip", FILES)
    before = tree_of(environment)
    with IndexServer(tmp_path / "index") as server:
        url = server.file_url("a.zip")
        for pages in ({}, {url: f"{server.url}/files/nothing.json"}, {url: "no address"}):
            assert headers(bench, environment, urls=(url,), hash_pages=pages).problem.code == "run.headers-no-source"
        assert not [path for path, _ in server.requests if path.endswith("a.zip")]
    assert tree_of(environment) == before


@pytest.mark.parametrize("lie", ["", "other-hash", "other-algorithm", "no-base64"])
def test_the_registry_of_the_package_says_its_hash(bench: Bench, environment: Path, tmp_path: Path, lie: str) -> None:
    """Laid out as the NuGet registry does: a leaf that names the catalog entry, which holds the hash (NuGet server API)."""
    package = zipped(tmp_path / "index" / "3.11.9", FILES, "tools/")
    digest = hashlib.sha512(b"something else" if lie == "other-hash" else package.read_bytes()).digest()
    with IndexServer(package.parent) as server:
        entry = {"packageHash": base64.b64encode(digest).decode(), "packageHashAlgorithm": "MD5" if lie == "other-algorithm" else "SHA512"}
        if lie == "no-base64":
            entry["packageHash"] = "?"
        (package.parent / "entry.json").write_text(json.dumps(entry))
        (package.parent / "leaf.json").write_text(json.dumps({"catalogEntry": server.file_url("entry.json")}))
        url = server.file_url(package.name)
        finished = headers(bench, environment, urls=(url,), hash_pages={url: server.file_url("leaf.json")})
    expected = {"": None, "other-hash": "run.hash-mismatch", "other-algorithm": "run.headers-no-source", "no-base64": "run.headers-no-source"}[lie]
    assert (finished.problem and finished.problem.code) == expected
    assert (environment / "libs" / "python311.lib").is_file() == (not lie)


def test_without_an_archive_they_come_from_a_python_that_uv_fetches(bench: Bench, environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.running.environments.find_uv", lambda: str(stand_in_for_uv(tmp_path)))
    before = tree_of(environment)
    finished = headers(bench, environment)
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (environment / "libs" / "python311.lib").read_text() == "lib"
    assert (bench.places.data / "pythons" / "cpython-3.11").is_dir(), "in our own folder, and it stays"
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


def stand_in_for_uv(folder: Path) -> Path:
    """Lays a Python out where uv would, as a standalone build for Windows is laid out, and tells where; for want of the real archive."""
    code = f"""#!{sys.executable} -I
import os, pathlib, sys
assert sys.argv[1:3] == ["--no-config", "python"], sys.argv
home = pathlib.Path(os.environ["UV_PYTHON_INSTALL_DIR"]) / f"cpython-{{sys.argv[-1]}}"
if sys.argv[3] == "install":
    for name, content in {FILES!r}.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
else:
    assert "--no-python-downloads" in sys.argv
    print(home / "python.exe")
"""
    path = folder / "uv-stand-in"
    path.write_text(code)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("mode", ["package", "beside"])
def test_the_runtime_comes_beside_python_and_goes_again(bench: Bench, environment: Path, tmp_path: Path, mode: str) -> None:
    scripts = Path(python_of(environment)).parent.name
    data = {"msvcp140.dll": b"new", f"{scripts}/msvcp140.dll": b"new", f"{scripts}/vcruntime140.dll": b"new", f"{scripts}/vcruntime140_threads.dll": b"new"}
    make_wheel(tmp_path / "index", "msvc-runtime", "14.44.1", {"msvc_runtime.py": b""}, data=data)
    (environment / "msvcp140.dll").write_bytes(b"old")
    (environment / "vcruntime140.dll").write_bytes(b"own")
    before = tree_of(environment)
    python = python_of(environment)
    with IndexServer(tmp_path / "index") as server:
        finished = bench.run(plan_of(python, [step("vc", "vc-runtime", python=python, mode=mode, version="14.44.1")], index=server.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (environment / "msvcp140.dll").read_bytes() == b"new"
    assert (environment / "vcruntime140_threads.dll").read_bytes() == b"new"
    assert (environment / "vcruntime140.dll").read_bytes() == (b"new" if mode == "beside" else b"own")
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before
