"""Whole processes, timed from outside; medians, never best cases."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = (sys.executable, "-m", "app")


def median_s(work: Callable[[], float], times: int = 5) -> float:
    """The median of what `work` says, after one run that warms the disk."""
    work()
    return statistics.median(work() for _ in range(times))


def process_s(argv: Sequence[str | Path], allowed: tuple[int, ...] = (0,)) -> float:
    """Seconds from the start of a process to its end."""
    begun = time.perf_counter()
    done = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""})
    took = time.perf_counter() - begun
    assert done.returncode in allowed, f"{argv}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"
    return took
