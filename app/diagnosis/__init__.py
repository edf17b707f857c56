"""Names causes: from machine facts (`find_causes`) and from logs (`app.diagnosis.logs`)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.model.completion import Completion
    from app.model.facts import MachineFacts
    from app.model.findings import Finding
    from app.model.plan import Choice
    from app.tables import Tables


def find_causes(facts: "MachineFacts", tables: "Tables", choice: "Choice | None" = None) -> "tuple[Finding, ...]":
    """Every cause that the facts alone can tell; see `app.diagnosis.facts`. Imported when asked: naming a log's cause needs no tables."""
    from app.diagnosis.facts import find_causes as find

    return find(facts, tables, choice)


def find_changed(facts: "MachineFacts", completions: "Mapping[str, Completion]") -> "tuple[Finding, ...]":
    """Environments of ours that something else has changed since; see `app.diagnosis.facts.changed`."""
    from app.diagnosis.facts.changed import find_changed as find

    return find(facts, completions)
