"""What may hurt an install later stands on its last page, in words."""

from dataclasses import replace

from app.model.events import Outcome, RunFinished
from app.model.text import Text
from tests.pages.scenes import FAILED_EVENTS
from tests.pages.test_proof_page import words_of

NOTES = (
    Text("run.hurts-interpreter", {"name": "TRITON_INTERPRET", "value": "1"}),
    Text("run.hurts-pip-refuses", {"name": "require-virtualenv = true", "value": "C:\\Users\\a\\pip\\pip.ini"}),
)


def test_settings_that_hurt_stand_on_the_last_page(window):
    last = FAILED_EVENTS[-1]
    assert isinstance(last, RunFinished)
    window.session.last_run = replace(last, outcome=Outcome.DONE, problem=None, notes=NOTES)
    window.go("finish")
    said = words_of(window.current)
    assert "TRITON_INTERPRET = 1 is set" in said
    assert "require-virtualenv = true" in said
