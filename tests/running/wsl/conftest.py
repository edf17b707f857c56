"""Fixtures of the WSL route's tests."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins.wsl import StandIn, standing_in


@pytest.fixture
def wsl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    programs = tmp_path / "programs"
    with standing_in(programs) as standin:
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        yield standin


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A tar that the stand-in imports; what is in it lies over this Linux."""
    marker = tmp_path / "marker"
    marker.write_text("ours\n")
    path = tmp_path / "image.wsl"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(marker, "etc/triton-setup-image")
    return path
