"""Planning: inside the process, as a whole process, and over many environments."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from app.diagnosis import find_causes
from app.model import codec
from app.model.facts import MachineFacts
from app.model.plan import Choice, Goal
from app.planning import make_plan, offer_environments, plan_document
from app.tables import load_tables
from tests.planning.build import machine, portable, python
from tests.planning.test_labelled_machines import CASES, FOLDER, choice_of

GOALS = (Goal.TRITON, Goal.SAGEATTENTION, Goal.COMFYUI)
ROOT = Path(__file__).resolve().parents[2]
FIRST = "from tests.bench.bench_planning import machines, plan_ms; name, text, choice = next(machines()); print(plan_ms(text, choice))"


def timed_ms(act: Callable[[], object], repeats: int) -> float:
    """The median of `repeats` runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        act()
        times.append((time.perf_counter() - begun) * 1000)
    return median(times)


def machines() -> Iterator[tuple[str, str, Choice]]:
    """Documents to plan for: one of our own, then the labelled machines where they lie beside the project."""
    yield "a portable ComfyUI", codec.dumps(machine(portable(packages={"comfy-kitchen": "0.2.31"}))), Choice(goals=GOALS)
    for case in CASES:
        yield case["name"], (FOLDER / "machines" / f"{case['name']}.json").read_text(encoding="utf-8"), choice_of(case.get("args", []))


def plan_ms(text: str, choice: Choice) -> float:
    """From the document of a machine to that of its plan, in milliseconds. The tables are read anew."""
    load_tables.cache_clear()
    begun = time.perf_counter()
    facts = codec.load(codec.parse(text, "machine"), MachineFacts, "machine")
    tables = load_tables()
    json.dumps(plan_document(make_plan(facts, find_causes(facts, tables, choice), choice, tables)))
    return (time.perf_counter() - begun) * 1000


def bench() -> list[dict]:
    choice, tables = Choice(goals=GOALS), load_tables()
    with_all = [(median(plan_ms(text, wanted) for _ in range(5)), name) for name, text, wanted in machines()]
    usual, (worst, name) = median(ms for ms, _ in with_all), max(with_all)
    first = float(subprocess.run([sys.executable, "-c", FIRST], cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    rows = [
        {
            "name": "machine to plan, tables read anew, median machine",
            "value": usual,
            "unit": "ms",
            "limit": 20.0,
            "reference": f"{len(with_all)} machines, tables read anew",
        },
        {"name": "machine to plan, the slowest machine", "value": worst, "unit": "ms", "limit": 20.0, "reference": name},
        {
            "name": "machine to plan, first time in a process",
            "value": first,
            "unit": "ms",
            "limit": None,
            "reference": "with the modules loaded on the way",
        },
    ]
    each = {}
    for number in (10, 100, 1000):
        many = tuple(python("2.10.0+cu128", f"D:\\e{n}\\Scripts\\python.exe") for n in range(number))
        crowd = machine(*many)
        crowded = timed_ms(lambda crowd=crowd: make_plan(crowd, find_causes(crowd, tables, choice), choice, tables), 3)
        offered = timed_ms(lambda crowd=crowd: offer_environments(crowd, choice, tables), 3)
        each[number] = crowded / number
        rows.append({"name": f"plan, {number} environments", "value": crowded, "unit": "ms", "limit": None, "reference": f"{crowded / number:.3f} ms each"})
        rows.append({"name": f"offer, {number} environments", "value": offered, "unit": "ms", "limit": None, "reference": f"{offered / number:.3f} ms each"})
    rows.append({"name": "one of 1000 environments over one of 100", "value": each[1000] / each[100], "unit": "×", "limit": 1.5, "reference": "1 is linear"})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "machine.json"
        file.write_text(next(machines())[1], encoding="utf-8")
        argv = [sys.executable, "-m", "app", "plan", "--machine", str(file), "--json", "--goal", "triton,sageattention,comfyui"]
        seconds = timed_ms(lambda: subprocess.run(argv, cwd=ROOT, stdout=subprocess.DEVNULL, check=True), 7) / 1000
    rows.append({"name": "plan --machine, whole process", "value": seconds, "unit": "s", "limit": 0.5, "reference": "Python's own start included"})
    return rows
