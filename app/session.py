"""Holds the current values and walks the line: scan, decide, install, prove, report. No logic of its own.

A session is live (it looks at and may change this machine) or a replay (a report or facts document of another machine:
everything is shown, nothing can be run). Calls block; the window makes them in worker threads. Subscribers get every
event in the thread that made it.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from app.host.awake import stay_awake
from app.host.places import Places, places
from app.model.cancel import Cancel
from app.model.completion import Completion
from app.model.events import Event, LogLine, Outcome, RunFinished
from app.model.facts import MachineFacts
from app.model.findings import Diagnosis, Finding
from app.model.plan import Choice, Goal, Plan, RouteKind
from app.model.problem import ExitCode, Problem
from app.model.proof import Check, Level, Proof
from app.model.report import Report
from app.model.scan import ScanResult
from app.model.text import Text
from app.model.unknown import known

if TYPE_CHECKING:
    from app.host.live import LiveHost
    from app.host.recording import Recording
    from app.planning import EnvironmentOffer
    from app.proof import AppStart
    from app.report import Identity, LoadedReport, Preview, SavedReport
    from app.running import RunRecord
    from app.tables import Tables
    from app.texts import Language

MAX_EVENTS = 20_000
"""Events kept in memory for the report. The full log of a run is the file on disk."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where the shown machine comes from: the file, and when it was written."""

    path: Path
    saved_at: str | None


class Session:
    """One walk along the line.

    Attributes: `facts`, `scan_result` (facts with their sources), `findings`, `choice`, `plan`, `proof`, `diagnosis` and
    `last_run` are the current values (None until they exist), `earlier_proof` an older one of the same Python that this
    machine kept, `events` the last MAX_EVENTS events, `replay` is None on this machine.
    """

    def __init__(self, home: str | None = None, language: "Language" = "en") -> None:
        self.places: Places = places(home)
        self.language: Language = language
        self.facts: MachineFacts | None = None
        self.scan_result: ScanResult | None = None
        self.replayed_recording: bytes | None = None
        self.recording: Recording | None = None
        self.findings: tuple[Finding, ...] = ()
        self.completions: Mapping[str, Completion] = {}
        self.choice = Choice()
        self.plan: Plan | None = None
        self.proof: Proof | None = None
        self.earlier_proof: Proof | None = None
        self.diagnosis: Diagnosis | None = None
        self.last_run: RunFinished | None = None
        self.events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self.replay: Replay | None = None
        self._subscribers: list[Callable[[Event], None]] = []
        self._lock = threading.Lock()
        self._host: LiveHost | None = None

    @property
    def is_replay(self) -> bool:
        return self.replay is not None

    @property
    def host(self) -> "LiveHost":
        """This machine. Problem for a replay: another machine's report must never act on this one."""
        if self.replay:
            raise Problem(Text("session.replay-cannot-run", {"file": self.replay.path.name}), ExitCode.BAD_INPUT)
        if self._host is None:
            from app.host.live import LiveHost

            self._host = LiveHost()
        return self._host

    @property
    def bundle_host(self) -> "LiveHost":
        """This machine as a downloader: a bundle for another machine is fetched here, nothing else is changed."""
        from app.host.live import LiveHost

        return LiveHost()

    def subscribe(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Calls `callback` with every event, in the thread that made it. Returns what ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback) if callback in self._subscribers else None

    def emit(self, event: Event) -> None:
        """Keeps an event for the report and hands it on."""
        with self._lock:
            if isinstance(event, LogLine) and event.replaces and self.events and isinstance(self.events[-1], LogLine):
                self.events.pop()
            self.events.append(event)
        for callback in tuple(self._subscribers):
            callback(event)

    # --- the line -------------------------------------------------------------------------------------------------

    def scan(self, cancel: Cancel, folders: tuple[str, ...] = (), only: frozenset[str] | None = None) -> MachineFacts:
        """Reads this machine under the recorder. `folders` are further places to look for Pythons and apps, `only` the probes to run again."""
        from app.host.recording import Recorder
        from app.probes import read_completions, scan

        recorder = Recorder(self.host, self.recording)
        # Environments of our own lie where no search would look.
        self.scan_result = scan(recorder, self.emit, cancel, (*folders, str(self.places.environments)), self.scan_result, only=only)
        self.facts = self.scan_result.facts
        self.completions = read_completions(recorder, self.facts)
        self.recording = recorder.recording()
        self.plan = None
        return self.facts

    def open_machine(self, path: Path) -> MachineFacts:
        """Shows another machine: an exported report or a facts document. Problem if the file is neither."""
        from app.report import load_machine

        loaded: LoadedReport = load_machine(path)
        report = loaded.report
        self.replay = Replay(path, report.created_at or None)
        self.facts, self.choice, self.proof, self.diagnosis = report.facts, report.choice, report.proof, report.diagnosis
        self.events = deque(report.events, MAX_EVENTS)
        self.last_run = next((e for e in reversed(self.events) if isinstance(e, RunFinished)), None)
        self.plan, self.completions = None, {}
        self.scan_result, self.replayed_recording = None, loaded.recording
        return report.facts

    def decide(self, choice: Choice) -> Plan:
        """The plan that the facts and the choice lead to. Pure: nothing is touched."""
        from app.diagnosis import find_causes, find_changed
        from app.planning import make_plan

        facts, tables = self._known_facts(), self._tables()
        self.choice = choice
        self.findings = (*find_causes(facts, tables, choice), *find_changed(facts, self.completions))
        self.plan = make_plan(facts, self.findings, choice, tables, self._environments_root())
        return self.plan

    def outlook(self, goal: Goal) -> Plan | None:
        """The plan there would be for one goal alone; None before the machine is known. Pure, and the current choice stays."""
        from app.diagnosis import find_causes
        from app.planning import make_plan

        if self.facts is None:
            return None
        choice, tables = Choice(goals=(goal,)), self._tables()
        return make_plan(self.facts, find_causes(self.facts, tables, choice), choice, tables, self._environments_root())

    def fit(self, choice: Choice) -> Choice:
        """A supporter's choice with this machine's own paths in place of a report's tokens. Problem names a path that is not here."""
        from app.report.answers import fit_choice

        return fit_choice(choice, self._known_facts(), self._identity())

    def environments(self) -> "tuple[EnvironmentOffer, ...]":
        """What the environment page offers for the current choice, the recommendation first."""
        from app.planning import offer_environments

        return offer_environments(self._known_facts(), self.choice, self._tables(), self._environments_root())

    def _tables(self) -> "Tables":
        """The shipped tables, or fresher ones that the person let this program take."""
        from app.current_tables import current_tables

        return current_tables(self.places.data)

    def _environments_root(self) -> str | None:
        """Where new environments go here; of another machine the planner works it out from its facts."""
        return None if self.replay else str(self.places.environments)

    def install(self, cancel: Cancel, resume: str | None = None) -> RunFinished:
        """Runs the current plan, or goes on with run `resume`, whose plan is the current one from then on. Only bugs raise.

        A run that is gone on with after a restart meets a machine that was not read yet: what follows, proof and report, needs it.
        """
        from app.host.log_room import trim_logs
        from app.running import plan_of, run_plan

        if resume is not None:
            if self.facts is None:
                self.scan(cancel)
            self.plan = plan_of(resume, self.places)
            self.choice = self.plan.choice
        if self.plan is None:
            raise Problem(Text("session.no-plan"), ExitCode.BLOCKED)
        self.proof = None
        with stay_awake():
            trim_logs(self.places.logs)
            self.last_run = run_plan(self.plan, self.host, self.emit, cancel, places=self.places, resume=resume)
        return self.last_run

    def dry_run(self, cancel: Cancel, fail_step: str | None = None) -> RunFinished:
        """Goes through every step of the plan without changing anything; a replay may do that too."""
        from app.host.dry_run import DryRunHost
        from app.host.live import LiveHost
        from app.running import run_plan

        return run_plan(self.plan, DryRunHost(LiveHost(), fail_step), self.emit, cancel, places=self.places)

    def prove(self, level: Level, cancel: Cancel, python: str | None = None, checks: tuple[str, ...] | None = None) -> Proof:
        """Checks and measures `python`, else the Python of the current plan.

        With `checks` only those run again, and what they find takes its place in the current proof.
        """
        from app.proof import earlier_proof, keep_proof, merge, prove

        executable = python or (self.plan.python.executable if self.plan and self.plan.python else None)
        if executable is None:
            raise Problem(Text("session.no-python"), ExitCode.BAD_INPUT)
        found = prove(
            executable,
            level,
            self.host,
            self.emit,
            cancel,
            places=self.places,
            checks=checks,
            compute_capability=self._compute_capability(),
            distro=self._distro(),
        )
        if checks is not None:
            self.proof = merge(self.proof, found) if self.proof is not None else found
            return self.proof
        self.earlier_proof = earlier_proof(found, self.places)
        keep_proof(found, self.places)
        self.proof = found
        return found

    def app_start(self) -> "AppStart | None":
        """How the app that was set up can be started with its calls of attention counted; None where it cannot."""
        from app.proof import app_start

        return None if self.replay else app_start(self.plan, self.facts, self._tables(), self.host.environment())

    def watch_app(self, start: "AppStart", cancel: Cancel) -> Proof:
        """Runs the app until it is closed or the token is set; the proof then says whether SageAttention was used."""
        from app.proof import watch_use
        from app.proof.payloads import Target

        return self._with_use(watch_use(Target(start.argv[0], self.host, self.emit, cancel), start))

    def read_app_log(self, stream: BinaryIO) -> Proof:
        """The same from the log of a start of before."""
        from app.proof import read_comfyui_log, use_check

        return self._with_use(use_check(read_comfyui_log(stream)))

    def _with_use(self, check: Check) -> Proof:
        from app.proof import with_check

        if self.proof is None:
            raise Problem(Text("session.no-proof"), ExitCode.BLOCKED)
        self.proof = with_check(self.proof, check)
        return self.proof

    def _compute_capability(self) -> str | None:
        """Of the first NVIDIA card whose own is known, so that "compiles for your card" needs no driver."""
        gpus = known(self.facts.gpus, ()) if self.facts else ()
        return next((capability for gpu in gpus if gpu.vendor == "nvidia" and (capability := known(gpu.compute_capability, None))), None)

    def _distro(self) -> str | None:
        """The distro that the plan works in, None where it works on this system itself."""
        if self.plan is None or self.plan.route is not RouteKind.WSL2:
            return None
        named = (step.arguments.get("distro") for step in self.plan.steps)
        return self.plan.choice.distro or next((name for name in named if isinstance(name, str) and name), None)

    def diagnose(self, stream: BinaryIO, *, is_own_run: bool = False) -> Diagnosis:
        """Names the cause in a log, that of a run of this program or any other, with the facts of the shown machine where they are known."""
        from app.diagnosis.logs import diagnose, of_own_run

        found = diagnose(stream, self.facts)
        self.diagnosis = of_own_run(found) if is_own_run else found
        return self.diagnosis

    # --- runs of before --------------------------------------------------------------------------------------------

    def runs(self) -> "tuple[RunRecord, ...]":
        """What this program did on this machine, newest first; empty for a replay."""
        from app.running import list_runs

        return () if self.replay else list_runs(self.places)

    def undo(self, run_id: str, cancel: Cancel) -> RunFinished:
        """Puts the environment of a finished run back to what it was before."""
        from app.running import undo_run

        return undo_run(run_id, self.host, self.emit, cancel, places=self.places)

    def put_back(self, run_id: str, cancel: Cancel) -> RunFinished:
        """Puts back what an interrupted run left half done."""
        from app.running import put_back

        return put_back(run_id, self.host, self.emit, cancel, places=self.places)

    def recall(self) -> None:
        """Takes up the newest run of an earlier start: its plan, how it went, why it failed and the proof that followed.

        A run that was undone since is left alone: it says nothing of this machine any more.
        """
        from app.proof import kept_proof
        from app.running import events_of, plan_of

        newest = next(iter(self.runs()), None)
        if newest is None:
            return
        events = events_of(newest.id, self.places)
        finished = next((event for event in reversed(events) if isinstance(event, RunFinished)), None)
        if newest.state == "put-back" and (finished is None or finished.outcome is Outcome.DONE):
            return
        self.plan, self.last_run = plan_of(newest.id, self.places), finished
        self.choice = self.plan.choice
        self.events.extend(events)
        if newest.environment and newest.state == "committed":
            self.proof = kept_proof(newest.environment, newest.started, self.places)
        log = self.places.logs / f"{newest.id}.log"
        if finished is not None and finished.outcome is Outcome.FAILED and log.is_file():
            with log.open("rb") as stream:
                self.diagnose(stream)

    # --- the report ------------------------------------------------------------------------------------------------

    def report(self) -> Report:
        """Every box of the line as one value, not yet redacted."""
        from datetime import UTC, datetime

        from app import __version__
        from app.proof import proof_charts

        return Report(
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            program_version=__version__,
            facts=self._known_facts(),
            choice=self.choice,
            plan=self.plan,
            events=tuple(self.events),
            proof=self.proof,
            diagnosis=self.diagnosis,
            language=self.language,
            charts=proof_charts(self.proof) if self.proof else (),
        )

    def preview_report(self) -> "Preview":
        """Exactly what would leave the machine."""
        from app.report import preview_report

        return preview_report(self.report(), self._recording_bytes(), self._logs(), self._identity())

    def save_report(self, target: Path) -> "SavedReport":
        """Writes the redacted report."""
        from app.report import save_report

        return save_report(self.report(), self._recording_bytes(), self._logs(), self._identity(), target)

    def new_report_path(self) -> Path:
        """Where a report goes when nobody names a place: no user or host name in it."""
        from datetime import datetime

        return self.places.data / "reports" / f"triton-setup-report-{datetime.now():%Y%m%d-%H%M%S}.zip"

    def _recording_bytes(self) -> bytes | None:
        from app.model import codec

        return None if self.recording is None else codec.dumps(self.recording).encode()

    def _logs(self) -> dict[str, bytes]:
        """The full logs of the runs of this session, by file name."""
        run_ids = {event.run_id for event in self.events if isinstance(event, RunFinished)}
        return {path.name: path.read_bytes() for run_id in sorted(run_ids) if (path := self.places.logs / f"{run_id}.log").is_file()}

    def _identity(self) -> "Identity":
        """What is private on this machine; of a replayed one only what its own report still shows can be known."""
        from app.host.own import own_environment
        from app.report import collect_identity, identify

        return collect_identity(own_environment()) if self.replay else identify(self.host)

    def _known_facts(self) -> MachineFacts:
        if self.facts is None:
            raise Problem(Text("session.no-facts"), ExitCode.BLOCKED)
        return self.facts
