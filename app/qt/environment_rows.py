"""The environments that are offered, as rows: the recommendation first, then by app. Pure; no widget here."""

from dataclasses import dataclass

from app.model.plan import Choice
from app.qt.parts.chip import ChipLook


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


def grouped(rows: tuple[EnvironmentRow, ...]) -> tuple[tuple[str, tuple[EnvironmentRow, ...]], ...]:
    """Rows by group in the order in which the groups come; the recommendation is a group of its own, without a name."""
    groups: dict[str, list[EnvironmentRow]] = {}
    for row in rows:
        groups.setdefault("" if row.is_recommended else row.group, []).append(row)
    ordered = sorted(groups.items(), key=lambda entry: entry[0] != "")
    return tuple((name, tuple(members)) for name, members in ordered)
