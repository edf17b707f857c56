"""What every part of the planner looks at."""

from dataclasses import dataclass

from app.model.facts import MachineFacts
from app.model.plan import Choice
from app.tables import Tables


@dataclass(frozen=True, slots=True)
class Situation:
    """A machine, what the person decided, and what fits what."""

    facts: MachineFacts
    choice: Choice
    tables: Tables
