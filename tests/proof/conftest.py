"""A host that really starts programs, and a Python that really has torch and Triton."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import Places, places


@pytest.fixture
def host() -> LiveHost:
    return LiveHost()


@pytest.fixture
def own_places(own_home: Path) -> Places:
    return places(str(own_home))


@pytest.fixture(scope="session")
def torch_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python with torch (CPU), Triton and numpy: TRITON_SETUP_TORCH_PYTHON, else a new venv (needs the package index)."""
    given = os.environ.get("TRITON_SETUP_TORCH_PYTHON")
    if given:
        return given
    folder = tmp_path_factory.mktemp("torch") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "-q", "torch==2.13.0", "triton==3.7.0", "numpy"], check=True)
    return str(python)
