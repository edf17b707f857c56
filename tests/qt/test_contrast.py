"""A contrast theme of the system is taken over: at once, and with nothing but its own colours."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

import app.qt.look
from app.qt.look import look
from app.qt.start import prepare
from app.qt.tokens import LIGHT


@pytest.fixture
def plain(qapp):
    prepare(qapp, "en", "light")
    yield look()
    look().apply()


def test_a_change_of_the_system_is_followed(plain, monkeypatch) -> None:
    assert plain.colours == LIGHT
    monkeypatch.setattr(app.qt.look, "_prefers_contrast", lambda hints: True)
    QGuiApplication.styleHints().accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert plain.colours.stroke == 2
    assert len({plain.colours.window, plain.colours.card, plain.colours.rail, plain.colours.bad_tint}) == 1
    monkeypatch.undo()
    QGuiApplication.styleHints().accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.NoPreference)
    assert plain.colours == LIGHT
