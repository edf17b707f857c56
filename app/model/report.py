"""The report, schema report/1: every box of the line in one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.model.events import Event
from app.model.facts import MachineFacts
from app.model.findings import Diagnosis
from app.model.plan import Choice, Plan
from app.model.proof import Chart, Proof

REPORT_SCHEMA: Final = "report/1"


@dataclass(frozen=True, slots=True)
class Report:
    """`redactions` counts what was replaced, by kind. `charts` are those of the proof, as the window shows them."""

    created_at: str
    program_version: str
    facts: MachineFacts
    choice: Choice
    plan: Plan | None = None
    events: tuple[Event, ...] = ()
    proof: Proof | None = None
    diagnosis: Diagnosis | None = None
    redactions: Mapping[str, int] = field(default_factory=dict)
    language: str = "en"
    schema: str = REPORT_SCHEMA
    charts: tuple[Chart, ...] = ()
