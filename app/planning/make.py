"""Facts, findings, choice and tables to a plan: every route is planned, the best one is taken, the others are told with reasons."""

from dataclasses import replace

from app.model.facts import MachineFacts
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Choice, Goal, Option, Plan, RouteKind, RouteStatus, RouteVerdict, Verdict
from app.model.text import Text
from app.planning import options
from app.planning.comfyui import brings_sage
from app.planning.draft import Draft
from app.planning.routes import plan_linux, plan_native
from app.planning.situation import Situation
from app.planning.source import plan_source
from app.planning.wsl import plan_wsl
from app.tables import Tables

GRAVEST_FIRST = (Severity.BLOCKER, Severity.WARNING, Severity.NOTE)
PREFERENCE = (RouteKind.NATIVE, RouteKind.LINUX, RouteKind.WSL2, RouteKind.SOURCE)

MAY_BE_PARTIAL = frozenset(f"plan.summary-{key}" for key in ("right", "change", "new", "new-cpu", "wsl", "source"))
"""Summaries of plans that end with an environment."""


def make_plan(facts: MachineFacts, findings: tuple[Finding, ...], choice: Choice, tables: Tables, environments_root: str | None = None) -> Plan:
    """The plan for a choice. Pure: equal inputs give equal plans.

    `findings` are those of `app.diagnosis.find_causes` for the same choice. `environments_root` is the folder for environments of our
    own on that machine; None (a replay) stands for the usual place.
    """
    case = Situation(facts, choice, tables)
    native = plan_native(case, findings, environments_root)
    drafts = {
        RouteKind.NATIVE: native,
        RouteKind.LINUX: plan_linux(case, findings, environments_root),
        RouteKind.WSL2: plan_wsl(case, findings),
        RouteKind.SOURCE: plan_source(case, findings, native),
    }
    chosen = _choose(choice, drafts)
    draft = drafts[chosen] if chosen else _why_none(drafts)
    if draft.impossible and not any(finding.severity is Severity.BLOCKER for finding in draft.findings):
        others = any(one.status is not RouteStatus.IMPOSSIBLE for one in drafts.values())
        draft = replace(draft, findings=(_refusal(draft, others=others), *draft.findings))
    draft = _without_bundle(draft)
    return Plan(
        _verdict(draft),
        chosen if draft.status is not RouteStatus.IMPOSSIBLE else None,
        tuple(RouteVerdict(kind, drafts[kind].status, drafts[kind].reasons) for kind in RouteKind),
        draft.python,
        tuple(sorted(draft.findings, key=lambda finding: GRAVEST_FIRST.index(finding.severity))),
        draft.packages,
        draft.steps,
        sum(step.download_bytes or 0 for step in draft.steps),
        draft.disk_bytes,
        draft.keeps,
        choice,
        draft.changes,
        (*draft.options, *_route_options(case, drafts, chosen)),
        _blocked_summary(drafts) if draft.impossible else _summary(case, draft),
    )


def _choose(choice: Choice, drafts: dict[RouteKind, Draft]) -> RouteKind | None:
    """The asked route; else the first by preference that can lead to the goal."""
    if choice.route:
        return choice.route
    order: tuple[RouteKind, ...] = PREFERENCE
    if set(choice.goals) == {Goal.VLLM}:
        # The official build first; the community build where WSL2 would need the person first.
        order = (RouteKind.LINUX, RouteKind.WSL2, RouteKind.NATIVE)
        ready = next((kind for kind in order if drafts[kind].status is RouteStatus.READY), None)
        if ready:
            return ready
    return next((kind for kind in order if drafts[kind].status is not RouteStatus.IMPOSSIBLE), None)


def _why_none(drafts: dict[RouteKind, Draft]) -> Draft:
    return next((drafts[kind] for kind in PREFERENCE if drafts[kind].findings), drafts[RouteKind.NATIVE])


def _without_bundle(draft: Draft) -> Draft:
    """A bundle serves plans that download packages; of any other it is not advised."""
    if any(step.kind == "download" for step in draft.steps):
        return draft
    cure = Remedy("connect", Text("finding.network-failed.connect"), automatic=False)
    cured = (replace(one, remedy=cure) if one.remedy and one.remedy.code == "bundle" else one for one in draft.findings)
    return replace(draft, findings=tuple(cured))


def _refusal(draft: Draft, *, others: bool) -> Finding:
    """A route that cannot be, as a finding, where nothing graver says so already. Another one is advised where there are others."""
    cure = Remedy("another-route", Text("route.take-another"), automatic=False) if others else None
    return Finding("route-not-possible", Severity.BLOCKER, draft.impossible[0].text, ("os",), cure)


def _blocked_summary(drafts: dict[RouteKind, Draft]) -> Text:
    """A route that was asked for and cannot be is not the end where another can."""
    others = any(draft.status is not RouteStatus.IMPOSSIBLE for draft in drafts.values())
    return Text("plan.summary-blocked-way" if others else "plan.summary-blocked")


def _summary(case: Situation, draft: Draft) -> Text | None:
    """The summary of the draft, which says so where SageAttention was wanted and does not come."""
    summary = draft.summary
    if summary is None or summary.code not in MAY_BE_PARTIAL or not case.choice.wants_sage or brings_sage(draft.changes):
        return summary
    return replace(summary, code=f"{summary.code}-partly")


def _verdict(draft: Draft) -> Verdict:
    return {RouteStatus.READY: Verdict.READY, RouteStatus.NEEDS_ACTION: Verdict.NEEDS_ACTION, RouteStatus.IMPOSSIBLE: Verdict.BLOCKED}[draft.status]


def _route_options(case: Situation, drafts: dict[RouteKind, Draft], chosen: RouteKind | None) -> tuple[Option, ...]:
    """Other routes that are ready where the chosen one is not."""
    if chosen and drafts[chosen].status is RouteStatus.READY:
        return ()
    return tuple(options.other_route(case, kind) for kind in PREFERENCE if kind is not chosen and drafts[kind].status is RouteStatus.READY)
