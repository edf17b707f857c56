"""The window: from the start of the process to the first painted page, and how it stays quick while a log floods in."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARTS = 5
LINES = 200_000
MB = 1_000_000

START = """
import sys, time
begun = float(sys.argv[1])
from app.qt.start import open_window
from app.session import Session

app, window = open_window(Session(sys.argv[2], "en"), "en", "light")
app.processEvents()
window.grab()
print(time.time() - begun)
"""

FLOOD = """
import resource, sys, threading, time
from PySide6.QtCore import QTimer
from app.model.events import LogLine, RunFinished, Outcome, RunStarted, StepProgress, StepStarted
from app.model.plan import Choice, Plan, Step, Verdict
from app.model.text import Text
from app.qt.start import open_window
from app.session import Session

LINES = int(sys.argv[1])
session = Session(sys.argv[2], "en")
app, window = open_window(session, "en", "light")
session.plan = Plan(Verdict.READY, None, (), None, (), {}, (Step("step", "bench", Text("ui.app-name")),), 0, 0, (), Choice())

def install(cancel, resume=None):
    # The page is painted; from here on the log floods in.
    gaps.clear()
    last[0] = time.perf_counter()
    session.emit(RunStarted("bench", ("step",), (1.0,), ""))
    session.emit(StepStarted("step", Text("ui.app-name"), ""))
    for number in range(LINES):
        session.emit(LogLine("step", f"line {number} of a program that never stops talking about what it does", "2026-11-30T12:00:00+00:00", "stdout"))
        if number % 100 == 0:
            session.emit(StepProgress("step", number / LINES, "file", 1, 1, number, LINES, 1e6, 1.0))
    session.last_run = RunFinished("bench", Outcome.DONE, 1.0)
    session.emit(session.last_run)
    return session.last_run

session.install = install
page = window.go("install")
app.processEvents()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

before, gaps, last, peak = resident(), [], [time.perf_counter()], [0]

def tick():
    now = time.perf_counter()
    gaps.append(now - last[0])
    last[0] = now
    peak[0] = max(peak[0], resident())
    if not window.is_busy:
        app.exit()

timer = QTimer()
timer.setInterval(5)
timer.timeout.connect(tick)
timer.start()
page.start()
last[0] = begun = time.perf_counter()
app.exec()
print(max(gaps) * 1000, sorted(gaps)[int(len(gaps) * 0.99)] * 1000, (peak[0] - before), page.model.line_count, time.perf_counter() - begun)
"""


def run(code: str, *arguments: str) -> list[float]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return [float(word) for word in done.stdout.split()]


def bench() -> list[dict]:
    with tempfile.TemporaryDirectory() as home:
        starts = [run(START, str(time.time()), home)[0] for _ in range(STARTS)]
        floods = [run(FLOOD, str(LINES), home) for _ in range(3)]
    assert all(flood[3] == LINES for flood in floods), "lines were lost"
    gap, high, memory, seconds = (statistics.median(flood[place] for flood in floods) for place in (0, 1, 2, 4))
    flood = f"while {LINES:,} log lines arrive"
    return [
        {"name": "start to first painted page, whole process", "value": statistics.median(starts), "unit": "s", "limit": 1.0, "reference": None},
        {"name": f"longest gap of the event loop {flood}", "value": gap, "unit": "ms", "limit": 50.0, "reference": None},
        {"name": f"99th percentile of the gaps {flood}", "value": high, "unit": "ms", "limit": None, "reference": None},
        {"name": f"memory growth {flood}", "value": memory / MB, "unit": "MB", "limit": 100.0, "reference": None},
        {"name": f"time of the flood: {flood}", "value": seconds, "unit": "s", "limit": None, "reference": None},
    ]
