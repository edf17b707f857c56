"""A second start finds the first window."""

import subprocess
import sys
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.qt.alone import Alone

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.qt.alone import Alone
app = QCoreApplication([])
second = Alone(Path(sys.argv[1]))
print("first" if second.is_first else "second")
if not second.is_first:
    second.call()
"""


def start_again(state: Path) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", SECOND, str(state)], cwd=root, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def test_a_second_start_brings_the_first_window_back(qtbot, tmp_path: Path) -> None:
    first = Alone(tmp_path / "state")
    assert first.is_first
    window = QWidget()
    qtbot.addWidget(window)
    first.answer_with(window)
    window.showMinimized()
    assert start_again(tmp_path / "state") == "second"
    qtbot.waitUntil(lambda: window.isVisible() and not window.isMinimized(), timeout=10_000)
    first.give_up()


def test_the_place_is_free_again_when_the_first_is_gone(qapp, tmp_path: Path) -> None:
    first = Alone(tmp_path)
    first.give_up()
    assert start_again(tmp_path) == "first"


def test_a_place_that_cannot_be_written_keeps_nobody_out(qapp, tmp_path: Path) -> None:
    in_the_way = tmp_path / "state"
    in_the_way.write_text("a file")
    assert Alone(in_the_way).is_first
