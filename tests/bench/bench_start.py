"""From the start of the process to the first painted page.

Offscreen: the window's own first paint, told by the process. On a screen (Xvfb, where it is installed): the first pixel that is
not black, seen from outside; that is the same yardstick for the source, the packaged folder and the one-file program.
"""

import itertools
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.timing import ROOT, SOURCE, median_s, process_s

DISPLAY = ":79"
TIMEOUT_S = 60

FIRST_PAINT = """
import json, os, sys, time
times = [time.time()]
def lap(): times.append(time.time())
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
lap()
from app.session import Session
lap()
app = QApplication(sys.argv[:1])
lap()
from app.qt.start import prepare
prepare(app, "en", "light")
from app.qt.window import Window
lap()
window = Window(Session(None, "en"))
window.begin()
lap()
def end():
    lap()
    print(json.dumps(times), flush=True)
    os._exit(0)
class Eye(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            app.removeEventFilter(self)
            QTimer.singleShot(0, end)
        return False
eye = Eye()
app.installEventFilter(eye)
window.show()
app.exec()
"""
PARTS = (
    "Python starts",
    "Qt is imported",
    "the session is imported",
    "Qt's application",
    "look and window are imported",
    "the first page is made",
    "it is painted",
)

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


def offscreen_s() -> list[float]:
    """Seconds of each of PARTS."""
    begun = time.time()
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([sys.executable, "-c", FIRST_PAINT], cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.stdout, done.stderr[-500:]
    return [after - before for before, after in itertools.pairwise([begun, *json.loads(done.stdout.splitlines()[-1])])]


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
    # A killed one-file program leaves what it unpacked.
    with screen(), tempfile.TemporaryDirectory() as temporary:
        env = {**os.environ, "DISPLAY": DISPLAY, "QT_QPA_PLATFORM": "xcb", "TMPDIR": temporary, "PYTHONDONTWRITEBYTECODE": ""}
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
    offscreen_s()
    runs = [offscreen_s() for _ in range(5)]
    name = "first painted page, offscreen, from source"
    rows = [{"name": name, "value": statistics.median(map(sum, runs)), "unit": "s", "limit": 1.0}]
    rows += [{"name": f"  of it: {part}", "value": statistics.median(run[place] for run in runs), "unit": "s"} for place, part in enumerate(PARTS)]
    ways = {
        "from source": (SOURCE, None),
        "folder": ((str(ROOT / "dist/TritonSetup-folder/TritonSetup"),), 1.0),
        "one file": ((str(ROOT / "dist/TritonSetup"),), 2.5),
    }
    ways = {name: (argv, limit) for name, (argv, limit) in ways.items() if len(argv) > 1 or Path(argv[0]).is_file()}
    if shutil.which("Xvfb"):
        for name, (argv, limit) in ways.items():
            value = median_s(lambda argv=argv: on_screen_s(argv), 3)
            rows.append({"name": f"first pixel on an X screen, {name}", "value": value, "unit": "s", "limit": limit, "reference": "warm disk"})
    for name, (argv, _) in ways.items():
        value = median_s(lambda argv=argv: process_s([*argv, "--version"]), 3)
        rows.append({"name": f"a command in the terminal (--version), {name}", "value": value, "unit": "s", "reference": "warm disk"})
    return rows
