"""How fast a cause is named: a paste, and logs of 1, 10 and 100 MB, beside ripgrep on the same file where it is installed."""

import io
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from app.diagnosis.logs import diagnose
from app.diagnosis.logs.signatures import signatures

PASTE = b"""Traceback (most recent call last):
  File "D:\\ComfyUI\\main.py", line 136, in <module>
    import execution
  File "D:\\ComfyUI\\execution.py", line 13, in <module>
    import nodes
  File "D:\\ComfyUI\\comfy\\ldm\\modules\\attention.py", line 22, in <module>
    from sageattention import sageattn
  File "D:\\ComfyUI\\python_embeded\\Lib\\site-packages\\sageattention\\quant.py", line 20, in <module>
    from . import _fused
ImportError: DLL load failed while importing _fused: The specified procedure could not be found.
"""

WORDS = ["loading", "model", "step", "loss", "compile", "kernel", "launched", "Requested", "to", "load", "Flux", "weight", "dtype", "saved"]

MEMORY = """
import resource, sys
from app.diagnosis.logs import diagnose
with open(sys.argv[1], "rb") as log:
    diagnose(log)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def make_log(path: Path, size_mb: int) -> None:
    """A log that repeats itself with other numbers, one error in its middle."""
    chance = random.Random(3)
    said = [" ".join(chance.choice(WORDS) for _ in range(9)) for _ in range(300)]
    size, is_told = 0, False
    with path.open("wb") as log:
        while size < size_mb * 1_000_000:
            block = "".join(f"{a_time(chance)} - INFO - {chance.choice(said)} {chance.random():.6f}\n" for _ in range(5000)).encode()
            size += log.write(block)
            if not is_told and size > size_mb * 500_000:
                log.write(PASTE)
                is_told = True


def a_time(chance: random.Random) -> str:
    return f"2026-11-30 12:{chance.randrange(60):02d}:{chance.randrange(60):02d},{chance.randrange(1000):03d}"


def seconds(act: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def diagnose_file(path: Path) -> None:
    with path.open("rb") as log:
        assert diagnose(log).findings[0].code == "wheel-torch-mismatch"


def ripgrep_seconds(path: Path) -> float | None:
    """The same key words, without case, as fixed strings; None where ripgrep is not installed."""
    program = shutil.which("rg")
    if program is None:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as words:
        words.write("\n".join(sorted({key.strip() for row in signatures() for key in row.keys})))
        words.flush()
        return seconds(lambda: subprocess.run([program, "-i", "-F", "-c", "-f", words.name, str(path)], check=False, capture_output=True), 3)


def bench() -> list[dict]:
    diagnose(io.BytesIO(PASTE))
    rows = [
        {
            "name": "name the cause in a paste of 10 lines",
            "value": seconds(lambda: diagnose(io.BytesIO(PASTE)), 50) * 1000,
            "unit": "ms",
            "limit": 30,
            "reference": None,
        }
    ]
    with tempfile.TemporaryDirectory() as folder:
        for size_mb in (1, 10, 100):
            path = Path(folder) / f"{size_mb}.log"
            make_log(path, size_mb)
            taken = seconds(partial(diagnose_file, path), 3)
            found = ripgrep_seconds(path)
            reference = f"ripgrep, same words, same file: {found:.2f} s" if found else "ripgrep is not installed here"
            rows.append(
                {
                    "name": f"name the cause in a log of {size_mb} MB",
                    "value": taken,
                    "unit": "s",
                    "limit": 2 if size_mb == 100 else None,
                    "reference": reference,
                }
            )
        done = subprocess.run([sys.executable, "-c", MEMORY, str(path)], check=True, capture_output=True, text=True)
        rows.append({"name": "memory of the process at 100 MB", "value": float(done.stdout), "unit": "MB", "limit": 150, "reference": None})
    return rows
