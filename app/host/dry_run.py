"""A machine on which nothing is changed: a plan run on it is rehearsed."""

from dataclasses import dataclass

from app.host.protocol import Readings


@dataclass(frozen=True, slots=True)
class DryRunHost:
    """`readings` are those of a real or a recorded machine. Step `fail_step` fails; each step takes five times `pause_s`."""

    readings: Readings
    fail_step: str | None = None
    pause_s: float = 0.0
