"""Fixtures of the runner's tests."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.events import Event, RunFinished
from app.model.plan import Plan
from app.running import run_plan
from tests.running.index_server import IndexServer
from tests.running.worlds import make_environment, new_wheels, old_wheels


class Bench:
    """Runs plans and keeps what they said."""

    def __init__(self, home: Path) -> None:
        self.places: Places = places(str(home))
        self.host = LiveHost()
        self.events: list[Event] = []
        self.cancel = Cancel()

    def run(self, plan: Plan | None, resume: str | None = None) -> RunFinished:
        return run_plan(plan, self.host, self.events.append, self.cancel, places=self.places, resume=resume)

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture(scope="session")
def quick_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: a thousand flushes to a busy disk would take minutes and prove nothing."""
    memory = Path("/dev/shm")
    if sys.platform != "linux" or not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < 500 << 20:
        yield tmp_path_factory.mktemp("quick")
        return
    with tempfile.TemporaryDirectory(prefix="running-", dir=memory, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def tmp_path(quick_folder: Path, request: pytest.FixtureRequest) -> Path:
    name = re.sub(r"\W+", "-", request.node.name)[:40]
    folder = quick_folder / f"{name}-{len(list(quick_folder.iterdir()))}"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("TRITON_SETUP_HOME", str(home))
    return home


@pytest.fixture
def bench(own_home: Path) -> Bench:
    return Bench(own_home)


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """pip's and uv's own settings stay out of the tests, except where one sets them."""
    for name in ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT", "UV_INDEX", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "no-config"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))


@pytest.fixture(scope="session")
def wheels_before(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return old_wheels(tmp_path_factory.mktemp("before"))


@pytest.fixture
def environment(tmp_path: Path, wheels_before: list[Path]) -> Path:
    return make_environment(tmp_path / "env", wheels_before)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexServer]:
    new_wheels(tmp_path / "index")
    with IndexServer(tmp_path / "index") as server:
        yield server
