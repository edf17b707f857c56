"""Reading this machine and planning for a recorded one: whole processes, and the plan alone."""

import tempfile
import time
from pathlib import Path

from app.diagnosis import find_causes
from app.model import codec
from app.model.facts import MachineFacts
from app.model.plan import Choice, Goal
from app.planning import make_plan
from app.tables import load_tables
from tests.bench.timing import SOURCE, median_s, process_s
from tests.pages.samples import FACTS


def plan_s(facts: MachineFacts) -> float:
    choice, tables = Choice(goals=(Goal.TRITON, Goal.SAGEATTENTION, Goal.COMFYUI)), load_tables()
    begun = time.perf_counter()
    make_plan(facts, find_causes(facts, tables, choice), choice, tables)
    return time.perf_counter() - begun


def bench() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        machine = Path(folder) / "machine.json"
        machine.write_text(codec.dumps(FACTS), encoding="utf-8")
        log = Path(folder) / "error.log"
        log.write_text("Traceback (most recent call last):\nModuleNotFoundError: No module named 'triton'\n")
        return [
            {"name": "--version, whole process", "value": median_s(lambda: process_s([*SOURCE, "--version"])), "unit": "s", "limit": None},
            {"name": "scan --json, whole process", "value": median_s(lambda: process_s([*SOURCE, "scan", "--json"])), "unit": "s", "limit": 2.0},
            {
                "name": "plan --machine, whole process",
                "value": median_s(lambda: process_s([*SOURCE, "plan", "--machine", machine, "--json"], (0, 3))),
                "unit": "s",
                "limit": 0.5,
            },
            {"name": "plan alone, three goals", "value": 1000 * median_s(lambda: plan_s(FACTS), 50), "unit": "ms", "limit": 20.0},
            {
                "name": "diagnose a short log, whole process",
                "value": median_s(lambda: process_s([*SOURCE, "diagnose", log, "--json"])),
                "unit": "s",
                "limit": None,
            },
        ]
