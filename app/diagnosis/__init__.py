"""Names causes: from machine facts (`find_causes`) and from logs (`app.diagnosis.logs`)."""

from app.diagnosis.facts import find_causes

__all__ = ["find_causes"]
