"""Python's headers and the Visual C++ runtime beside a Python, from archives, folders and a package."""

import hashlib
import io
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.events import Outcome
from app.running import undo_run
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import plan_of, python_of, step, tree_of

HERE = f"#define PY_MAJOR_VERSION {sys.version_info[0]}\n#define PY_MINOR_VERSION {sys.version_info[1]}\n"
FILES = {"include/Python.h": "// Python", "include/patchlevel.h": HERE, "include/cpython/object.h": "//", "libs/python311.lib": "lib", "other/readme.txt": "x"}


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
        finished = headers(bench, environment, urls=urls, sha256=sha256)
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (include_of(environment) / "cpython" / "object.h").is_file()
    assert (environment / "libs" / "python311.lib").read_text() == "lib"
    assert not list(environment.rglob("readme.txt"))
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


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
        finished = headers(bench, environment, urls=(server.file_url("a.zip"),))
    assert finished.problem
    assert finished.problem.code == code
    assert tree_of(environment) == before
    assert not list(tmp_path.glob("**/evil.txt"))


def test_a_damaged_archive_and_a_wrong_hash(bench: Bench, environment: Path, tmp_path: Path) -> None:
    (tmp_path / "index").mkdir(exist_ok=True)
    (tmp_path / "index" / "a.zip").write_bytes(b"PK\x03\x04 not really")
    with IndexServer(tmp_path / "index") as server:
        assert headers(bench, environment, urls=(server.file_url("a.zip"),)).problem.code == "run.file-damaged"
        assert headers(bench, environment, urls=(server.file_url("a.zip"),), sha256="0" * 64).problem.code == "run.hash-mismatch"
    assert headers(bench, environment).problem.code == "run.headers-no-source"


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
