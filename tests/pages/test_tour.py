"""Pictures of every page without a display."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.model.problem import Problem
from app.planning import EnvironmentOffer
from app.qt.tour import pages_of, render_tour
from app.session import Replay
from tests.pages.samples import OFFERS
from wizard_pages import LOCKED_IN_REPLAY, PAGES


def test_every_page_becomes_a_picture(app, session, tmp_path):
    files = render_tour(session, "zh_CN", "dark", tmp_path / "new" / "folder")
    assert [file.name.split("-", 1)[1] for file in files] == [f"{key.replace('_', '-')}-dark-zh_CN.png" for key in pages_of(session)]
    assert set(PAGES) == set(pages_of(session))
    pictures = [QImage(str(file)) for file in files]
    assert {(picture.width(), picture.height()) for picture in pictures} == {(960, 680)}
    assert all(picture.pixelColor(2, 2).lightness() < 40 for picture in pictures)
    # No page is empty, and no two are the same picture.
    assert len({bytes(picture.constBits()) for picture in pictures}) == len(pictures)


def test_a_replay_leaves_out_what_it_cannot_show(session):
    session.replay = Replay(Path("report.zip"), None)
    assert not LOCKED_IN_REPLAY & set(pages_of(session))


def test_a_folder_that_cannot_be_written_is_told(app, session, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem):
        render_tour(session, "en", "light", tmp_path / "file")


def test_hundreds_of_environments_stay_one_quick_list(window, monkeypatch):
    many: list[EnvironmentOffer] = []
    for number in range(300):
        python = replace(OFFERS[1].python, executable=rf"D:\many\{number}\python.exe")
        many.append(replace(OFFERS[1], python=python, folder=rf"D:\many\{number}", choice=replace(OFFERS[1].choice, python=python.executable)))
    monkeypatch.setattr(window.session, "environments", lambda: (OFFERS[0], *many))
    page = window.go("environment")
    view = page.first_focus()
    model = view.model_of_rows()
    assert sum(model.rowCount(model.index(top, 0)) for top in range(model.rowCount())) == 301
    assert view.height() > 300 * 60
    view.keyboardSearch("ComfyUI D")
    assert view.currentIndex().data().startswith("ComfyUI Desktop")
