import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.events import LogLine, Outcome, RunStarted, StepFinished, StepProgress, StepStarted
from app.qt.run_model import MOST_LINES, RunModel
from tests.pages.samples import EVENTS, FAILED_EVENTS, PLAN, said


def test_a_run_in_the_middle():
    model = RunModel.of(PLAN)
    for event in EVENTS:
        model.take(event)
    assert model.current == 1
    assert [row.state for row in model.rows] == ["done", "running", "waiting", "waiting", "waiting"]
    assert model.fraction == pytest.approx((4 + 60 * 0.58) / 107)
    # 26 s for what is open of the download, the same pace for the weights behind it.
    open_share = 60 * (1 - 0.58)
    assert model.seconds_left == pytest.approx(26 * (open_share + 5 + 16 + 22) / open_share)


def test_a_failed_step_stays_the_current_one():
    model = RunModel.of(PLAN)
    for event in FAILED_EVENTS:
        model.take(event)
    assert [row.state for row in model.rows] == ["done", "done", "waiting", "waiting", "failed"]
    assert model.finished is not None
    assert model.finished.put_back


def test_steps_that_the_plan_does_not_know_are_added():
    model = RunModel.of(PLAN)
    model.take(RunStarted("r", ("check", "extra"), (1.0, 2.0), ""))
    model.take(StepStarted("put-back", said("Put everything back"), ""))
    assert [row.id for row in model.rows] == ["check", "extra", "put-back"]
    assert model.rows[2].state == "running"


def test_lines_are_bounded_and_counted():
    model = RunModel()
    lines = tuple(LogLine("s", f"{number}", "2026-11-30T12:34:56+00:00") for number in range(MOST_LINES + 10))
    shown = model.take_lines(lines, 1_000_000)
    assert model.line_count == 1_000_000
    assert len(model.lines) == MOST_LINES
    assert "lines are left out here" in shown[0]
    assert shown[1].startswith("12:34:56 s ")
    assert "left out" not in model.take_lines(lines[:3], 3)[0]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from([step.id for step in PLAN.steps]), st.sampled_from(["start", "progress", "done"]), st.floats(0, 1)),
        max_size=40,
    )
)
def test_progress_never_runs_backwards_within_a_step_and_stays_in_bounds(news):
    model = RunModel.of(PLAN)
    seen: dict[str, float] = {}
    for step, kind, fraction in news:
        if kind == "start" and step not in seen:
            model.take(StepStarted(step, said(step), ""))
            seen[step] = 0.0
        elif kind == "progress":
            model.take(StepProgress(step, fraction))
            row = next(row for row in model.rows if row.id == step)
            assert (row.fraction or 0.0) >= seen.get(step, 0.0)
            seen[step] = row.fraction or 0.0
        elif kind == "done":
            model.take(StepFinished(step, Outcome.DONE, 1.0))
            seen[step] = 1.0
        assert 0.0 <= model.fraction <= 1.0
        assert 0.0 <= model.value <= len(model.rows)
