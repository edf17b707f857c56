"""The server inside a distro: the key crosses by WSLENV alone, and stopping ends the Linux side too."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.host.live import LiveHost
from app.model.cancel import Cancel
from app.running.vllm.serving import HEALTH, prove_server, serve
from app.running.vllm.settings import ServerSettings
from tests.running.vllm.conftest import STANDIN, free_port
from tests.standins.wsl import standing_in

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")


@pytest.fixture
def python() -> Iterator[str]:
    """A venv that a distro sees: it lies on the disk that the distro lies over."""
    with tempfile.TemporaryDirectory(prefix="vllm-", dir="/var/tmp") as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        shutil.copytree(STANDIN, Path(sysconfig.get_path("purelib", "venv", {"base": folder})) / "vllm")
        yield f"{folder}/bin/python"


def test_the_key_crosses_and_the_linux_side_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str) -> None:
    with standing_in(tmp_path / "programs") as wsl:
        monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
        wsl.add_distro("TritonSetup")
        settings = ServerSettings(python, "TritonSetup", "small-model", free_port(), "0.85")
        with serve(settings, "a-key", LiveHost(), lambda _: None) as server:
            server.wait_until_ready(settings.port, HEALTH, Cancel(), limit_s=60)
            assert prove_server(settings, "a-key") == " Paris (8)"
            assert serving(settings.port)
            began = time.monotonic()
        assert time.monotonic() - began < 20
        assert not serving(settings.port)
        assert not any("a-key" in word for call in wsl.calls() for word in call), "a command line can be read by everyone"


def serving(port: int) -> list[psutil.Process]:
    return [one for one in psutil.process_iter(["cmdline"]) if "serve" in (one.info["cmdline"] or []) and str(port) in one.info["cmdline"]]
