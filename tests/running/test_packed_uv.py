"""The uv that travels packed inside the program."""

import hashlib
import lzma
from pathlib import Path

import pytest

from app.running.tools import unpack_uv

CONTENT = b"\x7fELF not really uv" * 1000


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "uv.xz").write_bytes(lzma.compress(CONTENT))
    (folder / "uv.sha256").write_text(hashlib.sha256(CONTENT).hexdigest())
    return folder


def test_is_unpacked_once(bundle: Path, tmp_path: Path) -> None:
    first = unpack_uv(bundle, tmp_path / "cache")
    assert first.read_bytes() == CONTENT
    written = first.stat().st_mtime_ns
    assert unpack_uv(bundle, tmp_path / "cache") == first
    assert first.stat().st_mtime_ns == written


def test_a_changed_copy_is_replaced(bundle: Path, tmp_path: Path) -> None:
    first = unpack_uv(bundle, tmp_path / "cache")
    first.write_bytes(b"something else")
    assert unpack_uv(bundle, tmp_path / "cache").read_bytes() == CONTENT


def test_a_damaged_package_is_refused(bundle: Path, tmp_path: Path) -> None:
    (bundle / "uv.sha256").write_text("0" * 64)
    with pytest.raises(OSError, match="damaged"):
        unpack_uv(bundle, tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("uv*"))
