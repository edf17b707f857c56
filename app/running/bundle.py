"""A bundle: the wheelhouse of a plan, made on a machine with a network for one without."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app import __version__
from app.host.places import Places
from app.host.protocol import Machine
from app.model import codec
from app.model.cancel import Cancel
from app.model.events import Event, Outcome, RunFinished, RunStarted, StepFinished, StepStarted
from app.model.plan import Plan, RouteKind, Step
from app.model.problem import Cancelled, ExitCode, Problem
from app.model.text import Text
from app.running.journal import Journal, now
from app.running.resolving import RESOLUTION, resolve_elsewhere
from app.running.run import Run
from app.running.wheelhouse import fetch

MANIFEST: Final = "bundle.json"
BUNDLE_SCHEMA: Final = "bundle/1"

_PLATFORMS: Final = {RouteKind.NATIVE: "x86_64-pc-windows-msvc", RouteKind.LINUX: "x86_64-manylinux_2_28", RouteKind.WSL2: "x86_64-manylinux_2_28"}


def make_bundle(plan: Plan, host: Machine, emit: Callable[[Event], None], cancel: Cancel, target: Path, *, places: Places) -> RunFinished:
    """Fetches every wheel of `plan` into the folder `target`, hash-checked, resumable. Nothing is installed.

    The plan may be of another machine: files are chosen for its system and Python version. Problem for a plan without packages.
    """
    step = next((step for step in plan.steps if step.kind == "resolve"), None)
    if step is None or plan.python is None:
        raise Problem(Text("run.bundle-nothing"), ExitCode.BLOCKED)
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MANIFEST).is_file())):
        raise Problem(Text("run.folder-not-empty", {"path": str(target)}), ExitCode.BAD_INPUT)
    began = time.monotonic()
    run_id = f"bundle-{target.name}"
    folder = places.state / "bundles" / run_id
    places.logs.mkdir(parents=True, exist_ok=True)
    outcome, problem = Outcome.DONE, None
    with (places.logs / f"{run_id}.log").open("ab", buffering=0) as log:
        run = Run(run_id, folder, plan, host, cancel, places, Journal(folder), emit, log)
        run.send(RunStarted(run_id, (step.id,), (1.0,), now()))
        run.send(StepStarted(step.id, Text("run.bundling"), now()))
        try:
            _fill(step, run, plan, target)
        except Cancelled:
            outcome, problem = Outcome.CANCELLED, Text("run.cancelled")
        except Problem as stopped:
            outcome, problem = Outcome.FAILED, stopped.text
        finally:
            run.journal.close()
            host.disconnect()
        run.send(StepFinished(step.id, outcome, time.monotonic() - began, problem))
        finished = RunFinished(run_id, outcome, time.monotonic() - began, problem)
        run.send(finished)
    return finished


def _fill(step: Step, run: Run, plan: Plan, target: Path) -> None:
    assert plan.python is not None
    platform = _PLATFORMS.get(plan.route) if plan.route else None
    resolution = resolve_elsewhere(step, run, plan.python.version, platform)
    target.mkdir(parents=True, exist_ok=True)
    manifest = {
        "schema": BUNDLE_SCHEMA,
        "program_version": __version__,
        "time": now(),
        "python_version": plan.python.version,
        "platform": platform,
        "packages": dict(plan.packages),
        RESOLUTION: codec.dump(resolution),
    }
    # Before the files: a folder with a manifest is ours, and a broken bundle can be gone on with.
    run.host.write_file(str(target / MANIFEST), json.dumps(manifest, ensure_ascii=False, indent=1).encode())
    fetch(step, run, resolution, target)
