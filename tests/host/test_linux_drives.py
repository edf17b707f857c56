"""Volumes of Linux, seen from inside a mount namespace of our own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MOUNT = 'mount -t tmpfs -o size=3m x "$0" && "$1" -c "$2"'
LIST = "from app.host.linux_readings import list_drives; print(*(f'{drive.root}={drive.total_bytes}' for drive in list_drives()), sep='\\n')"


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare of Linux")
def test_a_disk_in_memory_is_a_volume_of_its_own(tmp_path: Path) -> None:
    argv = ["unshare", "-rm", "sh", "-c", MOUNT, str(tmp_path), sys.executable, LIST]
    done = subprocess.run(argv, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=60)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("no namespaces for this user")
    assert f"{tmp_path}={3 << 20}" in done.stdout.splitlines()
