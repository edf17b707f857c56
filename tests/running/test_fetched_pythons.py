"""A Python of our own, fetched by uv: only the one whose hash uv ships with, and without a network one clear sentence."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.model.events import LogLine, Outcome
from tests.running.conftest import Bench
from tests.running.worlds import plan_of, step


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A mirror of the standalone builds that gives something else for each; the addresses it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(bytes(1000))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("UV_PYTHON_INSTALL_MIRROR", f"http://127.0.0.1:{server.server_address[1]}")
    yield asked
    server.shutdown()
    server.server_close()


def test_another_file_than_uv_knows_is_never_used(bench: Bench, mirror: list[str]) -> None:
    finished = bench.run(plan_of(None, [step("python", "fetch-python", version="3.12")]))
    assert (finished.outcome, finished.problem and finished.problem.code) == (Outcome.FAILED, "run.python-not-fetched")
    assert [path for path in mirror if "cpython-3.12" in path], "asked at the mirror that the person set"
    said = "\n".join(event.line for event in bench.of(LogLine))
    assert "cause: network-failed" in said
    pythons = bench.places.data / "pythons"
    assert not [path for path in pythons.rglob("python*") if path.is_file()]
