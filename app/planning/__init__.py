"""Facts, findings and a choice to a plan that a person can read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.planning.document import plan_document
    from app.planning.make import make_plan
    from app.planning.offers import EnvironmentOffer, Fit, offer_environments
    from app.planning.script import plan_script

__all__ = ["EnvironmentOffer", "Fit", "make_plan", "offer_environments", "plan_document", "plan_script"]

_MODULES = {
    "EnvironmentOffer": "offers",
    "Fit": "offers",
    "make_plan": "make",
    "offer_environments": "offers",
    "plan_document": "document",
    "plan_script": "script",
}


def __getattr__(name: str) -> Any:
    """Each part is imported when it is first asked for: a plan on the command line needs neither offers nor scripts."""
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"app.planning.{_MODULES[name]}"), name)
