"""Makes findings: a code, how bad it is, the facts that show it, and what cures it."""

from app.model.findings import Finding, Remedy, Severity
from app.model.text import Param, Text


def automatic(code: str, variant: str = "remedy") -> tuple[str, bool, str]:
    """A remedy that the plan carries out with the person's consent."""
    return code, True, variant


def manual(code: str, variant: str = "remedy") -> tuple[str, bool, str]:
    """A remedy that only the person can carry out."""
    return code, False, variant


def found(code: str, severity: Severity, *evidence: str, remedy: tuple[str, bool, str] | None = None, variant: str = "text", **params: Param) -> Finding:
    """A finding in the words `finding.<code>.<variant>`, its remedy in `finding.<code>.<variant of the remedy>`."""
    cure = Remedy(remedy[0], Text(f"finding.{code}.{remedy[2]}", params), remedy[1]) if remedy else None
    return Finding(code, severity, Text(f"finding.{code}.{variant}", params), evidence, cure)
