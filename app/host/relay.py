"""Hands files that are still on their way to a child program, so that it can work on them while they arrive.

A small package index on the loopback address, under a path that nobody else knows. What is not found right yet can never be
finished: the last bytes of a file, which hold a wheel's table of contents, are held back until its hash was checked.
"""

import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from app.host.file_changes import long_path

_HELD_BACK_BYTES: Final = 65_536
_BLOCK_BYTES: Final = 1 << 20


class Arrival:
    """One file while it arrives: `part` grows, then it is `target`. Told by the one who fetches it, read by the relay."""

    def __init__(self, part: Path, target: Path) -> None:
        self._part, self._target = part, target
        self._changed = threading.Condition()
        self._total: int | None = None
        self._ready_bytes = 0
        self._sent_bytes = 0
        self._is_over = False

    def tell(self, done_bytes: int, total_bytes: int | None) -> None:
        """So much is there now. Where less is there than was handed on, the file was begun anew, and this is given up."""
        with self._changed:
            self._total = self._total or total_bytes
            if self._total is not None:
                self._ready_bytes = min(done_bytes, max(0, self._total - _HELD_BACK_BYTES))
            self._is_over |= done_bytes < self._sent_bytes
            self._changed.notify_all()

    def complete(self) -> None:
        """The whole file is there, and it is the right one."""
        with self._changed:
            self._ready_bytes = self._total = Path(long_path(str(self._target))).stat().st_size
            self._changed.notify_all()

    def give_up(self) -> None:
        """Nothing more comes; whoever reads is told so by a broken connection. After `complete` this means nothing."""
        with self._changed:
            self._is_over |= self._total is None or self._ready_bytes < self._total
            self._changed.notify_all()

    def wait_for_size(self) -> int | None:
        """The size of the whole file; None if it was given up."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or self._total is not None)
            return None if self._is_over else self._total

    def wait_for_bytes(self, sent: int) -> bytes:
        """What follows the first `sent` bytes, as soon as there is some; empty if it was given up."""
        with self._changed:
            self._sent_bytes = sent
            self._changed.wait_for(lambda: self._is_over or self._ready_bytes > sent)
            size = 0 if self._is_over else min(_BLOCK_BYTES, self._ready_bytes - sent)
        return self._read(sent, size) if size else b""

    def _read(self, start: int, size: int) -> bytes:
        # Opened for each block: Windows lets nobody rename a file that is open.
        for path in (self._part, self._target):
            try:
                with Path(long_path(str(path))).open("rb") as file:
                    file.seek(start)
                    return file.read(size)
            except FileNotFoundError:
                continue
        return b""


class Relay:
    """The index. `close` ends it and every transfer."""

    def __init__(self) -> None:
        self._key = secrets.token_urlsafe(24)
        self._files: dict[str, tuple[str, str, str, Arrival]] = {}

        class Handler(_Handler):
            answer = self._answer

        self._server = _Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="relay", daemon=True).start()

    @property
    def index(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{self._key}/simple/"

    def offer(self, name: str, version: str, filename: str, sha256: str, target: Path) -> Arrival:
        """Lists the wheel `filename` of a package; `target` is where it is fetched to."""
        arrival = Arrival(target.with_name(f"{target.name}.part"), target)
        self._files[filename] = (name, version, sha256, arrival)
        return arrival

    def close(self) -> None:
        for _, _, _, arrival in self._files.values():
            arrival.give_up()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, path: str) -> "str | Arrival | None":
        """A page, the metadata that an installer asks for before the file, or the file. None: there is no such thing."""
        key, _, rest = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(key.encode(), self._key.encode()):
            return None
        if rest.startswith("simple/"):
            wanted = rest.removeprefix("simple/").rstrip("/")
            links = [
                f'<a href="/{key}/{file}#sha256={sha}" data-core-metadata="true">{file}</a>'
                for file, (name, _, sha, _) in self._files.items()
                if name == wanted
            ]
            return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>" if links else None
        if rest.endswith(".metadata") and rest.removesuffix(".metadata") in self._files:
            # What it needs does not matter here: it is installed alone, and the real metadata come with the file.
            name, version, _, _ = self._files[rest.removesuffix(".metadata")]
            return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        return self._files[rest][3] if rest in self._files else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A reader that was ended in the middle is nothing to tell."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer: "Callable[[str], str | Arrival | None]"

    def log_message(self, *_: object) -> None:
        """Says nothing: a packaged program has no standard error."""

    def do_GET(self) -> None:
        try:
            found = self.answer(self.path.replace("%2B", "+").replace("%2b", "+"))
            if isinstance(found, Arrival):
                self._pass_on(found)
            else:
                content = (found or "").encode()
                self._begin(404 if found is None else 200, len(content), "text/html" if found and found.startswith("<") else "text/plain")
                self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def _pass_on(self, arrival: Arrival) -> None:
        size = arrival.wait_for_size()
        if size is None:
            self._begin(503, 0, "text/plain")
            return
        self._begin(200, size, "application/octet-stream")
        sent = 0
        while sent < size and (block := arrival.wait_for_bytes(sent)):
            self.wfile.write(block)
            sent += len(block)
        self.close_connection = sent < size

    def _begin(self, status: int, size: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        self.end_headers()
