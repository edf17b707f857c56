"""Switching SageAttention on in ComfyUI, without editing what an update owns."""

from app.model.facts import Python
from app.model.plan import Step
from app.planning.situation import Situation


def wire(case: Situation, python: Python | None) -> list[Step]:
    """The steps that make ComfyUI start with SageAttention; empty where that is the app's own setting or done already."""
    return []
