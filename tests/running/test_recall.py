"""A later start of the program knows the run of before: what was planned, how it went, why it failed."""

from pathlib import Path

from app.model.events import Outcome, RunFinished, StepFinished
from app.running import events_of, undo_run
from app.session import Session
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.worlds import change_steps, plan_of, python_of


def recalled(home: Path) -> Session:
    session = Session(str(home))
    session.recall()
    return session


def test_a_change_is_recalled_until_it_is_undone(bench: Bench, own_home: Path, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)
    finished = bench.run(plan)
    later = recalled(own_home)
    assert (later.plan, later.last_run, later.diagnosis) == (plan, finished, None)
    assert [event.step_id for event in later.events if isinstance(event, StepFinished)] == [step.id for step in plan.steps]
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert (recalled(own_home).plan, recalled(own_home).last_run) == (None, None)


def test_why_it_failed_is_looked_for_in_its_log(bench: Bench, own_home: Path, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha", "alpha.old"]), index=index.index))
    later = recalled(own_home)
    assert later.last_run is not None
    assert (later.last_run.outcome, later.last_run.put_back) == (Outcome.FAILED, True)
    assert later.diagnosis is not None
    assert not later.diagnosis.healthy


def test_what_a_power_cut_tore_is_left_out(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    path = bench.places.state / "runs" / finished.run_id / "events.jsonl"
    whole = events_of(finished.run_id, bench.places)
    assert isinstance(whole[-1], RunFinished)
    path.write_bytes(path.read_bytes()[:-20])
    assert events_of(finished.run_id, bench.places) == whole[:-1]
    path.unlink()
    assert events_of(finished.run_id, bench.places) == ()
