"""The environments that are offered, as rows: the recommendation first, then by group. Pure; no widget here."""

from dataclasses import dataclass, replace
from typing import Final

from app.model.facts import Python
from app.model.findings import Severity
from app.model.plan import Choice, Plan, Reason, Verdict
from app.model.unknown import known
from app.planning import EnvironmentOffer, Fit
from app.qt.parts.chip import ChipLook, Tone
from app.qt.speaking import joined, say_app, spoken
from app.texts import Language, say

CAUTIONS: Final[dict[str, tuple[Tone, str]]] = {"headers": ("accent", "plus")}
"""How a reason beside an offer looks; the others are warnings, and refusals where the offer is refused."""

SENTENCES: Final = frozenset({"apart", "distro-fits", "distro-new", "vllm-own"})
"""Reasons that are told as a sentence, not as a chip."""


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """One place to install into. `choice` is what choosing it means; None: it cannot be chosen, and a chip says why."""

    key: str
    group: str
    name: str
    path: str
    versions: str
    sentence: str
    chips: tuple[ChipLook, ...]
    is_recommended: bool
    is_chosen: bool
    choice: Choice | None

    @property
    def is_possible(self) -> bool:
        return self.choice is not None


def environment_rows(offers: tuple[EnvironmentOffer, ...], choice: Choice, plan: Plan | None, language: Language) -> tuple[EnvironmentRow, ...]:
    """One row an offer, in the order of the offers. Where no place was named and there is still no way, no place is one."""
    if plan is not None and plan.verdict is Verdict.BLOCKED and not any((choice.python, choice.new_env, choice.distro)):
        offers = tuple(_refused(offer, plan) for offer in offers)
    chosen = _chosen(offers, choice, plan)
    return tuple(_row(offer, number, number == chosen, language) for number, offer in enumerate(offers))


def _refused(offer: EnvironmentOffer, plan: Plan) -> EnvironmentOffer:
    """An offer on a machine that has no way: it says why, unless it has a reason of its own."""
    if offer.fit is Fit.IMPOSSIBLE:
        return offer
    why = next((Reason(finding.code, finding.text) for finding in plan.findings if finding.severity is Severity.BLOCKER), None)
    return replace(offer, fit=Fit.IMPOSSIBLE, reasons=(why,) if why else ())


def grouped(rows: tuple[EnvironmentRow, ...]) -> tuple[tuple[str, tuple[EnvironmentRow, ...]], ...]:
    """Rows by group in the order in which the groups come; the recommendation is a group of its own, without a name."""
    groups: dict[str, list[EnvironmentRow]] = {}
    for row in rows:
        groups.setdefault("" if row.is_recommended else row.group, []).append(row)
    ordered = sorted(groups.items(), key=lambda entry: entry[0] != "")
    return tuple((name, tuple(members)) for name, members in ordered)


def _chosen(offers: tuple[EnvironmentOffer, ...], choice: Choice, plan: Plan | None) -> int | None:
    """The offer that the choice takes, else the one the plan works on, else the recommendation."""
    wanted = (choice.python, choice.new_env, choice.distro)
    if any(wanted):
        exact = [number for number, o in enumerate(offers) if (o.choice.python, o.choice.new_env, o.choice.distro) == wanted]
        if exact:
            return exact[0]
    if plan is not None and plan.python is not None:
        for number, offer in enumerate(offers):
            if offer.python is not None and offer.python.executable == plan.python.executable:
                return number
            if offer.python is None and offer.distro is None and plan.python.is_new:
                return number
    return next((number for number, offer in enumerate(offers) if offer.fit is Fit.RECOMMENDED), None)


def _row(offer: EnvironmentOffer, number: int, is_chosen: bool, language: Language) -> EnvironmentRow:
    possible = offer.fit is not Fit.IMPOSSIBLE
    recommended = offer.fit is Fit.RECOMMENDED
    told = [r for r in offer.reasons if (recommended and r.code.startswith("target-")) or r.code in SENTENCES]
    chips = [_chip(spoken(r.text, language), r.code, possible) for r in offer.reasons if r not in told]
    if recommended and offer.python is not None and known(offer.python.in_use_by, None) == ():
        chips.append(ChipLook(say("page.environment.free", language), "good", "check-circle"))
    sentences = [*(spoken(r.text, language) for r in told), spoken(offer.changes, language) if possible else ""]
    return EnvironmentRow(
        key=f"offer-{number}",
        group=say(f"page.environment.group-{_group(offer)}", language),
        name=_name(offer, language),
        path=offer.folder,
        versions=_versions(offer.python, language) if offer.python is not None else _distro_version(offer, language),
        sentence="\n".join(text for text in sentences if text),
        chips=tuple(chips),
        is_recommended=recommended,
        is_chosen=is_chosen,
        choice=offer.choice if possible else None,
    )


def _chip(text: str, code: str, possible: bool) -> ChipLook:
    tone, icon = CAUTIONS.get(code, ("warn", "warning")) if possible else ("bad", "octagon-x")
    return ChipLook(text.rstrip(".。"), tone, icon)


def _group(offer: EnvironmentOffer) -> str:
    if offer.distro is not None:
        return "distros"
    if offer.python is None:
        return "new"
    return "apps" if known(offer.python.app, None) else "pythons"


def _name(offer: EnvironmentOffer, language: Language) -> str:
    if offer.distro is not None:
        return offer.distro.name
    if offer.python is None:
        return say("page.environment.new", language)
    app = known(offer.python.app, None)
    return say_app(app, language) if app else say(f"page.environment.kind.{offer.python.kind}", language)


def _versions(python: Python, language: Language) -> str:
    packages = known(python.packages, None)
    torch = say("page.environment.unknown-packages", language) if packages is None else ""
    if packages is not None:
        torch = f"torch {packages['torch']}" if "torch" in packages else say("page.environment.no-torch", language)
    return joined([f"Python {python.version}", torch], language)


def _distro_version(offer: EnvironmentOffer, language: Language) -> str:
    if offer.distro is None:
        return ""
    python = known(offer.distro.python, None)
    return joined([known(offer.distro.release, None) or "", f"Python {python}" if python else ""], language)
