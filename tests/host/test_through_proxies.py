"""A proxy that wants a password, a proxy that reads TLS, a server with a certificate of its own: real sockets, real certificates."""

import base64
import contextlib
import datetime
import hashlib
import http.client
import ipaddress
import os
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.host.downloads import Downloader
from app.host.live import LiveHost
from app.host.places import places
from app.host.proxies import secret_name
from app.host.secrets_store import keep_secret
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome
from app.model.problem import Problem
from app.running import run_plan
from tests.running.index_server import IndexServer
from tests.running.worlds import change_steps, make_environment, new_wheels, old_wheels, packages_of, plan_of, python_of
from tests.standins.credential_store import Store, own_store

x509 = pytest.importorskip("cryptography.x509")

CREDENTIALS = "DOMAIN\\me:p@ss:word/%"
CONTENT = b"content" * 10_000


@pytest.fixture(autouse=True)
def store() -> Iterator[Store]:
    with own_store() as store:
        yield store


class Proxy:
    """Passes requests on for whoever knows the password; counts what it passed on and what it turned away."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.refused = 0
        outer = self
        wanted = "Basic " + base64.b64encode(CREDENTIALS.encode()).decode()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def is_known(self) -> bool:
                if self.headers.get("Proxy-Authorization") == wanted:
                    outer.passed.append(self.path)
                    return True
                outer.refused += 1
                self.send_response(407)
                self.send_header("Proxy-Authenticate", 'Basic realm="corp"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return False

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_GET(self) -> None:
                if not self.is_known():
                    return
                parts = urlsplit(self.path)
                with contextlib.closing(http.client.HTTPConnection(parts.netloc)) as onward:
                    onward.request(self.command, parts.path, headers={"Range": self.headers["Range"]} if self.headers["Range"] else {})
                    answer = onward.getresponse()
                    body = answer.read()
                self.send_response(answer.status)
                for name in ("Content-Type", "Content-Range", "Accept-Ranges"):
                    if answer.headers[name]:
                        self.send_header(name, answer.headers[name])
                self.send_header("Content-Length", answer.headers["Content-Length"] or str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_CONNECT(self) -> None:
                if not self.is_known():
                    return
                host, _, port = self.path.partition(":")
                with contextlib.suppress(OSError), socket.create_connection((host, int(port))) as onward:
                    self.send_response(200)
                    self.end_headers()
                    pairs = {self.connection: onward, onward: self.connection}
                    while True:
                        for ready in select.select(list(pairs), [], [], 10)[0]:
                            chunk = ready.recv(65_536)
                            if not chunk:
                                self.close_connection = True
                                return
                            pairs[ready].sendall(chunk)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    proxy = Proxy()
    for name in list(os.environ):
        if name.lower() in ("no_proxy", "all_proxy", "http_proxy", "https_proxy"):
            monkeypatch.delenv(name)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, proxy.url)
    yield proxy
    proxy.close()


def certificate(folder: Path, *, days: int = 30) -> tuple[Path, Path]:
    """An authority of our own and a certificate of it for this machine (with its key), valid until `days` from now."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("Inspecting proxy", "127.0.0.1")]

    def made(subject: int, extensions: list) -> object:
        builder = x509.CertificateBuilder().subject_name(names[subject]).issuer_name(names[0]).public_key(keys[subject].public_key())
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=90))
        builder = builder.not_valid_after(now + datetime.timedelta(days=days if subject else 90))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(keys[0], hashes.SHA256())

    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    key_id = x509.SubjectKeyIdentifier.from_public_key(keys[0].public_key())
    authority = made(0, [(x509.BasicConstraints(True, None), True), (usage, True), (key_id, False)])
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")])
    own = made(1, [(alternative, False), (x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id), False)])
    pem = serialization.Encoding.PEM
    key = keys[1].private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "ca.pem").write_bytes(authority.public_bytes(pem))
    (folder / "server.pem").write_bytes(own.public_bytes(pem) + key)
    return folder / "ca.pem", folder / "server.pem"


class SecureIndex(IndexServer):
    """The index behind TLS."""

    def __init__(self, folder: Path, chain: Path) -> None:
        super().__init__(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        return super().url.replace("http:", "https:")


def download(url: str, target: Path) -> bytes:
    downloader = Downloader("test", stall_s=5, pauses_s=(0.01,))
    try:
        downloader.download(url, str(target), sha256=hashlib.sha256(CONTENT).hexdigest(), size_bytes=None, on_progress=lambda *_: None, cancel=Cancel())
    finally:
        downloader.close()
    return target.read_bytes()


@pytest.fixture
def served(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "file.whl").write_bytes(CONTENT)
    return folder


def test_the_kept_password_opens_the_proxy(proxy: Proxy, served: Path, tmp_path: Path) -> None:
    with IndexServer(served) as server:
        with pytest.raises(Problem) as refused:
            download(server.file_url("file.whl"), tmp_path / "got")
        assert refused.value.cause == "proxy-failed"
        keep_secret(secret_name(proxy.url), CREDENTIALS)
        assert download(server.file_url("file.whl"), tmp_path / "got") == CONTENT
    assert proxy.passed == [server.file_url("file.whl")]


def test_tls_goes_through_the_proxy_too(proxy: Proxy, served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, chain = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with SecureIndex(served, chain) as server:
        with pytest.raises(Problem) as refused:
            download(server.file_url("file.whl"), tmp_path / "got")
        assert refused.value.cause == "proxy-failed"
        keep_secret(secret_name(proxy.url), CREDENTIALS)
        assert download(server.file_url("file.whl"), tmp_path / "got") == CONTENT
    assert [path for path in proxy.passed if path.startswith("127.0.0.1:")]


def test_an_inspecting_proxy_is_trusted_where_the_system_trusts_it(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, chain = certificate(tmp_path)
    with SecureIndex(served, chain) as server:
        with pytest.raises(Problem) as refused:
            download(server.file_url("file.whl"), tmp_path / "got")
        assert (refused.value.text.code, refused.value.cause) == ("run.download-failed", "tls-inspection")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        assert download(server.file_url("file.whl"), tmp_path / "got") == CONTENT


def test_a_certificate_that_has_expired_is_named(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, chain = certificate(tmp_path, days=-1)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with SecureIndex(served, chain) as server, pytest.raises(Problem) as refused:
        download(server.file_url("file.whl"), tmp_path / "got")
    assert refused.value.cause == "certificate-expired"


@pytest.mark.parametrize("told_by", ["system", "pip"])
def test_a_whole_change_behind_an_inspecting_proxy_with_a_password(
    proxy: Proxy, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, told_by: str
) -> None:
    """Resolver, downloads and unpacking: uv and we, each through the proxy; the password stands in no log and no argument."""
    environment = make_environment(tmp_path / "env", old_wheels(tmp_path / "before"))
    authority, chain = certificate(tmp_path)
    new_wheels(tmp_path / "index")
    for name in ("PIP_FIND_LINKS", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE" if told_by == "system" else "PIP_CERT", str(authority))
    keep_secret(secret_name(proxy.url), CREDENTIALS)
    events: list[Event] = []
    python = python_of(environment)
    with SecureIndex(tmp_path / "index", chain) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.index)
        finished = run_plan(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"])), LiveHost(), events.append, Cancel(), places=places(str(own_home)))
        asked = len(index.requests)
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None), [event.line for event in events if isinstance(event, LogLine)]
    assert (packages_of(environment) / "alpha" / "new.py").is_file()
    assert asked > 3
    assert len([path for path in proxy.passed if path.startswith("127.0.0.1:")]) >= 2, "uv and our downloads"
    secrets = [part for part in ("p@ss", "p%40ss") for text in [str(events), *(p.read_text() for p in (own_home / "logs").glob("*.log"))] if part in text]
    assert secrets == []
