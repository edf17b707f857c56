"""Facts, findings and a choice to a plan that a person can read."""

from app.planning.document import plan_document
from app.planning.make import make_plan
from app.planning.offers import EnvironmentOffer, Fit, offer_environments
from app.planning.script import plan_script

__all__ = ["EnvironmentOffer", "Fit", "make_plan", "offer_environments", "plan_document", "plan_script"]
