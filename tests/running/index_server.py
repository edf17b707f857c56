"""A package index on this machine that can misbehave: it drops, stalls, truncates, lies about hashes and ranges, refuses, redirects."""

import hashlib
import re
import socket
import threading
import time
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from packaging.utils import canonicalize_name

_BURST_S = 0.1


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one answer. `after` counts bytes that still arrive.

    kind: drop (connection reset), stall (nothing more comes), short (ends early though it promised more), other-bytes (content altered),
    no-range (whole file for a part), wrong-range (another part than asked for), status, redirect, slow (`after` bytes a second).
    """

    kind: str
    after: int = 0
    status: int = 0
    target: str = ""


class IndexServer:
    """Serves the wheels of `folder`. `faults[filename]` are used up one an answer; `requests` lists (path, range)."""

    def __init__(self, folder: Path, *, hashes: bool = True, bytes_per_s: int | None = None) -> None:
        self.folder = folder
        self.bytes_per_s = bytes_per_s
        self._line_free_at = 0.0
        self._line = threading.Lock()
        self.hashes = hashes
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.requests: list[tuple[str, str | None]] = []
        self.lies: dict[str, str] = {}
        self.stopping = threading.Event()
        self._hashes: dict[tuple[str, int], str] = {}
        outer = self

        class Handler(_Handler):
            server_of_test = outer

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def index(self) -> str:
        return f"{self.url}/simple/"

    def file_url(self, name: str) -> str:
        return f"{self.url}/files/{name}"

    def wait_for_line(self, size: int) -> None:
        """Waits as long as `size` bytes take on a line of `bytes_per_s` that all connections share."""
        if self.bytes_per_s is None:
            return
        with self._line:
            now = time.monotonic()
            # Who slept too long catches up, else one connection alone would never fill the line.
            self._line_free_at = max(now - _BURST_S, self._line_free_at) + size / self.bytes_per_s
            wait_s = self._line_free_at - now
        time.sleep(max(0.0, wait_s))

    def sha256_of(self, path: Path) -> str:
        key = (path.name, path.stat().st_mtime_ns)
        if key not in self._hashes:
            self._hashes[key] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._hashes[key]

    def __enter__(self) -> "IndexServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that goes away in the middle is what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_test: IndexServer

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        path = unquote(self.path)
        self.server_of_test.requests.append((path, self.headers.get("Range")))
        try:
            if match := re.fullmatch(r"/simple/([^/]+)/", path):
                self._page(match[1])
            elif match := re.fullmatch(r"/files/([^/]+)\.metadata", path):
                self._whole(_metadata_of(self.server_of_test.folder / match[1]), "text/plain")
            elif match := re.fullmatch(r"/files/([^/]+)", path):
                self._file(match[1], body)
            else:
                self._refuse(404)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _page(self, name: str) -> None:
        wheels = [path for path in sorted(self.server_of_test.folder.glob("*.whl")) if canonicalize_name(path.name.split("-")[0]) == canonicalize_name(name)]
        if not wheels:
            self._refuse(404)
            return
        lines = []
        for path in wheels:
            sha256 = self.server_of_test.lies.get(path.name) or self.server_of_test.sha256_of(path)
            fragment = f"#sha256={sha256}" if self.server_of_test.hashes else ""
            lines.append(f'<a href="/files/{path.name}{fragment}" data-core-metadata="true">{path.name}</a>')
        self._whole("<!DOCTYPE html><html><body>{}</body></html>".format("\n".join(lines)).encode(), "text/html")

    def _whole(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _file(self, name: str, body: bool) -> None:
        path = self.server_of_test.folder / name
        if not path.is_file():
            self._refuse(404)
            return
        faults = self.server_of_test.faults[name]
        fault = faults.pop(0) if faults and body else Fault("none")
        if fault.kind == "status":
            self._refuse(fault.status)
            return
        if fault.kind == "redirect":
            self.send_response(302)
            self.send_header("Location", fault.target)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send(path.read_bytes(), fault, body)

    def _send(self, content: bytes, fault: Fault, body: bool) -> None:
        if fault.kind == "other-bytes":
            content = bytes(byte ^ 1 for byte in content)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if asked and fault.kind != "no-range":
            start = int(asked[1])
            end = int(asked[2]) + 1 if asked[2] else len(content)
            if start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            shift = 3 if fault.kind == "wrong-range" else 0
            part = content[start + shift : end]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start + shift}-{end - 1}/{len(content)}")
        else:
            part = content
            self.send_response(200)
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if body:
            self._body(part, fault)

    def _body(self, part: bytes, fault: Fault) -> None:
        if fault.kind == "slow":
            for place in range(0, len(part), max(1, fault.after // 20)):
                self.wfile.write(part[place : place + max(1, fault.after // 20)])
                if self.server_of_test.stopping.wait(0.05):
                    return
        elif fault.kind in ("drop", "stall", "short"):
            self.wfile.write(part[: fault.after])
            self.wfile.flush()
            if fault.kind == "stall":
                self.server_of_test.stopping.wait(60)
            elif fault.kind == "drop":
                time.sleep(0.02)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            self.close_connection = True
            self.connection.close()
        elif self.server_of_test.bytes_per_s:
            for place in range(0, len(part), 1 << 18):
                self.server_of_test.wait_for_line(min(1 << 18, len(part) - place))
                self.wfile.write(part[place : place + (1 << 18)])
        else:
            self.wfile.write(part)


def _metadata_of(path: Path) -> bytes:
    with zipfile.ZipFile(path) as wheel:
        return wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")))
