"""A stand-in for vLLM in an environment of its own, and a credential store that lives as long as a test."""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backend
import pytest

STANDIN = Path(__file__).parents[2] / "standins" / "vllm_package" / "vllm"


class Store(keyring.backend.KeyringBackend):
    """A credential store that lives as long as the test."""

    priority = 1  # type: ignore[assignment]  # the base class reads it through a property of the class

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def _store() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(Store())
    yield
    keyring.set_keyring(before)


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
