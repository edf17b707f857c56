"""The same line in the window: every page in turn, the real run in its thread, by nothing but the button at the right."""

import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.model.cancel import Cancel
from app.model.events import Outcome
from app.qt.start import open_window
from app.qt.window import Window
from app.session import Session

pytestmark = [
    pytest.mark.line,
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.qt_log_ignore("This plugin does not support"),
]

LONGEST_MS = 900_000


def go_on(window: Window, qtbot: QtBot) -> str:
    """Waits until the page lets go on, goes on, returns the page that was left."""
    key = window.walk.key
    qtbot.waitUntil(lambda: not window.is_busy and window.footer.primary is not None and window.footer.primary.isEnabled(), timeout=LONGEST_MS)
    if window.walk.key == key:
        window.footer.primary.click()
        qtbot.waitUntil(lambda: window.walk.key != key, timeout=LONGEST_MS)
    return key


def test_the_window_walks_the_line(home: Path, qtbot: QtBot) -> None:
    session = Session(str(home), "en")
    _, window = open_window(session, "en", "light")
    left = []
    began = time.monotonic()
    while window.walk.key not in {"finish", "failed"} and time.monotonic() - began < LONGEST_MS / 1000:
        left.append(go_on(window, qtbot))
    try:
        assert window.walk.key == "finish"
        assert left == ["start", "machine", "goal", "route", "environment", "review", "install", "proof"]
        assert session.last_run
        assert session.last_run.outcome is Outcome.DONE
        assert session.proof
        assert session.proof.backend == "interpreter"
        assert {check.code: check.outcome for check in session.proof.checks}["add-odd"] == "passed"
        assert session.plan
        assert session.plan.python
        assert Path(session.plan.python.executable).exists()
        assert session.undo(session.last_run.run_id, Cancel()).outcome is Outcome.DONE
        assert not Path(session.plan.python.executable).exists()
    finally:
        window.close()
