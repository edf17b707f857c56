"""The pip that travels packed inside the program."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pip
import pytest

from app.model.problem import Problem
from app.running.tools import lend_pip


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A folder as the packaged program unpacks itself to, with the real pip in one file."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    with tarfile.open(folder / f"pip-{pip.__version__}.tar.xz", "w:xz", preset=0) as archive:
        archive.add(Path(pip.__file__).parent, "pip", filter=lambda member: None if "__pycache__" in member.name else member)
    return folder


def test_any_python_runs_it(bundle: Path, tmp_path: Path) -> None:
    lent = lend_pip(tmp_path / "cache", bundle)
    assert lent == str(tmp_path / "cache" / f"pip-{pip.__version__}" / "pip")
    said = subprocess.run([sys.executable, "-I", lent, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.startswith(f"pip {pip.__version__} from {lent}")
    assert lend_pip(tmp_path / "cache", bundle) == lent


def test_a_damaged_package_leaves_nothing(bundle: Path, tmp_path: Path) -> None:
    packed = next(bundle.iterdir())
    packed.write_bytes(packed.read_bytes()[:100_000])
    with pytest.raises(Problem):
        lend_pip(tmp_path / "cache", bundle)
    assert not list((tmp_path / "cache").rglob("pip"))
