"""Environments that this program had set up and that something else has changed since, such as the update of an app."""

from collections.abc import Mapping

from app.model.completion import Completion
from app.model.facts import MachineFacts
from app.model.findings import Finding, Remedy, Severity
from app.model.text import Text
from app.model.unknown import known


def find_changed(facts: MachineFacts, completions: Mapping[str, Completion]) -> tuple[Finding, ...]:
    """One finding for each such environment; nothing where all that we put in is still there in the same versions."""
    findings = []
    for number, python in enumerate(known(facts.pythons, ())):
        completion, packages = completions.get(python.executable), known(python.packages, None)
        if completion is None or packages is None:
            continue
        changed = [name for name, before in sorted(completion.packages.items()) if packages.get(name) != before]
        if changed:
            changes = ", ".join(f"{name} {completion.packages[name]} → {packages.get(name, '–')}" for name in changed)
            text = Text("finding.changed-since", {"environment": python.executable, "date": completion.time[:10], "changes": changes})
            evidence = tuple(f"pythons[{number}].packages.{name}" for name in changed)
            remedy = Remedy("plan-again", Text("finding.changed-since-remedy"), automatic=True)
            findings.append(Finding("resolver-conflict", Severity.WARNING, text, evidence, remedy))
    return tuple(findings)
