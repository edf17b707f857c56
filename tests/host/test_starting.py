"""Children are started clean and, where they are the person's own, on their own."""

import os
import sys
import time
from pathlib import Path

import pytest

from app.host.starting import open_address, own_dlls_hidden, start_in_own_window


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_start_file_runs_beside_its_files_without_our_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "ours")
    monkeypatch.setenv("PYTHONPATH", "theirs")
    script = tmp_path / "run & go.sh"
    script.write_text("#!/bin/sh\n{ pwd; env; } > seen.part; mv seen.part seen\n")
    script.chmod(0o755)
    start_in_own_window(str(script))
    end = time.monotonic() + 20
    while not (tmp_path / "seen").exists() and time.monotonic() < end:
        time.sleep(0.02)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen[0] == str(tmp_path)
    assert "PYTHONPATH=theirs" in seen
    assert not [line for line in seen if line.startswith("_PYI_")]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_an_address_is_handed_to_the_browser_and_to_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "ours")
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\n{{ echo "$1"; env; }} > {tmp_path}/seen.part; mv {tmp_path}/seen.part {tmp_path}/seen\n')
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    open_address("https://example.org/a?b=c&d")
    end = time.monotonic() + 20
    while not (tmp_path / "seen").exists() and time.monotonic() < end:
        time.sleep(0.02)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen[0] == "https://example.org/a?b=c&d"
    assert not [line for line in seen if line.startswith("_PYI_")]


@pytest.mark.parametrize("address", ["http://example.org", "file:///etc/passwd", "calc.exe"])
def test_only_https_is_opened(address: str) -> None:
    with pytest.raises(ValueError, match=address):
        open_address(address)


def test_a_start_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        start_in_own_window(str(tmp_path / "gone.bat"))


@pytest.mark.windows
@pytest.mark.skipif(sys.platform != "win32", reason="Windows has such a folder")
def test_our_dll_folder_is_hidden_only_while_a_child_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    kernel = ctypes.WinDLL("kernel32")

    def dll_folder() -> str:
        buffer = ctypes.create_unicode_buffer(1024)
        kernel.GetDllDirectoryW(1024, buffer)
        return buffer.value

    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    kernel.SetDllDirectoryW(str(tmp_path))
    try:
        with own_dlls_hidden():
            assert dll_folder() == ""
        assert Path(dll_folder()) == tmp_path
        with pytest.raises(RuntimeError), own_dlls_hidden():
            raise RuntimeError(os.name)
        assert Path(dll_folder()) == tmp_path
    finally:
        kernel.SetDllDirectoryW(None)
