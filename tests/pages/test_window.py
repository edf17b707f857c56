"""The window as a person uses it: going on and back, languages, closing while something runs, files that are dropped."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model import codec
from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished, RunStarted, StepFinished, StepStarted
from app.model.problem import Problem
from app.model.text import Text
from app.qt.parts.card import ChoiceCard
from tests.pages.samples import DIAGNOSIS, EVENTS, FACTS, OFFERS, PLAN, PROOF, STEPS, said
from tests.pages.scenes import show_scene
from wizard_pages import CAUSE, SETUP


def press(widget, key, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(widget, key, modifiers)
    QApplication.processEvents()


def test_enter_leads_from_page_to_page_and_back_leads_back(window):
    seen = []
    for _ in range(5):
        seen.append(window.current.key)
        press(window, Qt.Key.Key_Return)
    assert [*seen, window.current.key] == list(SETUP[:6])
    while window.can_go_back:
        window.footer.back.click()
    assert window.current.key == "start"


def test_the_rail_goes_back_to_what_is_done_and_nowhere_else(window):
    for key in ("machine", "goal", "route"):
        window.go(key)
    states = {button.step.key: (button.step.state, button.step.can_click) for button in window.rail.buttons}
    assert states["machine"] == ("done", True)
    assert states["route"] == ("current", False)
    assert states["review"] == ("ahead", False)
    next(button for button in window.rail.buttons if button.step.key == "machine").click()
    assert window.current.key == "machine"


def test_the_rail_says_where_one_is(window):
    window.go("machine")
    names = [button.accessibleName() for button in window.rail.buttons]
    assert names[0] == "Step 1 of 9, Start, done"
    assert names[1] == "Step 2 of 9, Your PC, current"
    assert names[8] == "Step 9 of 9, Finish, ahead"


def test_a_language_changes_everything_at_once_and_back(window):
    window.go("machine")
    before = [label.text() for label in window.current.findChildren(type(window.current._title))]
    window.set_language("zh_CN")
    QApplication.processEvents()
    assert window.current.accessibleName() == "您的电脑可以使用 Triton"
    assert window.footer.primary.accessibleName() == "继续"
    assert window.rail.buttons[1].accessibleName().startswith("第 2 步")
    window.set_language("en")
    QApplication.processEvents()
    assert [label.text() for label in window.current.findChildren(type(window.current._title))] == before


def test_the_support_code_is_that_of_the_page_and_can_be_copied(window):
    first = window.support_code
    window.go("machine")
    assert window.support_code != first
    window.rail.support.copy_button.click()
    assert QGuiApplication.clipboard().text() == window.support_code


def test_arrows_choose_a_way_in_and_the_button_changes_its_word(window):
    mark = window.current.findChild(ChoiceCard).mark
    mark.setFocus()
    press(mark, Qt.Key.Key_Down)
    assert window.current.way == "find-cause"
    assert window.footer.primary.accessibleName() == "Find the cause"
    press(window, Qt.Key.Key_Return)
    assert window.current.key == "error_text"
    assert window.flow == CAUSE


def test_a_row_unfolds_by_keys_and_its_words_can_be_copied(window):
    window.go("machine")
    row = window.current.first_focus()
    row.setFocus()
    press(row, Qt.Key.Key_Right)
    assert row.is_open
    press(row, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "NVIDIA GeForce RTX 4070" in QGuiApplication.clipboard().text()
    press(row, Qt.Key.Key_Left)
    assert not row.is_open
    press(row, Qt.Key.Key_Down)
    assert QApplication.focusWidget().objectName() == "row-driver"


def test_no_goal_no_way_on_and_the_reason_is_said(window):
    window.go("goal")
    for card in window.current.findChildren(ChoiceCard):
        card.mark.setChecked(False)
    assert not window.footer.primary.isEnabled()
    assert window.footer.primary.toolTip() == "Choose at least one."


def test_a_refused_way_can_be_reached_but_not_chosen(window, qtbot):
    page = window.go("route")
    refused = next(card for card in page.findChildren(ChoiceCard) if not card.possible)
    assert refused.accessibleName() == "Build it on this PC, Not possible"
    assert "Needs more room" in refused.accessibleDescription()
    qtbot.mouseClick(refused, Qt.MouseButton.LeftButton)
    assert not refused.is_chosen
    assert window.session.plan.route is PLAN.route


def test_choosing_an_environment_takes_its_choice(window):
    page = window.go("environment")
    view = page.first_focus()
    view.setFocus()
    press(view, Qt.Key.Key_Down)
    press(view, Qt.Key.Key_Space)
    assert window.session.choice == OFFERS[1].choice
    assert [row.is_chosen for row in page.rows()] == [False, True, False, False, False]


def test_the_environment_list_speaks_in_sentences(window):
    from app.qt.parts.environment_list import ROW_ROLE

    model = window.go("environment").first_focus().model_of_rows()
    spoken = {}
    for top in range(model.rowCount()):
        parent = model.index(top, 0)
        for number in range(model.rowCount(parent)):
            index = model.index(number, 0, parent)
            spoken[index.data(ROW_ROLE).key] = (index.data(Qt.ItemDataRole.AccessibleTextRole), index.data(Qt.ItemDataRole.AccessibleDescriptionRole))
    assert spoken["offer-0"][0] == "ComfyUI portable, Recommended, chosen"
    assert "Python 3.12.10" in spoken["offer-0"][1]
    assert spoken["offer-3"][0] == "Forge, Not possible"
    assert "No Triton for torch 2.3" in spoken["offer-3"][1]


# --- running -----------------------------------------------------------------------------------------------------------


def let_install(session, outcome=Outcome.DONE, waits=False, put_back=False):
    """A run that says what a run says, in the thread it is called in."""
    session.may_end = threading.Event()

    def install(cancel: Cancel, resume: str | None = None) -> RunFinished:
        session.emit(RunStarted("run-1", tuple(step.id for step in STEPS), tuple(step.weight for step in STEPS), ""))
        for event in EVENTS[1:]:
            session.emit(event)
        if waits:
            cancel.wait(20)
        end = Outcome.CANCELLED if cancel.is_set else outcome
        for step in STEPS:
            session.emit(StepStarted(step.id, step.title, ""))
            session.emit(StepFinished(step.id, Outcome.DONE, 0.1))
        session.last_run = RunFinished("run-1", end, 2.0, said("It stopped") if end is not Outcome.DONE else None, put_back=put_back or end is not Outcome.DONE)
        session.emit(session.last_run)
        return session.last_run

    session.install = install
    session.prove = lambda level, cancel, python=None, checks=None: setattr(session, "proof", PROOF) or PROOF


def wait_for_end(window, qtbot):
    qtbot.waitUntil(lambda: not window.is_busy, timeout=10_000)
    QApplication.processEvents()


def test_install_proof_and_finish_in_one_walk(window, qtbot):
    let_install(window.session)
    window.go("review")
    window.footer.primary.click()
    assert window.current.key == "install"
    wait_for_end(window, qtbot)
    assert window.current.accessibleName() == "Installed"
    assert not window.can_go_back
    assert not any(button.step.can_click for button in window.rail.buttons)
    window.footer.primary.click()
    wait_for_end(window, qtbot)
    assert window.current.key == "proof"
    assert window.current.accessibleName() == "Works, and it is fast"
    window.footer.primary.click()
    assert window.current.key == "finish"
    assert window.current.accessibleName() == "Done. ComfyUI is ready to be faster"


def test_the_live_log_shows_what_arrives(window, qtbot):
    let_install(window.session, waits=True)
    window.go("review")
    window.footer.primary.click()
    qtbot.waitUntil(lambda: window.current.model.line_count == 7, timeout=5000)
    text = window.current._log.text.toPlainText()
    assert "triton_windows-3.4.0.post21" in text
    assert window.current._percent.text() == "36%"
    assert "15.1 of 46.1 MB" in window.current._bytes.text()
    assert window.current.first_focus().accessibleName().startswith("Overall, 36%, about")
    window.current.toggle_log()
    assert not window.current._log.isVisible()
    window.stop_work()
    wait_for_end(window, qtbot)


def test_cancel_asks_and_ends_as_it_was(window, qtbot, monkeypatch):
    let_install(window.session, waits=True)
    asked = []
    monkeypatch.setattr(window, "ask", lambda *words: asked.append(words) or True)
    window.session.diagnose = lambda stream: DIAGNOSIS
    window.go("review")
    window.footer.primary.click()
    next(button for button in window.footer.links if button.objectName() == "cancel").click()
    assert len(asked) == 1
    assert window.current.accessibleName() == "Putting everything back"
    wait_for_end(window, qtbot)
    assert window.current.key == "failed"
    assert window.current.accessibleName() == "Stopped, and everything is put back"
    assert window.footer.primary.accessibleName() == "Try again"


def test_a_failed_run_names_its_cause_from_the_log(window, qtbot):
    session = window.session
    let_install(session, Outcome.FAILED)
    session.places.logs.mkdir(parents=True)
    (session.places.logs / "run-1.log").write_text("one\ntwo\nthree\nfour\nfive\n", encoding="utf-8")
    session.diagnose = lambda stream, is_own_run: setattr(session, "diagnosis", DIAGNOSIS) or DIAGNOSIS
    window.go("review")
    window.footer.primary.click()
    wait_for_end(window, qtbot)
    qtbot.waitUntil(lambda: window.current.key == "failed" and not window.is_busy, timeout=5000)
    assert window.current.accessibleName() == "It did not work, so nothing was kept"
    assert window.footer.primary.accessibleName() == "Fix and try again"
    assert QApplication.focusWidget().accessibleName() == "An old Visual C++ runtime lies beside this Python, Very sure"
    window.footer.back.click()
    assert window.current.key == "review"


def test_closing_while_something_runs_asks_cancels_and_closes_when_it_has_ended(window, qtbot, monkeypatch):
    let_install(window.session, waits=True)
    answers = [False, True]
    monkeypatch.setattr(window, "ask", lambda *words: answers.pop(0))
    window.session.diagnose = lambda stream: DIAGNOSIS
    window.go("review")
    window.footer.primary.click()
    job = window.job
    assert not window.close()
    assert not job.cancel.is_set
    assert not window.close()
    assert job.cancel.is_set
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=10_000)
    assert not job.is_running


def test_closing_an_idle_window_asks_nothing(window, monkeypatch):
    monkeypatch.setattr(window, "ask", lambda *words: pytest.fail("asked"))
    assert window.close()


def test_escape_asks_and_no_keeps_the_window(window, monkeypatch):
    asked = []
    monkeypatch.setattr(window, "ask", lambda *words: asked.append(words) or False)
    press(window, Qt.Key.Key_Escape)
    assert len(asked) == 1
    assert window.isVisible()


def test_a_problem_is_told_in_one_line_and_the_page_stays_usable(window, qtbot, monkeypatch):
    told = []
    monkeypatch.setattr(window, "tell", told.append)
    window.session.facts = None

    def scan(cancel, folders=()):
        raise Problem(Text("problem.not-json", {"file": "f", "where": "w"}))

    window.session.scan = scan
    window.go("machine")
    wait_for_end(window, qtbot)
    assert [problem.text.code for problem in told] == ["problem.not-json"]
    assert window.current.accessibleName() == "The check was stopped"
    assert [button.objectName() for button in window.footer.links] == ["again"]


# --- files -------------------------------------------------------------------------------------------------------------


def drop(window, path: Path) -> None:
    content = QMimeData()
    content.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(QPointF(100, 100), Qt.DropAction.CopyAction, content, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    window.dropEvent(event)
    QApplication.processEvents()


def test_a_dropped_log_opens_the_search_for_its_cause(window, qtbot, tmp_path):
    log = tmp_path / "comfyui.log"
    log.write_text("Traceback\nImportError: DLL load failed\n", encoding="utf-8")
    window.session.diagnose = lambda stream: setattr(window.session, "diagnosis", DIAGNOSIS) or DIAGNOSIS
    drop(window, log)
    assert window.current.key == "error_text"
    assert window.current.content_bytes == log.read_bytes()
    window.footer.primary.click()
    wait_for_end(window, qtbot)
    assert window.current.accessibleName() == "One cause found"


def test_dropped_facts_open_as_a_replay_that_can_be_left(window, tmp_path):
    file = tmp_path / "machine.json"
    file.write_text(codec.dumps(replace(FACTS, captured_at="2026-11-29T16:42:00+00:00")), encoding="utf-8")
    drop(window, file)
    assert window.session.is_replay
    assert window.current.key == "machine"
    assert window.banner is not None
    assert window.windowTitle().startswith("Replay of a report")
    assert {button.step.key for button in window.rail.buttons if button.step.state == "locked"} == {"install", "proof"}
    window.go("review")
    assert window.footer.primary.accessibleName() == "Save answer file…"
    window.banner.button.click()
    QApplication.processEvents()
    assert not window.session.is_replay
    assert window.banner is None
    assert window.current.key == "start"


def test_a_damaged_report_is_told_and_nothing_changes(window, monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr(window, "tell", told.append)
    for name, content in (("a.json", b"{"), ("b.zip", b"PK\x03\x04no"), ("c.json", json.dumps({"schema": "machine/9"}).encode())):
        (tmp_path / name).write_bytes(content)
        drop(window, tmp_path / name)
    assert len(told) == 3
    assert window.current.key == "start"
    assert not window.session.is_replay


def test_the_window_gets_narrow_and_low_and_wide_again(window):
    window.go("machine")
    window.resize(720, 420)
    QApplication.processEvents()
    assert window.rail.width() == 64
    assert not window.current._head.isVisible()
    window.resize(960, 680)
    QApplication.processEvents()
    assert window.rail.width() == 216
    assert window.current._head.isVisible()


def test_a_click_hides_the_ring_and_a_key_shows_it(window, qtbot):
    show_scene(window, "machine")
    QApplication.processEvents()
    window.focusNextPrevChild(True)
    window.ring.follow()
    assert window.ring.box.isValid()
    window.ring.use_keyboard(False)
    assert not window.ring.box.isValid()
    assert window.ring.mapTo(window, QPoint(0, 0)) == QPoint(0, 0)
