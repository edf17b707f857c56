"""A bug of ours is written to a file of this machine, told once, and shown without what is private."""

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.qt.crashing import CrashWatch
from app.qt.parts.button import Button


@pytest.fixture
def watch(window, own_home, monkeypatch):
    monkeypatch.setenv("TRITON_SETUP_HOME", str(own_home))
    monkeypatch.setenv("USER", "annabelle")
    made = CrashWatch(window)
    yield made
    made.stop()


def written(home: Path) -> list[Path]:
    return sorted((home).rglob("crash-*.log"))


def caught(text: str) -> tuple:
    try:
        raise ValueError(text)
    except ValueError:
        return sys.exc_info()


def press(*labels: str, seen: list[str]) -> None:
    """Presses these buttons of the dialogs that follow, one after the other, and notes what was to be read."""
    for number, label in enumerate(labels):

        def act(label: str = label) -> None:
            dialog = QApplication.activeModalWidget()
            seen.extend(field.toPlainText() for field in dialog.findChildren(QPlainTextEdit))
            next(button for button in dialog.findChildren(Button) if button.text() == label).click()

        QTimer.singleShot(60 * (number + 1), act)


def test_an_uncaught_error_is_written_and_shown_without_names(watch, own_home) -> None:
    seen: list[str] = []
    press("Show the report", "Close", seen=seen)
    sys.excepthook(*caught("cannot read /home/annabelle/secret"))
    QApplication.processEvents()
    (file,) = written(own_home)
    assert "cannot read /home/annabelle/secret" in file.read_text()
    assert "ValueError" in seen[0]
    assert "annabelle" not in seen[0]
    assert file.read_text().startswith("triton-setup ")


def test_the_same_error_again_is_not_told_again(watch, own_home) -> None:
    press("Close", seen=[])
    for _ in range(3):
        sys.excepthook(*caught("again"))
    QApplication.processEvents()
    assert QApplication.activeModalWidget() is None
    assert len(written(own_home)) == 1


def test_an_error_in_a_thread_is_told_in_the_window(watch, own_home, qtbot) -> None:
    press("Close", seen=[])
    thread = threading.Thread(target=lambda: int("x"))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(written(own_home)))
    assert "ValueError" in written(own_home)[0].read_text()
