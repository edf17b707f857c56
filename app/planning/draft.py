"""What one route would do, before the routes are compared."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.model.findings import Finding, Severity
from app.model.plan import Option, PackageChange, PlannedPython, Reason, RouteKind, RouteStatus, Step
from app.model.text import Param, Text
from app.planning.work import Work


@dataclass(frozen=True, slots=True)
class Draft:
    """The plan of a route. `needs`: why the person must act first; `impossible`: why it cannot be. `notes` say why it is as it is.

    `work` is what the packages of the environment come to, `has_pip` whether its Python has pip.
    """

    route: RouteKind
    findings: tuple[Finding, ...] = ()
    python: PlannedPython | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    keeps: tuple[str, ...] = ()
    changes: tuple[PackageChange, ...] = ()
    options: tuple[Option, ...] = ()
    disk_bytes: int = 0
    needs: tuple[Reason, ...] = ()
    impossible: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()
    summary: Text | None = None
    work: Work | None = None
    has_pip: bool = False

    @property
    def status(self) -> RouteStatus:
        if self.impossible:
            return RouteStatus.IMPOSSIBLE
        if self.needs or any(finding.severity is Severity.BLOCKER for finding in self.findings):
            return RouteStatus.NEEDS_ACTION
        return RouteStatus.READY

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the route has its status: what forbids it, else what it waits for, and what speaks for it."""
        if self.impossible:
            return self.impossible
        blockers = tuple(Reason(finding.code, finding.text) for finding in self.findings if finding.severity is Severity.BLOCKER)
        return unique((*self.needs, *blockers, *(replace(note, is_note=True) for note in self.notes)))


def reason(code: str, **params: Param) -> Reason:
    return Reason(code, Text(f"route.{code}", params))


def refused(route: RouteKind, *reasons: Reason, findings: tuple[Finding, ...] = ()) -> Draft:
    return Draft(route, findings=findings, impossible=reasons)


def unique(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Each code once, the first wins."""
    return tuple({one.code: one for one in reversed(tuple(reasons))}.values())[::-1]


def regrade(finding: Finding, severity: Severity) -> Finding:
    return replace(finding, severity=severity)
