"""What the pages of goal, route and review say of a plan: warnings that nothing cures, notes that are no task, consent that ends with its place."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication, QCheckBox, QLabel

from app.model.findings import Finding, Severity
from app.model.plan import Choice, Goal, TorchChange, Verdict
from app.model.text import Text
from app.session import Replay
from app.texts import words
from tests.pages.samples import PLAN, said
from tests.planning.build import gpu, machine, plan, python


def texts(window):
    QApplication.processEvents()
    return " ".join(label.text() for label in window.current.findChildren(QLabel))


def test_a_warning_that_the_plan_does_not_cure_is_told_before_anything_is_done(window):
    made = plan(machine(gpus=(gpu("8.9"), gpu("7.5", index=1))), Goal.TRITON)
    told = next(finding for finding in made.findings if finding.code == "gpu-mixed")
    window.session.plan = made
    window.go("review")
    shown = texts(window)
    assert words(Text("page.review.worth-knowing"), "en") in shown
    assert words(told.text, "en") in shown
    window.session.plan = replace(made, findings=())
    window.current.rebuild()
    assert words(told.text, "en") not in texts(window)


def test_what_a_plan_cures_by_itself_is_no_warning(window):
    window.session.plan = plan(machine(vc_runtime=None), Goal.TRITON)
    window.go("review")
    assert words(Text("page.review.worth-knowing"), "en") not in texts(window)


def test_notes_are_marked_so_that_they_do_not_look_like_tasks():
    made = plan(machine(python("2.9.1+cpu")), Goal.TRITON)
    native = next(verdict for verdict in made.routes if verdict.route is made.route)
    assert [reason.is_note for reason in native.reasons] == [False, False, True]


def test_another_goal_takes_back_what_was_allowed_for_the_place_before(window):
    window.session.choice = replace(window.session.choice, torch_change=TorchChange.REPLACE, python="D:\\x\\python.exe")
    window.go("goal")
    window.current.findChild(QCheckBox, "goal-sageattention").click()
    assert window.session.choice.torch_change is TorchChange.ASK
    assert window.session.choice.python is None


def test_a_machine_without_a_way_offers_no_place_and_no_answer(window):
    window.session.replay = Replay(Path("report.zip"), None)
    blocker = Finding("gpu-too-old", Severity.BLOCKER, said("The card is too old."), ("gpus[0]",), None)
    window.session.plan = replace(PLAN, verdict=Verdict.BLOCKED, route=None, findings=(blocker,), steps=(), choice=Choice())
    window.session.choice = Choice()
    rows = window.go("environment").rows()
    assert rows
    assert not any(row.is_possible or row.is_recommended for row in rows)
    assert all("The card is too old" in chip.text for row in rows[:1] for chip in row.chips)
    review = window.go("review")
    assert review.primary().text.replace("&", "") == "Continue"
    review.go_on()
    assert window.current.key == "finish"
