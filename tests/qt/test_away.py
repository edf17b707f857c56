"""Long work that ends behind another window is told; short work, and what is looked at, is not."""

import pytest
from PySide6.QtWidgets import QWidget

from app.qt.away import LONG_S, Away


@pytest.fixture
def window(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_only_long_work_behind_another_window_is_told(window) -> None:
    window.showMinimized()
    away = Away(window)
    assert not away.tell_end("Installed", "All is well.", LONG_S - 1)
    assert away.tell_end("Installed", "All is well.", LONG_S + 1)


def test_what_is_looked_at_is_not_told(window, qtbot) -> None:
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert not Away(window).tell_end("Installed", "All is well.", LONG_S + 1)


def test_progress_is_handed_on_once_a_percent_and_taken_away_at_the_end(window) -> None:
    away = Away(window)
    taken = []

    class Bar:
        def show(self, share, state):
            taken.append((share, state))

    away._taskbar = Bar()
    for share in (0.1, 0.101, 0.2):
        away.show_progress(share)
    away.show_progress(0.2, "paused")
    away.tell_end("", "", 0)
    away.tell_end("", "", 0)
    assert taken == [(0.1, "running"), (0.2, "running"), (0.2, "paused"), (0, "none")]
