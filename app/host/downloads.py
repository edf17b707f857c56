"""One file from an address to the disk: resumed by byte range, checked by hash, stopped within a second.

TLS is checked against the system's own trust store, so an inspecting proxy that the system trusts works and no switch is needed.
"""

import hashlib
import ssl
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.host.file_changes import long_path, problem_of, replace
from app.host.proxies import proxy_variables
from app.host.wire import Wire, WireError, system_proxies
from app.model.cancel import Cancel
from app.model.problem import Cancelled, Problem
from app.model.text import Text

if TYPE_CHECKING:
    import httpx

_CHUNK_BYTES: Final = 1 << 20
_HASHED_BYTES: Final = 8 << 20
_CONNECT_S: Final = 15.0
_STALL_S: Final = 20.0
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Waits after failures in a row without a single new byte; when they are used up the source is given up."""
_FINAL_STATUSES: Final = frozenset({400, 401, 403, 404, 405, 407, 410, 451})


class Refused(Exception):
    """An answer that another try does not change, or bytes that are not the promised ones."""


class Downloader:
    """Keeps connections between files. `user_agent` names the program to servers."""

    def __init__(self, user_agent: str, stall_s: float = _STALL_S, pauses_s: tuple[float, ...] = _PAUSES_S) -> None:
        self._user_agent = user_agent
        self._stall_s = stall_s
        self._pauses_s = pauses_s
        self._client: httpx.Client | None = None
        self._context: ssl.SSLContext | None = None
        self._lock = threading.Lock()

    def download(
        self,
        url: str,
        target: str,
        *,
        sha256: str | None,
        size_bytes: int | None,
        on_progress: Callable[[int, int | None], None],
        cancel: Cancel,
    ) -> None:
        """Fetches `url` to `target`; bytes of an earlier, broken try are taken up again.

        `on_progress(done, total)` is called from this thread, at most ten times a second. Raises Problem (network, refusal,
        hash, disk full) or Cancelled; the part that arrived stays beside the target as `.part`.
        """
        cancel.check()
        transfer = _Transfer(self, url, Path(long_path(target)), sha256, size_bytes)
        worker = threading.Thread(target=transfer.run, daemon=True, name="download")
        take_back = cancel.on_cancel(transfer.stop)
        worker.start()
        try:
            while not transfer.finished.wait(0.1):
                on_progress(transfer.done_bytes, transfer.total_bytes)
                if cancel.is_set:
                    # A name look-up cannot be interrupted; such a worker ends by itself and writes nothing more.
                    transfer.finished.wait(0.5)
                    raise Cancelled
        finally:
            take_back()
            transfer.stop()
        cancel.check()
        if transfer.failure is not None:
            raise transfer.failure
        on_progress(transfer.done_bytes, transfer.total_bytes)

    def silence(self, url: str, timeout_s: float) -> str | None:
        """Why nothing useful answers at `url`, in a few English words; None if something does."""
        import httpx

        parts = urllib.parse.urlsplit(url)
        if parts.scheme == "file":
            return None if Path(urllib.request.url2pathname(parts.path)).exists() else "no such folder"
        try:
            with self.client().stream("GET", url, timeout=timeout_s) as answer:
                return f"HTTP {answer.status_code}" if answer.status_code >= 400 and answer.status_code != 404 else None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return _reason(error)

    def text(self, url: str, timeout_s: float, limit_bytes: int = 32 << 20) -> str | None:
        """A small document; None if it cannot be had."""
        import httpx

        try:
            with self.client().stream("GET", url, timeout=timeout_s, headers={"Accept": "application/vnd.pypi.simple.v1+html, text/html;q=0.5"}) as answer:
                if answer.status_code != 200:
                    return None
                content = bytearray()
                for chunk in answer.iter_bytes():
                    content += chunk
                    if len(content) > limit_bytes:
                        return None
                return content.decode("utf-8", errors="replace")
        except (httpx.HTTPError, httpx.InvalidURL):
            return None

    def client(self) -> "httpx.Client":
        with self._lock:
            if self._client is None:
                import httpx

                from app.host.proxies import proxy_mounts

                self._client = httpx.Client(
                    verify=self._trusted(),
                    mounts=proxy_mounts(self._trusted()),
                    follow_redirects=True,
                    timeout=httpx.Timeout(self._stall_s, connect=_CONNECT_S),
                    headers={"User-Agent": self._user_agent, "Accept-Encoding": "identity"},
                    limits=httpx.Limits(max_connections=8),
                )
            return self._client

    def wire(self) -> Wire:
        """For one file."""
        with self._lock:
            return Wire(self._trusted(), system_proxies(proxy_variables()), self._user_agent, self._stall_s)

    def prepare(self) -> None:
        """Loads what the first download needs."""
        with self._lock:
            self._trusted()

    def trust(self, certificates: str) -> None:
        """Counts the authorities in a PEM file as trusted too. Problem if it cannot be read."""
        with self._lock:
            try:
                self._trusted().load_verify_locations(certificates)
            except (OSError, ssl.SSLError) as error:
                raise Problem(Text("run.certificates-unreadable", {"path": certificates, "reason": str(error)[:200]}), cause="tls-inspection") from error

    def _trusted(self) -> ssl.SSLContext:
        """The system's own store decides, so that an inspecting proxy of the person's company works."""
        if self._context is None:
            import truststore

            self._context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return self._context

    @property
    def pauses_s(self) -> tuple[float, ...]:
        return self._pauses_s

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


class _Transfer:
    """One file on its way, in a thread of its own."""

    def __init__(self, owner: Downloader, url: str, target: Path, sha256: str | None, size_bytes: int | None) -> None:
        self._owner = owner
        self._url = url
        self._target = target
        self._part = target.with_name(target.name + ".part")
        self._sha256 = sha256.lower() if sha256 else None
        self._stopped = threading.Event()
        self._wire: Wire | None = None
        self.done_bytes = 0
        self.total_bytes = size_bytes
        self.promised_bytes = size_bytes
        self.failure: Problem | None = None
        self.finished = threading.Event()

    def stop(self) -> None:
        self._stopped.set()
        wire = self._wire
        if wire is not None:
            wire.abort()

    def run(self) -> None:
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            if urllib.parse.urlsplit(self._url).scheme == "file":
                self._copy()
            else:
                self._fetch_with_patience()
        except Problem as problem:
            self.failure = problem
        except OSError as error:
            self.failure = problem_of(error, str(self._target))
        except ValueError as error:
            # An address that is none.
            self.failure = Problem(Text("run.download-refused", {"url": self._url, "reason": _reason(error)}), cause="network-failed")
        finally:
            self.finished.set()

    def _copy(self) -> None:
        source = Path(long_path(urllib.request.url2pathname(urllib.parse.urlsplit(self._url).path)))
        digest = hashlib.sha256()
        if not source.is_file():
            raise Problem(Text("run.download-refused", {"url": self._url, "reason": "no such file"}), cause="network-failed")
        self.total_bytes = source.stat().st_size
        with source.open("rb") as reader, self._part.open("wb") as writer:
            while not self._stopped.is_set() and (chunk := reader.read(_CHUNK_BYTES)):
                writer.write(chunk)
                digest.update(chunk)
                self.done_bytes += len(chunk)
        if not self._stopped.is_set():
            self._accept(digest.hexdigest())

    def _fetch_with_patience(self) -> None:
        failures, restarts = 0, 0
        while not self._stopped.is_set():
            before = self.done_bytes
            try:
                digest = self._fetch()
                if self._stopped.is_set() or digest is None:
                    return
                self._accept(digest)
                return
            except _Mismatch as mismatch:
                # Bytes of an earlier try may have been of another file: once from the start, then it is the source.
                self._part.unlink(missing_ok=True)
                restarts += 1
                if restarts > 1 or not mismatch.was_resumed:
                    raise Problem(Text("run.hash-mismatch", {"url": shown(self._url)}), cause="hash-mismatch") from mismatch
            except Refused as refusal:
                cause = "proxy-failed" if "407" in str(refusal) else "network-failed"
                raise Problem(Text("run.download-refused", {"url": shown(self._url), "reason": str(refusal)}), cause=cause) from refusal
            except (WireError, _Broken) as error:
                failures = 0 if self.done_bytes > before else failures + 1
                final = _final_cause(error)
                if final is not None or failures > len(self._owner.pauses_s):
                    raise Problem(Text("run.download-failed", {"url": shown(self._url), "reason": _reason(error)}), cause=final or "network-failed") from error
                self._stopped.wait(self._owner.pauses_s[failures - 1] if failures else 0.1)

    def _fetch(self) -> str | None:
        """One request. The hash of the whole file once it is complete; None when stopped."""
        digest = hashlib.sha256()
        have = self._take_up(digest)
        if self.promised_bytes is not None and have == self.promised_bytes:
            self.done_bytes = self.total_bytes = have
            return self._checked(digest.hexdigest(), was_resumed=True)
        was_resumed = bool(have)
        wire = self._wire = self._owner.wire()
        try:
            wire.open(self._url, have)
            if wire.status == 416 and have:
                self._part.unlink(missing_ok=True)
                raise _Broken("the server has no such range")
            if wire.status in _FINAL_STATUSES:
                raise Refused(f"HTTP {wire.status}")
            if wire.status not in (200, 206):
                raise _Broken(f"HTTP {wire.status}")
            start, total = _answered_range(wire.status, wire.headers["content-range"], wire.headers["content-length"])
            if start != have:
                # The server ignores or misreads ranges: what it sends is taken from its own start or not at all.
                if start != 0:
                    self._part.unlink(missing_ok=True)
                    raise _Broken("the server sent another range than asked for")
                digest, have = hashlib.sha256(), 0
            self._receive(wire, digest, have, total)
        finally:
            self._wire = None
            wire.close()
        if self._stopped.is_set():
            return None
        expected = self.promised_bytes if self.promised_bytes is not None else self.total_bytes
        if expected is not None and self.done_bytes < expected:
            raise _Broken("the connection ended early")
        return self._checked(digest.hexdigest(), was_resumed=was_resumed)

    def _take_up(self, digest: "hashlib._Hash") -> int:
        have = 0
        if self.promised_bytes is not None and self._part.is_file() and self._part.stat().st_size > self.promised_bytes:
            self._part.unlink()
        if self._part.is_file():
            with self._part.open("rb") as part:
                while not self._stopped.is_set() and (chunk := part.read(_CHUNK_BYTES)):
                    digest.update(chunk)
                    have += len(chunk)
        self.done_bytes = have
        return have

    def _receive(self, wire: Wire, digest: "hashlib._Hash", have: int, total: int | None) -> None:
        self.done_bytes = have
        self.total_bytes = self.promised_bytes if self.promised_bytes is not None else total
        limit = self.promised_bytes
        # Without a buffer: whoever unpacks the file while it arrives reads what is counted as done.
        with self._part.open("r+b" if have else "wb", buffering=0) as part:
            part.seek(have)
            part.truncate()
            while chunk := wire.read():
                if self._stopped.is_set():
                    return
                part.write(chunk)
                digest.update(chunk)
                self.done_bytes += len(chunk)
                if limit is not None and self.done_bytes > limit:
                    raise _Mismatch(was_resumed=bool(have))

    def _checked(self, digest: str, was_resumed: bool) -> str:
        if self._sha256 is not None and digest != self._sha256:
            raise _Mismatch(was_resumed)
        return digest

    def _accept(self, digest: str) -> None:
        if self._sha256 is not None and digest != self._sha256:
            self._part.unlink(missing_ok=True)
            raise Problem(Text("run.hash-mismatch", {"url": shown(self._url)}), cause="hash-mismatch")
        # Not flushed to the disk: every later run checks the hash again before it uses the file.
        replace(str(self._part), str(self._target))


class _Broken(Exception):
    """The transfer broke; another try may do."""


class _Mismatch(Exception):
    def __init__(self, was_resumed: bool) -> None:
        super().__init__()
        self.was_resumed = was_resumed


def _answered_range(status: int, content_range: str | None, content_length: str | None) -> tuple[int, int | None]:
    """Where the answer's first byte lies, and the size of the whole file where it says so."""
    length = int(content_length) if content_length and content_length.isdigit() else None
    if status != 206:
        return 0, length
    unit, _, rest = (content_range or "").partition(" ")
    span, _, total = rest.partition("/")
    first = span.partition("-")[0]
    if unit != "bytes" or not first.isdigit():
        raise _Broken("the server did not say which range it sent")
    return int(first), int(total) if total.isdigit() else None


def _final_cause(error: Exception) -> str | None:
    """The cause code of a failure that waiting does not cure."""
    text = str(error)
    if "Tunnel connection failed" in text:
        return "proxy-failed"
    if "CERTIFICATE_VERIFY_FAILED" in text or "certificate" in text.lower():
        return "certificate-expired" if "expired" in text or "not yet valid" in text else "tls-inspection"
    return None


def _reason(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__


def shown(url: str) -> str:
    """The address without credentials, query or fragment, for logs and sentences."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def file_sha256(path: str, check: Callable[[], None] = lambda: None) -> str:
    """The hash of a file, as lower-case hexadecimal text. `check` is asked between parts and may raise to stop."""
    digest = hashlib.sha256()
    with Path(long_path(path)).open("rb", buffering=0) as file:
        while chunk := file.read(_HASHED_BYTES):
            check()
            digest.update(chunk)
    return digest.hexdigest()
