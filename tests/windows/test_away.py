"""Progress in the taskbar and a notice beside the clock, on the Windows that is there: of a process of its own, as Qt keeps one platform."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.windows

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json, time
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from app.qt.away import LONG_S, Away
app = QApplication(["away"])
if not QSystemTrayIcon.isSystemTrayAvailable():
    print(json.dumps({"tray": False}))
    raise SystemExit
def pass_time():
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.02)
window = QWidget()
window.show()
pass_time()
away = Away(window)
away.show_progress(0.4)
window.showMinimized()
pass_time()
seen = {"tray": True, "taskbar": away._taskbar.is_there}
seen["told"] = away.tell_end("Installed", "All is well.", LONG_S + 1)
pass_time()
seen["icon"] = away._tray is not None and away._tray.isVisible()
away._tray.messageClicked.emit()
pass_time()
seen |= {"came back": not window.isMinimized(), "icon gone": away._tray is None}
print(json.dumps(seen))
"""


@pytest.mark.skipif(sys.platform != "win32", reason="Windows has a taskbar")
def test_a_minimised_window_tells_its_end_and_comes_back() -> None:
    surroundings = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    if not seen["tray"]:
        pytest.skip("nobody is signed in: no taskbar runs")
    assert seen == dict.fromkeys(("tray", "taskbar", "told", "icon", "came back", "icon gone"), True)
