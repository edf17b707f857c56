"""Installing: side by side with `uv pip install` of the same set from the same index on this machine, cold caches, medians.

The set is five wheels of 600 MB with 6,000 files, one of them with most of it, as torch is; an install for CUDA has five times that.
Compiled code hardly compresses, so half of what is unpacked does not here. The index sends at most LINE_BYTES_PER_S to all connections
together, a fast line at home; a second row tells the same, once, without that limit, where nothing but the processors of this machine
count. uv neither flushes what it writes nor tests it; our time is told without and with those. Put back is what the last of those runs
brought.
"""

import contextlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from app.host.downloads import Downloader
from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Event, Outcome, StepFinished
from app.model.plan import Choice, Plan, PlannedPython, RouteKind, Step, Verdict
from app.model.text import Text
from app.running import list_runs, run_plan, undo_run
from app.running.tools import find_uv
from tests.running.made_wheels import make_wheel

ROUNDS = 3
ROOT = Path(__file__).resolve().parents[2]
MB = 1_000_000
SET_MB = 600
SHARES = (0.7, 0.15, 0.05, 0.05, 0.05)
NAMES = tuple(f"pack{number}==1.0" for number in range(len(SHARES)))
LINE_BYTES_PER_S = 60 * MB
TITLE = Text("run.title", {"goals": "bench"})


def bench() -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="bench-install-") as folder:
        make_set(Path(folder) / "index", SET_MB)
        return [
            *side_by_side(Path(folder), LINE_BYTES_PER_S, ROUNDS),
            *side_by_side(Path(folder), None, 1),
            *put_back_of_a_gigabyte(Path(folder)),
            *memory_of_a_big_download(Path(folder)),
        ]


def make_set(folder: Path, total_mb: int) -> None:
    chance = random.Random(1)
    for number, share in enumerate(SHARES):
        size = int(total_mb * MB * share)
        files = {f"pack{number}/part{part // 50}/module{part}.py": b"value = 1\n" * 150 for part in range(int(6000 * share))}
        files |= {f"pack{number}/lib{part}.so": chance.randbytes(size // 5) for part in range(5)}
        files |= {f"pack{number}/data{part}.bin": bytes(size // 5) for part in range(5)}
        make_wheel(folder, f"pack{number}", "1.0", files, level=1)


def fresh_environment(folder: Path) -> str:
    shutil.rmtree(folder, ignore_errors=True)
    uv = find_uv()
    assert uv
    subprocess.run([uv, "--no-config", "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    return str(folder / "bin" / "python")


def plan_for(python: str, index: str, requirements: tuple[str, ...]) -> Plan:
    steps = (
        Step("resolve", "resolve", TITLE, arguments={"python": python, "requirements": requirements}),
        Step("download", "download", TITLE, arguments={"requirements": requirements}),
        Step("swap", "swap", TITLE, arguments={"python": python, "removes": ()}),
        Step("test", "smoke-test", TITLE, arguments={"python": python, "modules": ("pack0.part0",)}),
    )
    return Plan(Verdict.READY, RouteKind.LINUX, (), PlannedPython(python, "venv", "3.11"), (), {}, steps, 0, 0, (), Choice(index_url=index))


def side_by_side(folder: Path, bytes_per_s: int | None, rounds: int) -> list[dict]:
    uv = find_uv()
    assert uv
    whole: dict[str, list[float]] = {"uv": [], "ours": [], "kept": [], "uv offline": [], "swap": []}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with _index_apart(folder / "index", bytes_per_s) as index:
        for round_ in range(rounds):
            order: list[Callable[[], None]] = []

            def by_uv() -> None:
                python = fresh_environment(folder / "env-uv")
                cache = folder / "cache-uv"
                shutil.rmtree(cache, ignore_errors=True)
                argv = [uv, "--no-config", "--cache-dir", str(cache), "pip", "install", "--python", python, "--default-index", index, *NAMES]
                whole["uv"].append(timed(lambda: subprocess.run(argv, check=True, **quiet)))

            def offline_by_uv() -> None:
                python = fresh_environment(folder / "env-uv")
                argv = [uv, "--no-config", "--cache-dir", str(folder / "cache-uv"), "pip", "install", "--offline", "--no-deps", "--python", python]
                whole["uv offline"].append(timed(lambda: subprocess.run([*argv, "--default-index", index, *NAMES], check=True, **quiet)))

            def by_us() -> None:
                python = fresh_environment(folder / "env-ours")
                home = folder / "home"
                shutil.rmtree(home, ignore_errors=True)
                events: list[Event] = []
                began = time.perf_counter()
                finished = run_plan(plan_for(python, index, NAMES), LiveHost(), events.append, Cancel(), places=places(str(home)))
                whole["kept"].append(time.perf_counter() - began)
                assert finished.outcome is Outcome.DONE, finished.problem
                steps = {event.step_id: event.seconds for event in events if isinstance(event, StepFinished)}
                whole["ours"].append(steps["resolve"] + steps["download"] + steps["swap"])
                whole["swap"].append(steps["swap"])
                for thread in threading.enumerate():
                    if thread.name in ("trash", "flush"):
                        thread.join()

            order = [by_uv, offline_by_uv, by_us] if round_ % 2 == 0 else [by_us, by_uv, offline_by_uv]
            for one in order:
                os.sync()
                one()
    median = {name: statistics.median(values) for name, values in whole.items()}
    said = f"uv {median['uv']:.2f} s, ours {median['ours']:.2f} s, with smoke test, flush and commit {median['kept']:.2f} s"
    swap = f"uv --offline {median['uv offline']:.2f} s, swap {median['swap']:.2f} s"
    if bytes_per_s is None:
        return [row(f"install {SET_MB} MB without a limit of the line: ours by uv", median["ours"] / median["uv"], "×", None, said)]
    return [
        row(f"install {SET_MB} MB over {bytes_per_s // MB} MB/s: ours by uv pip install, cold", median["ours"] / median["uv"], "×", 1.05, said),
        row("swap phase by uv pip install --offline", median["swap"] / median["uv offline"], "×", 1.2, swap),
    ]


@contextlib.contextmanager
def _index_apart(folder: Path, bytes_per_s: int | None = None) -> Iterator[str]:
    """The index in a process of its own, so that its work is not taken for ours. Asked once for every page, so that hashes are known."""
    code = (
        "import sys, time; from pathlib import Path; from tests.running.index_server import IndexServer\n"
        "server = IndexServer(Path(sys.argv[1]), bytes_per_s=int(sys.argv[2]) or None); server.__enter__()\n"
        "[server.sha256_of(path) for path in server.folder.glob('*.whl')]; print(server.index, flush=True); time.sleep(3600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(folder), str(bytes_per_s or 0)], stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.kill()


def put_back_of_a_gigabyte(folder: Path) -> list[dict]:
    environment, here = folder / "env-ours", places(str(folder / "home"))
    brought = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file() and not path.is_symlink())
    (run,) = list_runs(here)
    seconds = timed(lambda: undo_run(run.id, LiveHost(), lambda _: None, Cancel(), places=here))
    assert not list(environment.rglob("pack*"))
    return [row("put a 1 GB environment back", seconds, "s", 2.0, f"one run, {brought / 1e9:.1f} GB; what is thrown away is deleted in the background")]


def memory_of_a_big_download(folder: Path) -> list[dict]:
    """In a process of its own, whose highest memory its system tells."""
    code = "import sys; from tests.bench.bench_install import download_alone; print(*download_alone(sys.argv[1], sys.argv[2]))"
    with _Stream(3000 * MB) as url:
        argv = [sys.executable, "-c", code, url, str(folder / "big.whl")]
        answer = subprocess.run(argv, check=True, capture_output=True, text=True, cwd=ROOT)
    megabytes, seconds = map(float, answer.stdout.split())
    return [row("memory during a 3 GB download", megabytes, "MB", 150, f"3 GB in {seconds:.1f} s = {3000 / seconds:.0f} MB/s, hash included")]


def download_alone(url: str, target: str) -> tuple[float, float]:
    downloader = Downloader("bench")
    began = time.perf_counter()
    downloader.download(url, target, sha256=None, size_bytes=3000 * MB, on_progress=lambda *_: None, cancel=Cancel())
    seconds = time.perf_counter() - began
    downloader.close()
    Path(target).unlink()
    # Not getrusage: a child's count there begins with what its parent had.
    peak = next(line for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1000, seconds


class _Stream:
    """A server of one long file that lies nowhere."""

    def __init__(self, size: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                part = os.urandom(MB)
                for _ in range(size // MB):
                    self.wfile.write(part)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/big.whl"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def row(name: str, value: float, unit: str, limit: float | None, reference: str) -> dict:
    return {"name": name, "value": value, "unit": unit, "limit": limit, "reference": reference}
