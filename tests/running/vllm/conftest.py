"""A stand-in for vLLM in an environment of its own, and a credential store that lives as long as a test."""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins.credential_store import own_store

STANDIN = Path(__file__).parents[2] / "standins" / "vllm_package" / "vllm"


@pytest.fixture(autouse=True)
def _store() -> Iterator[None]:
    with own_store():
        yield


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    venv = tmp_path_factory.mktemp("vllm") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    shutil.copytree(STANDIN, Path(sysconfig.get_path("purelib", "venv", {"base": str(venv)})) / "vllm")
    return str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
