"""The signature table: what a line of trouble looks like, and what it means. A new cause is one row.

`assets/tables/log_causes_*.toml`, one table a signature:

    code      the cause it points to; without one the signature is only a sign that others ask for
    score     how sure the cause is if nothing contradicts, 0..1
    key       lower-case words of which one must stand in the text before `match` is tried
    match     a regular expression; in it a space is any white space, `/` a run of slashes, `~` up to 300 characters of a line
    needs     signatures that must be there too; `a|b` is one of both
    without   signatures that must not be there
    also      other causes the same text can have, with their scores
    hides     causes that are only consequences of this one
    exact     true where spaces matter: not tried on a text whose spaces a picture lost
    role      cause, wrapper (the reason stands elsewhere), warning, trouble, benign
    source    where the meaning is written down
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

from app.resources import assets

Role = Literal["cause", "wrapper", "warning", "trouble", "benign"]

FAMILIES: Final = ("native", "packages", "gpu", "build", "system", "wsl", "vllm", "facts")

_COLUMNS: Final = frozenset({"code", "score", "key", "match", "needs", "without", "also", "hides", "exact", "role", "source"})


@dataclass(frozen=True, slots=True)
class Signature:
    """One row of the table. `needs` is a conjunction of alternatives."""

    id: str
    code: str | None = None
    score: float = 0.0
    keys: tuple[str, ...] = ()
    match: str | None = None
    needs: tuple[tuple[str, ...], ...] = ()
    without: tuple[str, ...] = ()
    also: Mapping[str, float] = field(default_factory=dict)
    hides: frozenset[str] = frozenset()
    exact: bool = False
    role: Role = "cause"
    source: str | None = None


@cache
def signatures() -> tuple[Signature, ...]:
    """All rows, in the order of the files. ValueError names a row that does not fit."""
    files = [f"log_causes_{family}" for family in FAMILIES] + ["log_signs"]
    rows = [_row(name, row) for file in files for name, row in _table(file).items()]
    return tuple(rows)


@cache
def by_id() -> Mapping[str, Signature]:
    return MappingProxyType({row.id: row for row in signatures()})


def _table(name: str) -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((assets() / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


def _row(name: str, row: Mapping[str, Any]) -> Signature:
    strange = row.keys() - _COLUMNS
    if strange:
        raise ValueError(f"signature {name}: unknown column {', '.join(sorted(strange))}")
    return Signature(
        id=name,
        code=row.get("code"),
        score=row.get("score", 0.0),
        keys=tuple(key.lower().strip() for key in row.get("key", ())),
        match=row.get("match"),
        needs=tuple(tuple(need.split("|")) for need in row.get("needs", ())),
        without=tuple(row.get("without", ())),
        also=row.get("also", {}),
        hides=frozenset(row.get("hides", ())),
        exact=row.get("exact", False),
        role=row.get("role", "cause"),
        source=row.get("source"),
    )


@cache
def pattern(match: str, is_loose: bool = False) -> re.Pattern[str]:
    """The compiled expression of a `match` column; a loose one does without spaces and underscores."""
    return re.compile(expand(match, is_loose), re.IGNORECASE)


_SHORT: Final = {" ": r"\s{1,80}", "/": r"[\\/]{1,4}", "~": r"[^\n]{0,300}?"}
_SHORT_OPTIONAL: Final = {" ": r"\s{0,80}", "/": r"[\\/]{0,4}", "~": r"[^\n]{0,300}?"}


_ESCAPED_OR_CLASS: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]")
_NAME: Final = re.compile(r"\(\?P[<=]\w{1,40}[>)]")
_LOOSE: Final = {" ": r"\s{0,80}", "/": r"[\\/ ]{1,5}", "~": r"[^\n]{0,300}?", "_": "[_ ]?"}


def expand(match: str, is_loose: bool = False) -> str:
    """Writes out the shorthand of a `match` column; inside `[...]` and after a backslash every character means itself."""
    short = _LOOSE if is_loose else _SHORT
    kept = _repeated(match) if is_loose else frozenset()
    parts: list[str] = []
    in_class = False
    position = 0
    while position < len(match):
        char = match[position]
        if name := _NAME.match(match, position):
            parts.append(name[0])
            position = name.end()
            continue
        if char == "\\":
            parts.append(match[position : position + 2])
            position += 2
            continue
        if in_class or char not in short or (is_loose and char == "_" and position in kept):
            in_class = (char == "[") or (in_class and char != "]")
            parts.append(char)
        elif match[position + 1 : position + 2] == "?":
            parts.append(_SHORT_OPTIONAL.get(char, "[_ ]?"))
            position += 1
        elif char == " " and match[position + 1 : position + 2] == "{":
            parts.append(r"\s")
        else:
            parts.append((_SHORT if position in kept else short)[char])
        position += 1
    return "".join(parts)


def _repeated(match: str) -> frozenset[int]:
    """The places inside groups that repeat: with loose spaces such a group could match in countless ways."""
    places: set[int] = set()
    opened: list[int] = []
    bare = _ESCAPED_OR_CLASS.sub(lambda part: "x" * len(part[0]), match)
    for position, char in enumerate(bare):
        if char == "(":
            opened.append(position)
        elif char == ")" and opened:
            start = opened.pop()
            if bare[position + 1 : position + 2] in {"{", "*", "+"}:
                places.update(range(start, position))
    return frozenset(places)


GATES: Final = (
    b"rror",
    b"fail",
    b"xception",
    b"warn",
    b"fatal",
    b"no module",
    b"not ",
    b"can't",
    b"unable",
    b"invalid",
    b"unsupported",
    b"require",
    b"refused",
    b"denied",
    b"block",
    b"killed",
    b"0x",
    b"wsl",
    b"lnk",
    b"+cpu",
    b"sm_",
    b"codec",
    b"too old",
    b"stopped",
)
"""Words of which one stands in nearly every line that matters; what a long text is searched for first."""
