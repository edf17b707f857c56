"""A plan as the document plan/1: texts in words, keys in a fixed order, equal plans give equal bytes."""

from typing import Any

from app.model import codec
from app.model.findings import Finding
from app.model.plan import Download, Plan, Reason, Step
from app.texts import Language, words


def plan_document(plan: Plan, language: Language = "en") -> dict[str, Any]:
    """The JSON of the contract, with `choice`, `options`, `changes`, `summary` and `download_estimate` besides."""
    python = plan.python
    return {
        "schema": plan.schema,
        "verdict": plan.verdict.value,
        "route": plan.route.value if plan.route else None,
        "routes": [{"route": r.route.value, "status": r.status.value, "reasons": [_reason(one, language) for one in r.reasons]} for r in plan.routes],
        "python": None
        if python is None
        else {"executable": python.executable, "kind": python.kind, "version": python.version, "is_new": python.is_new, "base": python.base},
        "findings": [_finding(finding, language) for finding in plan.findings],
        "packages": dict(sorted(plan.packages.items())),
        "steps": [_step(step, language) for step in plan.steps],
        "download_bytes": plan.download_bytes,
        "disk_bytes": plan.disk_bytes,
        "keeps": list(plan.keeps),
        "summary": words(plan.summary, language) if plan.summary else None,
        "changes": [{"name": change.name, "before": change.before, "after": change.after, "reason": words(change.reason, language)} for change in plan.changes],
        "options": [{"code": option.code, "text": words(option.text, language), "choice": codec.dump(option.choice)} for option in plan.options],
        "choice": codec.dump(plan.choice),
        "download_estimate": _download(plan.download),
    }


def _reason(reason: Reason, language: Language) -> dict[str, str]:
    return {"code": reason.code, "text": words(reason.text, language)}


def _finding(finding: Finding, language: Language) -> dict[str, Any]:
    remedy = finding.remedy
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "text": words(finding.text, language),
        "evidence": list(finding.evidence),
        "remedy": {"code": remedy.code, "text": words(remedy.text, language), "automatic": remedy.automatic} if remedy else None,
    }


def _step(step: Step, language: Language) -> dict[str, Any]:
    return {
        "id": step.id,
        "title": words(step.title, language),
        "kind": step.kind,
        "argv": list(step.argv),
        "where": step.where.value,
        "needs_admin": step.needs_admin,
        "needs_restart": step.needs_restart,
        "download_bytes": step.download_bytes,
        "undo": words(step.undo, language) if step.undo else None,
    }


def _download(download: Download) -> dict[str, Any]:
    """`bytes` None: nothing of it is known. Not `whole`: at least so much. `estimated`: about so much."""
    return {"bytes": download.bytes if download.bytes or download.is_whole else None, "estimated": download.is_estimate, "whole": download.is_whole}
