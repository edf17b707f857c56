"""ComfyUI in a distro: models copied with the room known before, and a start that is reached from outside."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.model.events import LogLine, Outcome
from app.model.text import Text
from tests.running.conftest import Bench
from tests.running.vllm.conftest import free_port
from tests.running.wsl.test_route import DISTRO, plan_of, step
from tests.standins.wsl import standing_in

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")

SERVER = """
import http.server, json, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/system_stats" else 404)
        self.end_headers()
        self.wfile.write(json.dumps({}).encode())
print("To see the GUI go to: http://127.0.0.1", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


@pytest.fixture
def models() -> Iterator[Path]:
    """A folder of models that Linux sees, as it sees a drive of Windows."""
    with tempfile.TemporaryDirectory(prefix="models-", dir="/var/tmp") as folder:
        (Path(folder) / "loras").mkdir()
        (Path(folder) / "loras/one.safetensors").write_bytes(b"x" * 1000)
        yield Path(folder)


def copy(models: Path) -> dict[str, str]:
    return {"distro": DISTRO, "source": str(models), "from_folder": str(models), "folder": "/opt/triton-setup/ComfyUI/models", "room_folder": "/"}


def test_models_are_copied_and_what_is_there_stays(tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    with standing_in(tmp_path / "programs") as wsl:
        monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
        inside = wsl.add_distro(DISTRO) / "opt/triton-setup/ComfyUI/models"
        (inside / "loras").mkdir(parents=True)
        (inside / "loras/mine.safetensors").write_bytes(b"mine")
        finished = bench.run(plan_of(step("wsl-copy-models", "models", **copy(models))))
        assert finished.outcome is Outcome.DONE, bench.events
        assert (inside / "loras/one.safetensors").read_bytes() == b"x" * 1000
        assert (inside / "loras/mine.safetensors").read_bytes() == b"mine"


def test_a_copy_that_would_fill_the_drive_is_not_begun(bench: Bench, monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    monkeypatch.setattr(LiveHost, "disk_free", lambda self, path: 1_000_000)
    finished = bench.run(plan_of(step("wsl-copy-models", "models", **copy(models))))
    assert finished.problem == Text("wsl.no-room-for-models", {"folder": str(models), "needed": "5.0", "free": "0.0"})


@pytest.mark.parametrize(("program", "problem"), [(SERVER, None), ("raise SystemExit('no module named torch')", "wsl.server-ended")])
def test_it_is_reached_from_outside_or_the_reason_is_told(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch, program: str, problem: str | None
) -> None:
    port = free_port()
    with standing_in(tmp_path / "programs") as wsl:
        monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
        wsl.add_distro(DISTRO)
        command = (os.path.realpath(sys.executable), "-c", program, str(port))
        finished = bench.run(plan_of(step("wsl-serve-once", "serve", distro=DISTRO, command=command, port=port, path="/system_stats")))
    lines = [event.line for event in bench.of(LogLine)]
    assert (finished.problem.code if finished.problem else None) == problem, lines
    assert any("To see the GUI" in line or "no module named torch" in line for line in lines)
    assert any("Windows reaches it" in line for line in lines) is (problem is None)
