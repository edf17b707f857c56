"""From the start of the process to the first painted page.

Offscreen: the window's own first paint, told by the process. On a screen (Xvfb, where it is installed): the first pixel that is
not black, seen from outside; that is the same yardstick for the source, the packaged folder and the one-file program.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.timing import ROOT, SOURCE, median_s

DISPLAY = ":79"
TIMEOUT_S = 60

FIRST_PAINT = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from app.qt.start import prepare
from app.session import Session
app = QApplication(sys.argv[:1])
prepare(app, "en", "light")
from app.qt.window import Window
window = Window(Session(None, "en"))
window.begin()
class Eye(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            app.removeEventFilter(self)
            QTimer.singleShot(0, lambda: (print(time.time(), flush=True), __import__("os")._exit(0)))
        return False
eye = Eye()
app.installEventFilter(eye)
window.show()
app.exec()
"""

# Connects to the screen, says "ready", then waits for the first pixel that is not black.
WATCHER = """
import sys, time
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(["watcher", "-platform", "xcb"])
def is_black():
    image = QGuiApplication.primaryScreen().grabWindow(0).toImage()
    return all(image.pixelColor(x, y).lightness() == 0 for x in range(4, image.width(), 40) for y in range(4, image.height(), 40))
print("ready", flush=True)
while is_black():
    time.sleep(0.01)
print(time.time(), flush=True)
"""


def offscreen_s() -> float:
    begun = time.time()
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.stdout, done.stderr[-500:]
    return float(done.stdout.split()[-1]) - begun


@contextmanager
def screen() -> Iterator[None]:
    server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1280x800x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.time() + 10
        while not Path(f"/tmp/.X11-unix/X{DISPLAY[1:]}").exists() and time.time() < deadline:
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait()


def on_screen_s(argv: Sequence[str]) -> float:
    with screen():
        env = {**os.environ, "DISPLAY": DISPLAY, "QT_QPA_PLATFORM": "xcb"}
        watcher = subprocess.Popen([sys.executable, "-c", WATCHER], env=env, stdout=subprocess.PIPE, text=True)
        assert watcher.stdout is not None
        assert watcher.stdout.readline() == "ready\n"
        begun = time.time()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        program = subprocess.Popen(argv, cwd=ROOT, env=env, start_new_session=True, **quiet)
        try:
            seen, _ = watcher.communicate(timeout=TIMEOUT_S)
            return float(seen) - begun
        finally:
            # The one file is two processes; the second is the window.
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            watcher.kill()
            watcher.wait()


def bench() -> list[dict]:
    rows = [{"name": "first painted page, offscreen, from source", "value": median_s(offscreen_s), "unit": "s", "limit": 1.0}]
    if shutil.which("Xvfb"):
        ways = {
            "from source": (SOURCE, None),
            "folder": ((str(ROOT / "dist/TritonSetup-folder/TritonSetup"),), 1.0),
            "one file": ((str(ROOT / "dist/TritonSetup"),), 2.5),
        }
        for name, (argv, limit) in ways.items():
            if len(argv) > 1 or Path(argv[0]).is_file():
                value = median_s(lambda argv=argv: on_screen_s(argv), 3)
                rows.append({"name": f"first pixel on an X screen, {name}", "value": value, "unit": "s", "limit": limit, "reference": "warm disk"})
    return rows
