"""What each cause code means to the person: its texts, its remedy and where to read more.

`assets/tables/log_remedies.toml` has one table a code: `steps` are sentences `cause.step.*`, `automatic` says that a plan of ours
does it, `sources` are public pages. Title, explanation and check are `cause.CODE.title`, `.explanation`, `.verify`.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from app.diagnosis.logs.matching import Matches
from app.diagnosis.logs.ranking import RankedCause
from app.model.findings import LogFinding, LogRemedy
from app.model.text import Text
from app.resources import assets


@cache
def remedies() -> Mapping[str, Mapping[str, Any]]:
    """The remedy table, by cause code."""
    return tomllib.loads((assets() / "tables" / "log_remedies.toml").read_text(encoding="utf-8"))


def finding(cause: RankedCause, matches: Matches) -> LogFinding:
    """The finding of a ranked cause, with the lines that prove it and texts for the person."""
    row = remedies()[cause.code]
    lines = tuple(dict.fromkeys(line for match in cause.matches for line in match.lines))
    sources = [match.signature.source for match in cause.matches if match.signature.source and match.signature.code == cause.code]
    named = {name: value for name, value in matches.parts.items() if name in row.get("parts", ())}
    return LogFinding(
        code=cause.code,
        confidence=cause.confidence,
        title=Text(f"cause.{cause.code}.title", named),
        explanation=Text(f"cause.{cause.code}.explanation", named),
        lines=tuple(sorted(lines))[:12],
        remedy=LogRemedy(cause.code, tuple(Text(f"cause.step.{step}") for step in row["steps"]), row["automatic"]),
        verify=Text(f"cause.check.{row['check']}"),
        sources=tuple(dict.fromkeys([*sources, *row["sources"]])),
    )
