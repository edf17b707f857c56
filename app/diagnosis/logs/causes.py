"""What each cause code means to the person: its texts, its remedy and where to read more.

`assets/tables/log_remedies.toml` has one table a code: `steps` are sentences `cause.step.*`, `automatic` says that a plan of ours
does it, `sources` are public pages. Title, explanation and check are `cause.CODE.title`, `.explanation`, `.verify`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from app.diagnosis.logs.matching import Matches
from app.diagnosis.logs.ranking import RankedCause
from app.model.findings import LogFinding, LogRemedy
from app.model.text import Text
from app.resources import assets

_MOST_LINES: Final = 12


@cache
def remedies() -> Mapping[str, Mapping[str, Any]]:
    """The remedy table, by cause code."""
    return tomllib.loads((assets() / "tables" / "log_remedies.toml").read_text(encoding="utf-8"))


def finding(cause: RankedCause, matches: Matches) -> LogFinding:
    """The finding of a ranked cause, with the lines that prove it and texts for the person."""
    row = remedies()[cause.code]
    lines = {line for match in cause.matches for line in match.lines}
    sources = [match.signature.source for match in cause.matches if match.signature.source and match.signature.code == cause.code]
    named = {name: value for name, value in matches.parts.items() if name in row.get("parts", ())}
    return LogFinding(
        code=cause.code,
        confidence=cause.confidence,
        title=Text(f"cause.{cause.code}.title", named),
        explanation=Text(f"cause.{cause.code}.explanation", named),
        lines=merged(lines)[:_MOST_LINES],
        remedy=LogRemedy(cause.code, tuple(Text(f"cause.step.{step}") for step in row["steps"]), row["automatic"]),
        verify=Text(f"cause.check.{row['check']}"),
        sources=tuple(dict.fromkeys([*sources, *row["sources"]])),
    )


def merged(lines: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ranges of line numbers in order, those that touch or overlap as one."""
    whole: list[tuple[int, int]] = []
    for first, last in sorted(lines):
        if whole and first <= whole[-1][1] + 1:
            whole[-1] = (whole[-1][0], max(last, whole[-1][1]))
        else:
            whole.append((first, last))
    return tuple(whole)
