"""Facts, findings and a choice to a plan that a person can read."""

from app.planning.document import plan_document
from app.planning.make import make_plan

__all__ = ["make_plan", "plan_document"]
