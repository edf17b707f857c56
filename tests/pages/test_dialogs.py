"""Questions and texts to read: nothing is cut off, the safe answer has the focus."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.qt.dialogs import Question, Reading, ReportPreview
from app.qt.parts.button import Button
from app.qt.parts.words import Words
from app.qt.saving import command_text
from tests.pages.samples import PLAN

QUESTIONS = (
    ("page.install.cancel-question", "page.install.cancel-body", "page.install.cancel-yes", "page.install.cancel-no"),
    ("page.finish.undo-question", "page.finish.undo-explained", "page.finish.undo-yes", "page.finish.undo-no"),
    ("ui.leave-running", "ui.leave-running-body", "ui.leave-running-yes", "ui.leave-no"),
    ("ui.leave-reading", "ui.leave-reading-body", "ui.leave-reading-yes", "ui.leave-no"),
    ("ui.leave", "ui.leave-body", "ui.leave-yes", "ui.leave-no"),
)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("codes", QUESTIONS)
def test_a_question_shows_all_of_its_words(window, codes, language):
    window.set_language(language)
    title, body, yes, no = (window.say(code) for code in codes)
    dialog = Question(window, title, body, yes=yes, no=no, icon="warning")
    dialog.show()
    QApplication.processEvents()
    assert dialog.width() == 480
    assert [words.text() for words in dialog.findChildren(Words) if words.is_cut] == []
    assert [button.text() for button in dialog.findChildren(Button) if button.is_cut] == []
    assert dialog.focusWidget() is dialog.no_button
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == 0
    assert not dialog.isVisible()


def test_commands_can_be_read_and_copied(window):
    text = command_text(PLAN, "en")
    dialog = Reading(window, "Commands", "In order.", text, close="Close", copy="Copy")
    dialog.show()
    next(button for button in dialog.findChildren(Button) if button.text() == "Copy").click()
    assert QGuiApplication.clipboard().text() == text
    assert "   uv pip install --offline triton-windows" in text


def test_a_report_is_shown_file_by_file_before_it_is_saved(window):
    dialog = ReportPreview(window, (("report.json", "{}"), ("logs/run.log", "a <b>line</b>")), window.say)
    dialog.show()
    assert dialog.text.toPlainText() == "{}"
    dialog.names.setCurrentRow(1)
    assert dialog.text.toPlainText() == "a <b>line</b>"
    assert dialog.text.accessibleName() == "logs/run.log"


def test_pages_to_read_more_in_are_opened_by_a_click(window, monkeypatch):
    opened = []
    monkeypatch.setattr("app.qt.dialogs.open_address", opened.append)
    address = "https://example.org/" + "a/very/long/path/" * 12
    dialog = Reading(window, "Steps", "", "1. Do this.", close="Close", copy="Copy", addresses=(address,))
    dialog.show()
    QApplication.processEvents()
    (opener,) = [button for button in dialog.findChildren(Button) if button.accessibleName() == address]
    assert not opener.is_cut
    opener.click()
    assert opened == [address]
    dialog.close()
