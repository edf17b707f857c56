"""Fetching a single file in a step, with all that a person wants to see of it: bytes of how many, how fast, how long still."""

import time
from collections import deque
from pathlib import Path
from typing import Final

from app.model.events import StepProgress
from app.model.plan import Step
from app.running.run import Run

_WINDOW_S: Final = 5.0
_SOONEST_S: Final = 0.2


class Pace:
    """How fast bytes came in the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def bytes_per_second(self, done_bytes: int) -> float | None:
        """The recent speed, now that so much is there; None as long as it is not known."""
        moment = time.monotonic()
        self._samples.append((moment, done_bytes))
        while len(self._samples) > 2 and moment - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        began, before = self._samples[0]
        return (done_bytes - before) / (moment - began) if moment - began > _SOONEST_S and done_bytes > before else None


def seconds_left(done_bytes: int, total_bytes: int | None, bytes_per_second: float | None) -> float | None:
    return (total_bytes - done_bytes) / bytes_per_second if total_bytes and bytes_per_second else None


def fetch_file(step: Step, run: Run, url: str, target: Path, *, sha256: str | None = None, size_bytes: int | None = None) -> None:
    """Brings one file to `target`, resumed where an earlier try left off. Problem, or Cancelled; without `sha256` the caller checks what came."""
    pace = Pace()

    def tell(done: int, total: int | None) -> None:
        speed = pace.bytes_per_second(done)
        run.progress(StepProgress(step.id, done / total if total else None, target.name, 1, 1, done, total, speed, seconds_left(done, total, speed)))

    run.host.download(url, str(target), sha256=sha256, size_bytes=size_bytes, on_progress=tell, cancel=run.cancel)
