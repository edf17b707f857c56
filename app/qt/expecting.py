"""What a person should know before a plan runs: rights asked for, restarts, long waits, and what an undo leaves."""

from typing import Final

from app.model.plan import Plan, RouteKind, Step
from app.model.text import Text

LONG_WEIGHT: Final = 5.0
"""Steps from this weight on are waits to be told of. Weights are shares, no times: how long a step takes nobody knows before."""

_MOST_NAMED: Final = 4


def expectations(plan: Plan) -> tuple[Text, ...]:
    """Sentences in the order in which they matter; empty for a plan without any of it."""
    numbered = tuple(enumerate(plan.steps, 1))
    admin = [number for number, step in numbered if step.needs_admin]
    restarts = [number for number, step in numbered if step.needs_restart]
    told = []
    if admin:
        told.append(Text("page.review.expect-admin", {"steps": _listed(admin)}))
    if restarts:
        told.append(Text("page.review.expect-restart", {"step": restarts[0]}))
    if any(step.kind == "source-build" for step in plan.steps):
        told.append(Text("page.review.expect-build"))
    elif (plan.route is RouteKind.WSL2 or admin or restarts) and (long := _long_waits(numbered)):
        told.append(Text("page.review.expect-wait", {"steps": _listed(long)}))
    return tuple(told)


def _long_waits(numbered: tuple[tuple[int, Step], ...]) -> list[int]:
    heavy = sorted((one for one in numbered if one[1].weight >= LONG_WEIGHT), key=lambda one: -one[1].weight)
    return sorted(number for number, _ in heavy[:_MOST_NAMED])


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def promise(plan: Plan) -> Text:
    """What is put back: of Linux inside Windows what was made in it, for a distro is never deleted by itself."""
    return Text("page.review.promise-wsl" if plan.route is RouteKind.WSL2 else "page.review.promise")
