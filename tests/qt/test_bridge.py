import threading
import time

import pytest

from app.model.cancel import Cancel
from app.model.events import LogLine, Outcome, StepFinished, StepProgress, StepStarted
from app.model.problem import Problem
from app.model.text import Text
from app.qt.bridge import Bridge, Job
from app.qt.parts.log_view import MOST_A_FLUSH


def line(number: int, replaces: bool = False) -> LogLine:
    return LogLine("step", f"line {number}", "2026-11-30T12:00:00+00:00", "stdout", replaces)


def test_events_of_another_thread_arrive_in_this_one(app, qtbot):
    bridge, threads = Bridge(), []
    bridge.arrived.connect(lambda batch: threads.append(threading.current_thread()))
    with qtbot.waitSignal(bridge.arrived, timeout=2000) as arrived:
        threading.Thread(target=lambda: [bridge.take(line(1)), bridge.take(line(2))]).start()
    assert [log.line for log in arrived.args[0].logs] == ["line 1", "line 2"]
    assert threads == [threading.main_thread()]


def test_a_flood_is_counted_whole_and_handed_over_in_part(app):
    bridge, batches = Bridge(), []
    bridge.arrived.connect(batches.append)
    for number in range(5 * MOST_A_FLUSH):
        bridge.take(line(number))
    bridge.flush()
    assert batches[0].log_count == 5 * MOST_A_FLUSH
    assert len(batches[0].logs) == MOST_A_FLUSH
    assert batches[0].logs[-1].line == f"line {5 * MOST_A_FLUSH - 1}"


def test_a_line_that_replaces_takes_the_place_of_the_last(app):
    bridge, batches = Bridge(), []
    bridge.arrived.connect(batches.append)
    for event in (line(1), line(2), line(3, replaces=True)):
        bridge.take(event)
    bridge.flush()
    assert [log.line for log in batches[0].logs] == ["line 1", "line 3"]
    assert batches[0].log_count == 2


def test_of_each_step_only_the_last_progress_is_kept_and_before_its_end(app):
    bridge, batches = Bridge(), []
    bridge.arrived.connect(batches.append)
    bridge.take(StepStarted("a", Text("x"), ""))
    for number in range(10):
        bridge.take(StepProgress("a", number / 10))
    bridge.take(StepFinished("a", Outcome.DONE, 1.0))
    bridge.take(StepProgress("b", 0.5))
    bridge.flush()
    kinds = [(event.type, getattr(event, "fraction", None)) for event in batches[0].events]
    assert kinds == [("step-started", None), ("step-progress", 0.9), ("step-finished", None), ("step-progress", 0.5)]


def test_nothing_to_say_says_nothing(app, qtbot):
    bridge = Bridge()
    with qtbot.assertNotEmitted(bridge.arrived):
        bridge.flush()


def test_a_job_gives_its_result_in_this_thread(app, qtbot):
    job = Job(lambda cancel: threading.current_thread().name, "worker")
    with qtbot.waitSignal(job.done, timeout=2000) as done:
        job.start()
    assert done.args == ["worker"]
    assert not job.is_running


@pytest.mark.parametrize("error", [Problem(Text("ui.cannot")), ValueError("bug")])
def test_a_job_hands_over_what_it_raised(app, qtbot, error):
    def work(cancel: Cancel) -> None:
        raise error

    job = Job(work, "worker")
    with qtbot.waitSignal(job.failed, timeout=2000) as failed:
        job.start()
    assert failed.args == [error]


def test_cancelling_ends_a_job(app, qtbot):
    def work(cancel: Cancel) -> float:
        begun = time.monotonic()
        cancel.wait(10)
        return time.monotonic() - begun

    job = Job(work, "worker")
    job.start()
    with qtbot.waitSignal(job.done, timeout=2000) as done:
        job.cancel.set()
    assert done.args[0] < 2
    assert job.join(1)
