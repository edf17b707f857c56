"""What every part of the planner looks at."""

from typing import NamedTuple

from app.model.facts import MachineFacts
from app.model.plan import Choice
from app.model.unknown import UNKNOWN
from app.tables import Tables
from app.tables.fits import Wish
from app.tables.machine import driver_version, is_windows, main_capability


class Situation(NamedTuple):
    """A machine, what the person decided, and what fits what."""

    facts: MachineFacts
    choice: Choice
    tables: Tables


def wish_for(case: Situation, pythons: tuple[str, ...]) -> Wish | None:
    """What a torch is picked for on this machine; None while card or driver are not known."""
    capability = main_capability(case.facts)
    driver = driver_version(case.facts)
    if capability is UNKNOWN or capability is None or driver is UNKNOWN:
        return None
    return Wish(capability, driver, case.facts.os.arch, pythons, case.choice.wants_sage, is_windows(case.facts), only=case.choice.torch_version or "")
