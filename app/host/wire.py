"""One HTTP answer, read in big parts: of a wheel of gigabytes every part costs the processor time that unpacking needs.

With the standard library's client a download takes half the processor time that it took with the one for small questions.
"""

import base64
import contextlib
import http.client
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import Any, Final

_PART_BYTES: Final = 1 << 18


class WireError(Exception):
    """The connection could not be made, or broke."""


class Wire:
    """`open` waits for the head of the answer; `abort` ends it at any time, from any thread."""

    def __init__(self, context: ssl.SSLContext, proxies: Mapping[str, str], user_agent: str, timeout_s: float) -> None:
        self._opener = urllib.request.OpenerDirector()
        self._sockets: list[socket.socket] = []
        for handler in (
            urllib.request.ProxyHandler(dict(proxies)),
            _Http(self._sockets),
            _Https(self._sockets, context),
            _Redirects(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            urllib.request.UnknownHandler(),
        ):
            self._opener.add_handler(handler)
        self._user_agent = user_agent
        self._timeout_s = timeout_s
        self._answer: Any = None
        self.status = 0
        self.headers: Message = Message()

    def open(self, url: str, first_byte: int) -> None:
        """Asks for the file from `first_byte` on. WireError if nothing answers; a refusal is a status."""
        request = _request(url)
        request.add_header("User-Agent", self._user_agent)
        request.add_header("Accept-Encoding", "identity")
        if first_byte:
            request.add_header("Range", f"bytes={first_byte}-")
        reason = ""
        try:
            self._answer = self._opener.open(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as error:
            self._answer = error
        except urllib.error.URLError as error:
            reason = str(error.reason) or type(error).__name__
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
        if reason:
            # Outside of the handlers: the error would keep the frames, and with them the half-open connection of a proxy that refused.
            raise WireError(reason)
        self.status, self.headers = self._answer.status, self._answer.headers

    def read(self) -> bytes:
        """What comes next, as soon as something does; empty at the end. WireError where it breaks."""
        try:
            part: bytes = self._answer.read1(_PART_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise WireError(str(error) or type(error).__name__) from error
        return part

    def abort(self) -> None:
        for wire in self._sockets:
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._answer is not None:
            with contextlib.suppress(OSError):
                self._answer.close()


def system_proxies(kept: Mapping[str, str]) -> dict[str, str]:
    """The proxies of the environment or the system by scheme; `kept` are those that need credentials, with them."""
    found = urllib.request.getproxies()
    for scheme in ("http", "https"):
        address = kept.get(f"{scheme}_proxy") or found.get(scheme) or found.get("all")
        if address:
            found[scheme] = address
    return {scheme: found[scheme] for scheme in ("http", "https") if scheme in found}


def _request(url: str) -> urllib.request.Request:
    """Without user and password in the address: they go into a header, and to no other server that a redirect names."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"no web address: {parts.scheme}")
    request = urllib.request.Request(urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))  # noqa: S310 - checked above
    if parts.username:
        pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        request.add_unredirected_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
    return request


class _Http(urllib.request.HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()

        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        self._kind = Connection

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kind, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, sockets: list[socket.socket], context: ssl.SSLContext) -> None:
        super().__init__(context=context)

        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        self._kind, self._own_context = Connection, context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kind, req, context=self._own_context)


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> urllib.request.Request | None:  # noqa: PLR0917 - as the standard library calls it
        follow = super().redirect_request(req, fp, code, msg, headers, newurl)
        if follow is not None:
            # The next server may be one that no proxy leads to.
            follow.remove_header("Proxy-authorization")
        return follow
