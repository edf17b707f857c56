"""A run of before that did not end: the first page offers what can still be done with it."""

import pytest
from PySide6.QtWidgets import QPushButton

from app.model.events import Outcome, RunFinished
from app.model.text import Text
from app.qt.unfinished import interrupted_run
from app.running import RunRecord

RUN = "20261129-101112-abcdef"


def met(window, monkeypatch, state: str) -> None:
    record = RunRecord(RUN, "2026-11-29T10:11:12+00:00", "C:\\venv\\Scripts\\python.exe", state, ("triton",), Text("ui.app-name"))
    monkeypatch.setattr(window.session, "runs", lambda: (record,))
    window.take_interrupted(interrupted_run(window.session))


def button(window, name: str) -> QPushButton | None:
    return window.current.findChild(QPushButton, name)


@pytest.mark.parametrize(("state", "offered"), [("unfinished", {"go-on", "put-back"}), ("failed", {"put-back"}), ("committed", set()), ("put-back", set())])
def test_what_is_offered_fits_the_state_of_the_run(window, monkeypatch, state, offered):
    met(window, monkeypatch, state)
    assert {name for name in ("go-on", "put-back") if button(window, name) is not None} == offered


@pytest.mark.parametrize(
    ("outcome", "said"), [(Outcome.DONE, "page.start.unfinished.put-back-done"), (Outcome.FAILED, "page.start.unfinished.put-back-failed")]
)
def test_putting_back_says_how_it_ended(window, qtbot, monkeypatch, outcome, said):
    met(window, monkeypatch, "failed")
    asked = []
    monkeypatch.setattr(window.session, "put_back", lambda run_id, cancel: asked.append(run_id) or RunFinished(run_id, outcome, 1.0))
    button(window, "put-back").click()
    qtbot.waitUntil(lambda: not window.is_busy, timeout=20_000)
    assert asked == [RUN]
    assert window.current._notice[1] == window.current.say(said)
