"""From a customer's report over a supporter's window to the customer's own: the answer is shown, confirmed and planned anew."""

import json
from pathlib import Path

import pytest

from app.model.plan import Choice
from app.model.report import Report
from app.model.unknown import known
from app.qt import saving
from app.qt.opening import open_path
from app.report import Identity, save_report
from app.session import Session
from tests.pages.conftest import shown
from tests.report import samples

USER = "Jöhn Dœ"
OWN_PYTHON = f"C:\\Users\\{USER}\\AppData\\Local\\Programs\\Python\\Python313\\python.exe"


@pytest.fixture
def window(app, own_home):
    """The window on the customer's PC, whose facts are read already."""
    session = Session(str(own_home))
    session.facts = samples.machine_facts(USER)
    with shown(session) as made:
        yield made


@pytest.fixture
def answers(window, tmp_path: Path) -> Path:
    """Saved by the supporter's window, which was shown the customer's report."""
    save_report(Report("2026-11-30T10:00:00+00:00", "1", samples.machine_facts(USER), Choice()), None, {}, Identity(users=(USER,)), tmp_path / "report.zip")
    replay = Session(None)
    replay.open_machine(tmp_path / "report.zip")
    other = known(replay.facts.pythons, ())[1].executable
    replay.decide(Choice(python=other))
    saving.write_answer(replay, str(tmp_path / "answers.json"))
    return tmp_path / "answers.json"


def test_an_answer_is_shown_confirmed_and_planned_anew(window, answers, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(window, "ask", lambda title, body, yes, no: asked.append((title, body)) or True)
    open_path(window, str(answers))
    qtbot.waitUntil(lambda: not window.is_busy and window.current.key == "review", timeout=10_000)
    (title, body), *more = asked
    assert more == []
    assert title == "Take over these decisions?"
    assert "Python to use: " in body
    assert "For the report of: " in body
    assert window.session.choice.python == OWN_PYTHON
    assert window.session.plan.choice.python == OWN_PYTHON
    assert not window.session.is_replay
    assert window.session.runs() == ()


def test_an_answer_that_is_not_confirmed_changes_nothing(window, answers, monkeypatch):
    monkeypatch.setattr(window, "ask", lambda *words: False)
    before = window.session.choice
    open_path(window, str(answers))
    assert not window.is_busy
    assert window.session.choice == before
    assert window.session.plan is None
    assert window.current.key == "start"


@pytest.mark.parametrize(
    "change",
    [{"index_url": "http://evil.example/simple"}, {"python": "\\\\evil.example\\share\\python.exe"}, {"argv": ["cmd"]}, {"goals": ["<b>triton</b>"]}],
)
def test_a_hostile_answer_is_told_and_nothing_is_asked(window, answers, monkeypatch, change):
    document = json.loads(answers.read_text(encoding="utf-8"))
    document["choice"].update(change)
    answers.write_text(json.dumps(document), encoding="utf-8")
    told = []
    monkeypatch.setattr(window, "tell", told.append)
    monkeypatch.setattr(window, "ask", lambda *words: pytest.fail("asked"))
    open_path(window, str(answers))
    assert len(told) == 1
    assert window.session.plan is None
    assert window.current.key == "start"


def test_a_path_that_is_not_on_this_pc_is_told(window, answers, qtbot, monkeypatch):
    document = json.loads(answers.read_text(encoding="utf-8"))
    document["choice"]["python"] = "E:\\PART-9\\python.exe"
    answers.write_text(json.dumps(document), encoding="utf-8")
    told = []
    monkeypatch.setattr(window, "tell", told.append)
    monkeypatch.setattr(window, "ask", lambda *words: True)
    open_path(window, str(answers))
    qtbot.waitUntil(lambda: bool(told) and not window.is_busy, timeout=10_000)
    assert [problem.text.code for problem in told] == ["report.answers.not-here"]
