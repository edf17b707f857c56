"""Which findings belong to a plan, and how grave they are for it."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from app.model.findings import Finding, Remedy, Severity
from app.model.plan import TorchChange
from app.model.text import Text
from app.planning.draft import regrade
from app.planning.situation import Situation
from app.planning.target import Target
from app.planning.work import Work

_PLACE: Final = re.compile(r"pythons\[(\d+)\]")
_OF_TORCH: Final = frozenset({"torch-cpu-only", "triton-torch-mismatch", "gpu-too-new", "gpu-too-old", "wheel-not-published"})
_ONLY_FOR_WORK: Final = frozenset({"file-locked", "permission-denied", "network-failed", "proxy-failed", "pip-missing"})
_BUILD: Final = frozenset({"build-msvc-missing", "windows-sdk-missing", "build-llvm-missing"})


def place_of(finding: Finding) -> int | None:
    """The Python that a finding is about, by its place in the facts; None for one about the machine."""
    return next((int(match[1]) for evidence in finding.evidence if (match := _PLACE.match(evidence))), None)


def is_of_another_route(finding: Finding) -> bool:
    """WSL and build tools matter only where the plan goes that way."""
    return is_of_wsl(finding) or finding.code in _BUILD


def is_of_wsl(finding: Finding) -> bool:
    """Also where wsl.exe reports what has a code of its own, such as a full drive or a policy."""
    return finding.code.startswith("wsl-") or any(evidence.startswith("wsl.") for evidence in finding.evidence)


def findings_for(case: Situation, findings: Iterable[Finding], target: Target, work: Work, *, has_work: bool) -> tuple[Finding, ...]:
    """The findings of a plan in one environment: the machine's, its own, and why a nearby Python is not taken."""
    own = target.standing.place if target.standing else None
    rejected = target.rejected.place if target.rejected else None
    kept = []
    for finding in findings:
        place = place_of(finding)
        if is_of_another_route(finding):
            continue
        if place is None or (finding.code == "store-alias" and own is None):
            kept.append(finding)
        elif place == own and not (work.replaces_torch and finding.code in {"driver-too-old", "gpu-hidden"}):
            kept.append(_own(case, finding, work))
        elif place == rejected and not _is_of_work_to_come(finding):
            is_named = target.trouble in {"named-unusable", "folder-taken"}
            kept.append(regrade(finding, Severity.WARNING) if finding.severity is Severity.BLOCKER and not is_named else finding)
    kept += work.extra
    if not has_work:
        kept = [_without_work(finding) for finding in kept]
    return tuple(kept)


def _without_work(finding: Finding) -> Finding:
    """Where nothing is installed, what would only stand in the way asks nothing of the person, and no step of ours keeps anything out."""
    if finding.code in _ONLY_FOR_WORK:
        return replace(finding, severity=Severity.NOTE, remedy=None)
    if finding.code == "user-site-shadow":
        return replace(finding, remedy=Remedy("start-without-user-site", Text("finding.user-site-shadow.by-hand"), automatic=False))
    return finding


def _is_of_work_to_come(finding: Finding) -> bool:
    """What is only missing so far; nothing of it is done in a Python that is not taken."""
    return finding.severity is Severity.NOTE and any(".packages" in evidence for evidence in finding.evidence)


def _own(case: Situation, finding: Finding, work: Work) -> Finding:
    """A torch that the person lets us replace is no blocker any more."""
    consents = case.choice.torch_change is TorchChange.REPLACE and work.replaces_torch
    if consents and finding.code in _OF_TORCH and finding.severity is Severity.BLOCKER:
        return regrade(finding, Severity.WARNING)
    return finding
