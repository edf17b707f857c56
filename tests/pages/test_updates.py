"""The window looks for a newer version only where it knows a place, and only when the person says so twice."""

import json

import pytest

from app.qt.parts.info_bar import InfoBar
from app.qt.parts.words import Words
from tests.pages.test_window import wait_for_end


@pytest.fixture
def announced(tmp_path, monkeypatch):
    file = tmp_path / "release.json"
    file.write_text(json.dumps({"schema": "release/1", "version": "99.0", "date": "2099-01-01", "page": "https://example.org/v99"}), encoding="utf-8")
    monkeypatch.setenv("TRITON_SETUP_RELEASES", file.as_uri())


def update_link(window):
    window.show_frame()
    return next((button for button in window.footer.links if button.objectName() == "update"), None)


def test_no_place_no_link(window) -> None:
    assert update_link(window) is None


@pytest.mark.parametrize("agrees", [True, False])
def test_it_asks_before_it_looks(announced, window, qtbot, monkeypatch, agrees) -> None:
    asked = []
    monkeypatch.setattr(window, "ask", lambda *said: asked.append(said) or agrees)
    update_link(window).click()
    wait_for_end(window, qtbot)
    assert len(asked) == 1
    bars = window.current.findChildren(InfoBar)
    assert bool(bars) is agrees
    if agrees:
        said = " ".join(words.text() for words in bars[0].findChildren(Words))
        assert "Version 99.0 of 2099-01-01 is out." in said
        assert "https://example.org/v99" in said
