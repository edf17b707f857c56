"""The decisions a plan needs or offers, each as the choice that would be made."""

from dataclasses import replace

from app.model.plan import Option, RouteKind, TorchChange
from app.model.text import Param, Text
from app.planning.situation import Situation


def option(code: str, case: Situation, text_params: dict[str, Param] | None = None, **changes: object) -> Option:
    """An option `plan.option-<code>` that changes these fields of the choice."""
    return Option(code, Text(f"plan.option-{code}", text_params or {}), replace(case.choice, **changes))  # type: ignore[arg-type]  # names of Choice's fields


def replace_torch(case: Situation, python: str, before: str, after: str) -> Option:
    params: dict[str, Param] = {"before": before, "after": after}
    return option("replace-torch", case, params, python=python, comfyui=None, new_env=None, torch_change=TorchChange.REPLACE)


def keep_torch(case: Situation, python: str, before: str) -> Option:
    return option("keep-torch", case, {"before": before}, python=python, comfyui=None, new_env=None, torch_change=TorchChange.KEEP)


def new_environment(case: Situation, folder: str) -> Option:
    return option("new-environment", case, {"folder": folder}, python=None, comfyui=None, new_env=folder, torch_change=TorchChange.ASK)


def other_route(case: Situation, route: RouteKind) -> Option:
    return option(f"route-{route.value}", case, route=route)
