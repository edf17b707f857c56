"""The window's event loop while 200,000 log lines arrive: the longest gap between two turns, and what memory grows by."""

import sys
import threading
import time

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.model.cancel import Cancel
from app.model.events import LogLine
from app.qt.start import prepare
from app.qt.window import Window
from tests.pages.samples import SampleSession

LINES = 200_000
BEAT_MS = 5


def bench() -> list[dict]:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    prepare(app, "en", "light")
    session = SampleSession()
    session.scan(Cancel())
    session.decide(session.choice)
    window = Window(session)
    window.resize(960, 680)
    window.is_preview = True
    window.begin()
    window.show()
    window.go("install")
    for _ in range(20):
        app.processEvents()
    gaps: list[float] = []
    last = time.perf_counter()

    def beat() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now

    heart = QTimer(interval=BEAT_MS)
    heart.timeout.connect(beat)

    def flood() -> None:
        for number in range(LINES):
            session.emit(
                LogLine("install", f"Downloading torch-2.8.0+cu128-cp312-cp312-win_amd64.whl, part {number} of {LINES}", "2026-11-30T12:00:00Z", "stdout")
            )

    memory = psutil.Process().memory_info().rss
    sender = threading.Thread(target=flood)
    last = time.perf_counter()
    heart.start()
    begun = time.perf_counter()
    sender.start()
    while sender.is_alive() or time.perf_counter() - begun < 1:
        app.processEvents()
        time.sleep(0.0005)
    took = time.perf_counter() - begun
    for _ in range(50):
        app.processEvents()
        time.sleep(0.005)
    heart.stop()
    grown = (psutil.Process().memory_info().rss - memory) / 1e6
    window.close()
    gaps.sort()
    return [
        {"name": f"longest gap, {LINES:,} log lines in {took:.1f} s", "value": 1000 * gaps[-1], "unit": "ms", "limit": 50.0},
        {"name": "99th percentile of gaps", "value": 1000 * gaps[int(len(gaps) * 0.99)], "unit": "ms", "limit": None, "reference": f"beat of {BEAT_MS} ms"},
        {"name": "memory grown by", "value": grown, "unit": "MB", "limit": 100.0},
    ]
