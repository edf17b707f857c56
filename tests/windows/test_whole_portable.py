"""The native route, for real: a portable ComfyUI is found, planned, changed, tested, put back and undone, with wheels of the index."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome
from app.model.plan import Choice, Plan, Verdict
from app.session import Session
from tests.running.worlds import tree_of
from tests.windows.portable import make_portable

pytestmark = [pytest.mark.windows, pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(900)]

CARDS = (75, 80, 86, 89, 90, 120)

COMPILES = """
import sys
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)

for card in map(int, sys.argv[1:]):
    source = ASTSource(add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256})
    made = triton.compile(source, target=GPUTarget("cuda", card, 32))
    print(card, len(made.asm["cubin"]))
"""


LAID = Path(sys.prefix).parent / "portable"
"""Where the Linux side has laid one, with the hashes of its files."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    laid = list(LAID.glob("*/ComfyUI_windows_portable"))
    return laid[0] if laid else tmp_path_factory.mktemp("portable") / "整合包 便携版" / "ComfyUI_windows_portable"


@pytest.fixture(scope="module")
def python(folder: Path) -> Path:
    return folder / "python_embeded" / "python.exe" if folder.is_dir() else make_portable(folder)


@pytest.fixture(scope="module")
def before(folder: Path, python: Path) -> dict[str, str]:
    """Every file with its hash."""
    assert python.is_file()
    known = LAID / "tree.json"
    tree: dict[str, str] = json.loads(known.read_text(encoding="utf-8")) if folder.is_relative_to(LAID) and known.is_file() else tree_of(folder)
    return tree


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A graphics card, as far as the driver's library tells of one."""
    fake = Path(sys.prefix).parent / "fakes" / "nvml.dll"
    if not fake.is_file():
        pytest.skip("no stand-in for the driver's library here")
    target = Path(os.environ["SYSTEMROOT"]) / "system32" / "nvml.dll"
    shutil.copy2(fake, target)
    answers = tmp_path / "nvml.txt"
    answers.write_text("driver = 581.57\ncuda = 13000\ncount = 1\n0.name = NVIDIA GeForce RTX 4070\n0.cc = 8.9\n0.memory.total = 12282M\n")
    monkeypatch.setenv("FAKE_NVML", str(answers))
    yield
    # It stays loaded in this process, so it cannot be deleted; out of the way of later tests by a rename, which Windows allows.
    target.replace(target.with_suffix(".used"))


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of wheels and certificates that the Linux side knows mean nothing in its Windows."""
    for name in ("PIP_FIND_LINKS", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def build_files(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address and the hash of an archive with Python's headers and an import library, as the makers of such archives lay them out."""
    archive = tmp_path / "served" / "python_3.11_include_libs.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("include", "libs"):
            for path in (Path(sys.prefix) / name).rglob("*"):
                if path.is_file():
                    file.write(path, f"{name}/{path.relative_to(Path(sys.prefix) / name).as_posix()}")

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(archive.parent))

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/{archive.name}", hashlib.sha256(archive.read_bytes()).hexdigest()
    server.shutdown()
    server.server_close()


def planned(session: Session, folder: Path, build_files: tuple[str, str]) -> Plan:
    """What the program plans for the folder; only the address of the build files is a local one."""
    session.scan(Cancel(), (str(folder),))
    plan = session.decide(Choice(comfyui=str(folder)))
    assert plan.verdict is Verdict.READY
    url, sha256 = build_files
    local = {"urls": (url,), "hashes": {url: sha256}, "from_folder": ""}
    steps = [replace(s, arguments={**s.arguments, **local}) if s.kind == "python-headers" else s for s in plan.steps]
    return replace(plan, steps=tuple(steps))


def test_a_portable_comfyui_gets_triton_and_gives_it_back(
    folder: Path, python: Path, before: dict[str, str], card: None, build_files: tuple[str, str], own_home: Path
) -> None:
    session = Session(str(own_home))
    events: list[Event] = []
    session.subscribe(events.append)
    watch = Stopwatch()
    plan = planned(session, folder, build_files)
    watch.tell("scanned and planned")
    assert plan.python
    assert plan.python.executable.lower() == str(python).lower()
    assert plan.keeps == ("torch",)
    kinds = [step.kind for step in plan.steps]
    assert {"check-free", "vc-runtime", "python-headers", "resolve", "download", "swap", "smoke-test"} <= set(kinds)
    assert len(before) > 5000

    # Something fails in the middle: everything is put back, byte for byte.
    broken = [replace(s, arguments={**s.arguments, "modules": ("triton", "no_such_module")}) if s.kind == "smoke-test" else s for s in plan.steps]
    session.plan = replace(plan, steps=tuple(broken))
    failed = session.install(Cancel())
    assert (failed.outcome, failed.put_back, failed.problem and failed.problem.code) == (Outcome.FAILED, True, "run.smoke-failed"), log_of(events)
    watch.tell("failed in the middle")
    assert settled_tree(folder) == before
    watch.tell("put back")

    session.plan = plan
    done = session.install(Cancel())
    watch.tell("installed")
    assert (done.outcome, done.problem) == (Outcome.DONE, None), log_of(events)
    embedded = python.parent
    assert (embedded / "include" / "Python.h").is_file()
    assert list((embedded / "Lib" / "site-packages").glob("triton_windows-*.dist-info"))
    assert (embedded / "msvcp140.dll").read_bytes() != (next(embedded.glob(".triton-setup/*/aside-*/msvcp140.dll"))).read_bytes()

    script = own_home / "compiles.py"
    script.write_text(COMPILES)
    environment = {**os.environ, "TRITON_CACHE_DIR": str(own_home / "triton-cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    answer = subprocess.run([str(python), "-s", "-B", str(script), *map(str, CARDS)], env=environment, capture_output=True, text=True, timeout=300, check=False)
    compiled = {int(line.split()[0]): int(line.split()[1]) for line in answer.stdout.splitlines()}
    assert sorted(compiled) == sorted(CARDS), answer.stderr[-2000:]
    assert min(compiled.values()) > 1000
    watch.tell("compiled for every card")

    undone = session.undo(done.run_id, Cancel())
    assert (undone.outcome, undone.put_back) == (Outcome.DONE, True)
    assert settled_tree(folder) == before
    watch.tell("undone")
    print("\n".join(f"{event.time[11:19]} {event.step_id}: {event.line}" for event in events if isinstance(event, LogLine)))


class Stopwatch:
    """Says what took how long, for the reader of a log."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def tell(self, what: str) -> None:
        moment = time.monotonic()
        print(f"{moment - self._began:6.1f} s  {what}")
        self._began = moment


def settled_tree(folder: Path) -> dict[str, str]:
    """The tree once nothing is being deleted in the background any more."""
    deadline = time.monotonic() + 120
    while list(folder.glob(".triton-setup-removing*")) and time.monotonic() < deadline:
        time.sleep(0.2)
    return tree_of(folder)


def log_of(events: list[Event]) -> str:
    return "\n".join(event.line for event in events if isinstance(event, LogLine))[-4000:]
