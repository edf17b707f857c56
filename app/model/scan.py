"""What a scan brings back: the facts, and beside them what was asked for each and what was answered, word for word."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.model.facts import MachineFacts


@dataclass(frozen=True, slots=True)
class Reading:
    """One question a probe put to the machine. `raw` is the answer as text, cut if long."""

    probe: str
    source: str
    milliseconds: float
    raw: str


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """One probe of a scan: the paths of the facts it answers for (`gpus`, `os.locale`), how long it took, how many gaps it left."""

    probe: str
    facts: tuple[str, ...]
    milliseconds: float
    gaps: int


@dataclass(frozen=True, slots=True)
class ScanResult:
    """`stamps` tell when an environment was last changed, so that the next scan need not read it again."""

    facts: MachineFacts
    probes: tuple[ProbeRun, ...] = ()
    readings: tuple[Reading, ...] = ()
    milliseconds: float = 0.0
    stamps: Mapping[str, str] = field(default_factory=dict)

    def readings_of(self, fact: str) -> tuple[Reading, ...]:
        """What was asked for a fact, by its path: `gpus`, `os.locale`, also `pythons[3].packages`."""
        path = fact.split("[", 1)[0]
        names = {run.probe for run in self.probes if any(path == own or path.startswith(f"{own}.") or own.startswith(f"{path}.") for own in run.facts)}
        return tuple(reading for reading in self.readings if reading.probe in names)
