"""Runs the probes side by side: each bounded by its own time, none able to harm another, facts as they come."""

import dataclasses
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, get_type_hints

from app.host.protocol import Readings
from app.model.cancel import Cancel
from app.model.events import FactsArrived
from app.model.facts import MACHINE_SCHEMA, Cpu, Gap, MachineFacts, Memory, Network, OperatingSystem
from app.model.problem import Cancelled
from app.model.scan import ProbeRun, Reading, ScanResult
from app.model.unknown import UNKNOWN
from app.probes.look import Look, Shared

_PARTS: Final[Mapping[str, type]] = {"os": OperatingSystem, "cpu": Cpu, "memory": Memory, "network": Network}
"""Facts that several probes share: their paths are `os.locale`."""


STAMPS: Final = "stamps"
"""A probe puts the marks of ScanResult.stamps under this name."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One family of facts. `facts` are the paths it answers for: what it leaves out without saying why becomes a gap."""

    name: str
    facts: tuple[str, ...]
    look: Callable[[Look], None]
    timeout_s: float = 20.0
    families: tuple[str, ...] = ("windows", "linux", "wsl")


class _Run:
    """A probe in its thread. What it found when its time is over is kept, the thread is left alone."""

    def __init__(self, probe: Probe, look: Look, ended: Callable[["_Run"], None]) -> None:
        self.probe = probe
        self.look = look
        self.failure: tuple[str, str] | None = None
        self.started = time.perf_counter()
        self.milliseconds = 0.0
        self._ended = ended
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._work, name=f"probe-{probe.name}", daemon=True)

    def _work(self) -> None:
        try:
            self.probe.look(self.look)
        except Cancelled:
            self.failure = ("cancelled", "")
        except Exception as error:  # a probe that meets what nobody foresaw costs its own facts only
            self.failure = ("failed", f"{type(error).__name__}: {error}")
        self.finish()

    def finish(self) -> None:
        if not self.over.is_set():
            self.milliseconds = round((time.perf_counter() - self.started) * 1000, 1)
            self.over.set()
            self._ended(self)


def run_probes(probes: Sequence[Probe], host: Readings, emit: Callable[[FactsArrived], None], cancel: Cancel, previous: ScanResult | None) -> ScanResult:
    """All probes of the host's family at once. `previous` lends the facts of probes that are not among `probes`."""
    started = time.perf_counter()
    lock = threading.Lock()

    def ended(run: _Run) -> None:
        with lock:
            emit(FactsArrived(run.probe.name, run.milliseconds, len(_gaps_of(run))))

    shared = Shared()
    runs = [_Run(probe, Look(host, probe.name, cancel, shared), ended) for probe in probes if host.family in probe.families]
    for run in runs:
        run.thread.start()
    for run in runs:
        _wait(run, cancel)
    cancel.check()
    harvest = _Harvest()
    for run in runs:
        harvest.add(run)
    if previous is not None:
        harvest.lend(previous)
    milliseconds = round((time.perf_counter() - started) * 1000, 1)
    return ScanResult(_machine(harvest, host), tuple(harvest.probes), tuple(harvest.readings), milliseconds, harvest.stamps)


def _wait(run: _Run, cancel: Cancel) -> None:
    deadline = run.started + run.probe.timeout_s
    while not run.over.wait(min(0.1, max(0.0, deadline - time.perf_counter()))):
        if cancel.is_set:
            return
        if time.perf_counter() >= deadline:
            run.failure = ("timed-out", f"no answer in {run.probe.timeout_s:g} s")
            run.finish()
            return


def _gaps_of(run: _Run) -> list[Gap]:
    """The gaps a probe named, and one for each fact it answers for, left out and explained nowhere."""
    facts, gaps, _ = run.look.taken()
    explained = {gap.probe for gap in gaps}
    code, detail = run.failure or ("no-answer", "")
    missing = [path for path in run.probe.facts if path not in facts and not any(_covers(known, path) for known in explained)]
    if run.failure is not None and not missing:
        missing = [run.probe.facts[0]]
    return gaps + [Gap(path, code, detail or UNKNOWN) for path in missing]


def _covers(explained: str, path: str) -> bool:
    return explained == path or path.startswith(f"{explained}.")


@dataclass(slots=True)
class _Harvest:
    """What the probes brought, put together."""

    facts: dict[str, Any] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    stamps: dict[str, str] = field(default_factory=dict)
    probes: list[ProbeRun] = field(default_factory=list)

    def add(self, run: _Run) -> None:
        found, _, noted = run.look.taken()
        gaps = _gaps_of(run)
        self.stamps.update(found.pop(STAMPS, {}))
        self.facts.update(found)
        self.gaps += gaps
        self.readings += noted
        paths = tuple(dict.fromkeys((*run.probe.facts, *found)))
        self.probes.append(ProbeRun(run.probe.name, paths, run.milliseconds, len(gaps)))

    def lend(self, previous: ScanResult) -> None:
        """Takes over what an earlier scan knows from probes that did not run now."""
        fresh = {run.probe for run in self.probes}
        kept = [run for run in previous.probes if run.probe not in fresh]
        names, paths = {run.probe for run in kept}, [path for run in kept for path in run.facts]
        for path in paths:
            fact = _fact(previous.facts, path)
            if fact is not UNKNOWN:
                self.facts.setdefault(path, fact)
        self.gaps += [gap for gap in previous.facts.gaps if any(_covers(path, gap.probe) or _covers(gap.probe, path) for path in paths)]
        self.readings += [reading for reading in previous.readings if reading.probe in names]
        self.probes += kept
        self.stamps = {**previous.stamps, **self.stamps}


def _fact(facts: MachineFacts, path: str) -> Any:
    value: Any = facts
    for part in path.split("."):
        if value is UNKNOWN or value is None:
            return UNKNOWN
        value = getattr(value, part)
    return value


def _machine(harvest: _Harvest, host: Readings) -> MachineFacts:
    parts: dict[str, dict[str, Any]] = {name: {} for name in _PARTS}
    whole: dict[str, Any] = {}
    for path, fact in harvest.facts.items():
        first, dot, second = path.partition(".")
        if dot:
            parts.setdefault(first, {})[second] = fact
        else:
            whole[path] = fact
    # Three facts the schema wants in any case; where the probe failed, a gap says so.
    system = {"family": host.family, "version": "", "arch": "x86_64", **parts.pop("os")}
    for name, values in parts.items():
        if name in _PARTS and values:
            whole[name] = _PARTS[name](**values)
        elif whole.get(name):
            # One probe found the thing, another knows more of it.
            whole[name] = dataclasses.replace(whole[name], **values)
    return MachineFacts(
        schema=MACHINE_SCHEMA,
        os=OperatingSystem(**system),
        captured_at=host.recorded_at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        source="recording" if host.recorded_at is not None else "live",
        # Nobody asks for the inside of what is not there.
        gaps=tuple(gap for gap in harvest.gaps if "." not in gap.probe or whole.get(gap.probe.partition(".")[0], gap) is not None),
        **whole,
    )


def paths_of_facts() -> tuple[str, ...]:
    """All paths a probe may put, from the model itself: a test holds the probes against it."""
    paths = []
    for member in dataclasses.fields(MachineFacts):
        if member.name in _PARTS:
            paths += [f"{member.name}.{name}" for name in get_type_hints(_PARTS[member.name])]
        elif member.name not in ("schema", "captured_at", "source", "gaps"):
            paths.append(member.name)
    return tuple(paths)
