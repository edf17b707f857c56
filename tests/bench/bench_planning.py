"""Planning: inside the process, as a whole process, and over many environments."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from app.diagnosis import find_causes
from app.model import codec
from app.model.plan import Choice, Goal
from app.planning import make_plan, offer_environments
from app.tables import load_tables
from tests.planning.build import machine, portable, python

GOALS = (Goal.TRITON, Goal.SAGEATTENTION, Goal.COMFYUI)
ROOT = Path(__file__).resolve().parents[2]


def timed_ms(act: Callable[[], object], repeats: int) -> float:
    """The median of `repeats` runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append((time.perf_counter() - begun) * 1000)
    return median(times)


def bench() -> list[dict]:
    choice = Choice(goals=GOALS)
    facts = machine(portable(packages={"comfy-kitchen": "0.2.31"}))

    def whole() -> None:
        load_tables.cache_clear()
        tables = load_tables()
        make_plan(facts, find_causes(facts, tables, choice), choice, tables)

    whole()
    rows = [{"name": "load tables, find causes, make a plan", "value": timed_ms(whole, 15), "unit": "ms", "limit": 20.0, "reference": "inside the process"}]
    tables = load_tables()
    for number in (10, 100, 1000):
        many = tuple(python("2.10.0+cu128", f"D:\\e{n}\\Scripts\\python.exe") for n in range(number))
        crowd = machine(*many)
        crowded = timed_ms(lambda crowd=crowd: make_plan(crowd, find_causes(crowd, tables, choice), choice, tables), 3)
        offered = timed_ms(lambda crowd=crowd: offer_environments(crowd, choice, tables), 3)
        rows.append({"name": f"plan, {number} environments", "value": crowded, "unit": "ms", "limit": None, "reference": f"{crowded / number:.3f} ms each"})
        rows.append({"name": f"offer, {number} environments", "value": offered, "unit": "ms", "limit": None, "reference": f"{offered / number:.3f} ms each"})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "machine.json"
        file.write_text(codec.dumps(facts), encoding="utf-8")
        argv = [sys.executable, "-m", "app", "plan", "--machine", str(file), "--json", "--goal", "triton,sageattention,comfyui"]
        seconds = timed_ms(lambda: subprocess.run(argv, cwd=ROOT, stdout=subprocess.DEVNULL, check=True), 7) / 1000
    rows.append({"name": "plan --machine, whole process", "value": seconds, "unit": "s", "limit": 0.5, "reference": "Python's own start included"})
    return rows
