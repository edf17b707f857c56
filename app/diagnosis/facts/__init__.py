"""Facts to findings: what is wrong or worth knowing on a machine, one module a family. Pure; unknown facts claim nothing."""

from app.diagnosis.facts import cards, pythons, system, toolchain, vllm, wsl
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.plan import Choice
from app.tables import Tables

_ORDER = {Severity.BLOCKER: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def find_causes(facts: MachineFacts, tables: Tables, choice: Choice | None = None) -> tuple[Finding, ...]:
    """All causes that the facts alone show, the gravest first. Those of one Python have evidence that begins with `pythons[n]`.

    `choice` says what is wanted: without SageAttention among the goals nothing is said about it.
    """
    wanted = choice or Choice()
    found = [
        *cards.find(facts, tables),
        *system.find(facts, tables),
        *pythons.find(facts, tables, wanted),
        *toolchain.find(facts, wanted),
        *wsl.find(facts, tables),
        *vllm.find(facts, tables, wanted),
    ]
    return tuple(sorted(found, key=lambda finding: _ORDER[finding.severity]))
