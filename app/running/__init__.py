"""Runs a plan so that the environment is afterwards either the new one or exactly the old one."""

from app.running.bundle import make_bundle
from app.running.history import RunRecord, events_of, list_runs, plan_of
from app.running.runner import put_back, run_plan, undo_run

__all__ = ["RunRecord", "events_of", "list_runs", "make_bundle", "plan_of", "put_back", "run_plan", "undo_run"]
