"""States of the window worth looking at, each made from values alone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from app.model.events import FactsArrived, LogLine, Outcome, ProofArrived, StepFinished
from app.model.facts import Driver, Gap
from app.model.findings import Diagnosis, Finding, Remedy, Severity
from app.model.plan import Option, RouteStatus, Verdict
from app.model.proof import Check, ProofVerdict
from app.model.unknown import UNKNOWN
from app.qt.bridge import Batch, Job
from app.qt.run_model import RunModel
from app.qt.window import Window
from app.session import Replay
from tests.pages.samples import CAUSE, DIAGNOSIS, ERROR_TEXT, EVENTS, FACTS, FAILED_EVENTS, PLAN, PROOF, said
from wizard_pages import CAUSE as CAUSE_FLOW

OLD_DRIVER: Final = Finding(
    "driver-too-old",
    Severity.BLOCKER,
    said("Driver 528.49 is too old for torch 2.8.0+cu128. It needs 570.65 or newer."),
    ("driver.version",),
    Remedy("update-driver", said("Update the driver, then check again."), automatic=False),
)


def _batch(events: tuple) -> Batch:
    logs = tuple(event for event in events if isinstance(event, LogLine))
    return Batch(tuple(event for event in events if not isinstance(event, LogLine)), logs, len(logs))


def _busy(window: Window) -> None:
    """As if something ran: the frame is that of a running job, and nothing does."""
    window.job = Job(lambda cancel: None, "none", window)


def _start(window: Window) -> None:
    window.current.rebuild()


def _machine(window: Window) -> None:
    window.go("machine")


def _machine_open(window: Window) -> None:
    window.go("machine")
    window.current._opened = frozenset({"driver"})
    window.current.rebuild()


def _machine_bad(window: Window) -> None:
    session = window.session
    session.facts = replace(FACTS, driver=Driver("528.49", "12.0", None), disks=UNKNOWN, gaps=(Gap("disks", "timed-out", "Drive E: did not answer in 5 s"),))
    session.findings = (OLD_DRIVER,)
    window.go("machine")


def _machine_looking(window: Window) -> None:
    window.session.facts = None
    window.is_preview = True
    page = window.go("machine")
    _busy(window)
    page._arrived = (FactsArrived("gpus", 12.0, 0), FactsArrived("system", 3.0, 0))
    page.rebuild()


def _goal(window: Window) -> None:
    window.go("goal")


def _goal_open(window: Window) -> None:
    page = window.go("goal")
    page._is_fold_open = True
    page.rebuild()


def _route(window: Window) -> None:
    window.go("route")


def _route_none(window: Window) -> None:
    routes = tuple(replace(verdict, status=RouteStatus.IMPOSSIBLE) for verdict in PLAN.routes)
    window.session.fixed_plan = replace(PLAN, route=None, routes=routes, verdict=Verdict.BLOCKED, steps=(), changes=(), python=None)
    window.session.decide(PLAN.choice)
    window.go("route")


def _environment(window: Window) -> None:
    window.go("environment")


def _review(window: Window) -> None:
    window.go("review")


def _review_action(window: Window) -> None:
    option = Option("new-environment", said("Make a new environment beside it and leave this one as it is"), PLAN.choice)
    window.session.fixed_plan = replace(PLAN, verdict=Verdict.NEEDS_ACTION, findings=(OLD_DRIVER,), options=(option,))
    window.session.decide(PLAN.choice)
    window.go("review")


def _review_nothing(window: Window) -> None:
    window.session.fixed_plan = replace(PLAN, steps=(), changes=(), download_bytes=0)
    window.session.decide(PLAN.choice)
    window.go("review")


def _install(window: Window) -> None:
    page = window.go("install")
    page.model = RunModel.of(PLAN)
    _busy(window)
    window.is_committed = True
    page.rebuild()
    page.take(_batch(EVENTS))
    page.update_heading()


def _install_done(window: Window) -> None:
    page = window.go("install")
    page.model = RunModel.of(PLAN)
    page.rebuild()
    page.take(_batch((*EVENTS, *(StepFinished(step.id, Outcome.DONE, 3.0) for step in PLAN.steps))))
    page.model.take(replace(FAILED_EVENTS[-1], outcome=Outcome.DONE, put_back=False))
    page.rebuild()


def _failed(window: Window) -> None:
    _fail(window, DIAGNOSIS)


def _failed_unknown(window: Window) -> None:
    _fail(window, Diagnosis((), healthy=False))


def _cancelled(window: Window) -> None:
    window.is_preview = True
    window.session.last_run = replace(FAILED_EVENTS[-1], outcome=Outcome.CANCELLED)
    window.go("failed")


def _fail(window: Window, diagnosis: Diagnosis) -> None:
    window.is_preview = True
    session = window.session
    session.events, session.last_run, session.diagnosis = list(FAILED_EVENTS), FAILED_EVENTS[-1], diagnosis
    window.go("failed")


def _proof(window: Window) -> None:
    window.session.proof = PROOF
    window.go("proof")


def _proof_measuring(window: Window) -> None:
    window.is_preview = True
    page = window.go("proof")
    _busy(window)
    page._arrived = (ProofArrived("import-torch", "passed", "torch 2.8.0"), ProofArrived("import-triton", "running", ""))
    page.rebuild()


def _proof_wrong(window: Window) -> None:
    window.session.proof = replace(PROOF, verdict=ProofVerdict.WRONG, benchmarks=())
    window.go("proof")


def _proof_slow(window: Window) -> None:
    """Slow for two reasons, with a fall-back of the app, and worse than before."""
    used = Check("sage-used", "passed", "", {"use": "used", "calls": 1024, "errors": 0})
    window.session.proof = replace(PROOF, verdict=ProofVerdict.SLOW, slow_because=("power-limited", "battery"), checks=(*PROOF.checks, used))
    slower = tuple(replace(bench, median_ms=bench.median_ms / 2, p80_ms=bench.p80_ms / 2) for bench in PROOF.benchmarks)
    window.session.earlier_proof = replace(PROOF, benchmarks=slower, measured_at="2026-11-02T09:30:00+00:00")
    window.go("proof")


def _proof_watching(window: Window) -> None:
    window.session.proof = PROOF
    page = window.go("proof")
    _busy(window)
    page._doing, page._arrived = "watch", (ProofArrived("sage-used", "running", "1024"),)
    page.rebuild()


def _finish(window: Window) -> None:
    window.session.proof = PROOF
    window.session.last_run = replace(FAILED_EVENTS[-1], outcome=Outcome.DONE)
    window.go("finish")


def _error_text(window: Window) -> None:
    window.set_flow(CAUSE_FLOW)
    page = window.go("error_text")
    page._text, page.source, page._content_bytes = ERROR_TEXT, "comfyui.log", ERROR_TEXT.encode()
    page.rebuild()


def _cause(window: Window) -> None:
    _error_text(window)
    window.session.diagnosis = DIAGNOSIS
    window.go("cause")


def _cause_unknown(window: Window) -> None:
    _error_text(window)
    window.session.diagnosis = Diagnosis((replace(CAUSE, confidence=0.3),), healthy=False)
    window.go("cause")


def _replay_machine(window: Window) -> None:
    _replay(window)
    _machine_bad(window)


def _replay_review(window: Window) -> None:
    _replay(window)
    window.go("review")


def _replay_finish(window: Window) -> None:
    _replay(window)
    window.go("finish")


def _replay(window: Window) -> None:
    window.session.replay = Replay(Path("report.zip"), "2026-11-29T16:42:00+00:00")
    window.retranslate()


_ALL: Final[dict[str, Callable[[Window], None]]] = {
    name.removeprefix("_"): act
    for name, act in list(globals().items())
    if callable(act) and name.startswith("_") and name not in {"_batch", "_busy", "_fail", "_replay"} and getattr(act, "__module__", "") == __name__
}
SCENES: Final = tuple(_ALL)


def show_scene(window: Window, scene: str) -> None:
    _ALL[scene](window)
