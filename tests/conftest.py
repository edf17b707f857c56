"""What holds for every test: no screen, no network, a home of its own, no unexpected warning, a pure core."""

import itertools
import logging
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).resolve().parent.parent
PURE = ("app.model", "app.texts", "app.tables", "app.diagnosis", "app.planning")
"""Packages that never touch the machine. Files of `assets/` are part of the program, so those they may read."""

_HOMES = itertools.count()

TOUCHES = ("open", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "subprocess.Popen", "socket.connect", "socket.getaddrinfo")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `windows` are for a Windows Python: elsewhere they do not run, and `dev.py wine` runs them."""
    if sys.platform == "win32":
        return
    elsewhere = [item for item in items if item.get_closest_marker("windows")]
    if elsewhere:
        items[:] = [item for item in items if not item.get_closest_marker("windows")]
        config.hook.pytest_deselected(items=elsewhere)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TRITON_SETUP_HOME: state, environments and caches of a test never meet the person's own."""
    home = tmp_path_factory.getbasetemp() / f"home-{next(_HOMES)}"
    home.mkdir()
    monkeypatch.setenv("TRITON_SETUP_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only loopback answers, unless the test is marked `network` or `line`."""
    if request.node.get_closest_marker("network") or request.node.get_closest_marker("line"):
        return

    def guard(name: str) -> None:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: Any) -> Any:
            if isinstance(address, tuple) and not _is_loopback(str(address[0])):
                raise OSError(f"a test reached for the network: {address} (mark it `network`)")
            return real(self, address)

        monkeypatch.setattr(socket.socket, name, connect)

    guard("connect")
    guard("connect_ex")


def _is_loopback(host: str) -> bool:
    return host in {"localhost", "::1", ""} or host.startswith("127.")


@pytest.fixture(autouse=True)
def no_unexpected_warnings(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A WARNING in the log fails the test, unless it is marked `warns` or took the record out with caplog.clear()."""
    yield
    if request.node.get_closest_marker("warns"):
        return
    loud = [record for when in ("setup", "call") for record in caplog.get_records(when) if record.levelno >= logging.WARNING]
    assert not loud, "unexpected in the log: " + "; ".join(f"{record.name}: {record.getMessage()}" for record in loud)


def _watch_the_pure(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in TOUCHES:
        return
    module = _first_of_ours(sys._getframe(1))
    if module is None or not module.startswith(PURE):
        return
    path = str(arguments[0]) if arguments else ""
    if event.startswith(("open", "os.")) and (path.endswith((".py", ".pyc")) or Path(path).resolve().is_relative_to(ROOT / "assets")):
        return  # part of the program; Qt's import hook reads the source of what imports
    raise AssertionError(f"{module} touched the machine: {event} {path}")


def _first_of_ours(frame: FrameType | None) -> str | None:
    """The module of ours that is nearest to the event; None where Python's own import machinery stands between."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("importlib"):
            return None
        if name.startswith("app."):
            return str(name)
        frame = frame.f_back
    return None


sys.addaudithook(_watch_the_pure)
