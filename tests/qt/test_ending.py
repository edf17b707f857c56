"""The window ends on a signal, soon and with exit code 0."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to a window")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_window(number: int, own_home) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TRITON_SETUP_HOME": str(own_home)}
    program = subprocess.Popen([sys.executable, "-m", "app"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        call = own_home / "state" / "window.call"
        end = time.monotonic() + 60
        while not call.exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1)
        program.send_signal(number)
        assert program.wait(timeout=30) == 0
    finally:
        program.kill()
        program.wait()
