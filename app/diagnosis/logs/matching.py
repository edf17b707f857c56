"""Holds the signatures against a text."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.diagnosis.logs.reading import NumberedLine
from app.diagnosis.logs.signatures import Signature, pattern, signatures

_MATCHES_PER_SIGNATURE: Final = 6
_LONGEST_PROOF: Final = 12
"""A match over more lines than this is proved by its first and last line."""


@dataclass(frozen=True, slots=True)
class Match:
    """A signature found. `lines` are first and last line numbers; `offset` orders matches within the text."""

    signature: Signature
    lines: tuple[tuple[int, int], ...] = ()
    offset: int = 0


@dataclass(slots=True)
class Matches:
    """Everything found in a text, by signature, and the named parts the expressions caught."""

    found: dict[str, Match] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.found

    def has(self, alternatives: Iterable[str]) -> bool:
        return any(name in self.found for name in alternatives)


class Text:
    """Lines as one searchable string that still knows its line numbers."""

    def __init__(self, lines: list[NumberedLine]) -> None:
        self.text = "\n".join(line.text for line in lines)
        self._numbers = [line.number for line in lines]
        self._starts: list[int] = []
        position = 0
        for line in lines:
            self._starts.append(position)
            position += len(line.text) + 1
        self.flat = " ".join(self.text.lower().split())
        """Lower case with all white space single, for the search of key words across wraps."""

    def lines(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The line numbers of a part of the text."""
        first, last = self._number(start), self._number(max(start, end - 1))
        return ((first, last),) if last - first < _LONGEST_PROOF else ((first, first), (last, last))

    def _number(self, offset: int) -> int:
        return self._numbers[bisect_right(self._starts, offset) - 1]


def find_matches(texts: list[Text], tags: Mapping[str, bool]) -> Matches:
    """All signatures that the texts bear. `tags` are signs that something else has found, such as machine facts."""
    matches = Matches({name: Match(Signature(name)) for name, is_set in tags.items() if is_set})
    waiting: list[tuple[Signature, Match | None]] = []
    for signature in signatures():
        match = _search(signature, texts, matches.parts) if signature.keys else None
        if signature.keys and match is None:
            continue
        if signature.needs or signature.without:
            waiting.append((signature, match))
        elif match is not None:
            matches.found[signature.id] = match
    _settle(waiting, matches)
    return matches


def _search(signature: Signature, texts: list[Text], parts: dict[str, str]) -> Match | None:
    for text in texts:
        if not any(key in text.flat for key in signature.keys):
            continue
        spans: list[tuple[int, int]] = []
        if signature.match is None:
            return Match(signature)
        for match in pattern(signature.match).finditer(text.text):
            spans.append(match.span())
            for name, value in match.groupdict().items():
                if value:
                    parts.setdefault(name, value)
            if len(spans) == _MATCHES_PER_SIGNATURE:
                break
        if spans:
            lines = tuple(dict.fromkeys(line for start, end in spans for line in text.lines(start, end)))
            return Match(signature, lines, spans[0][0])
    return None


def _settle(waiting: list[tuple[Signature, Match | None]], matches: Matches) -> None:
    """Decides the rows with conditions: what is asked for first, what must be absent afterwards, until nothing moves."""
    open_rows = waiting
    for _ in range(4):
        rest = []
        for signature, match in open_rows:
            absent_open = {row.id for row, _ in open_rows if row is not signature}
            if all(matches.has(alternatives) for alternatives in signature.needs) and not absent_open.intersection(signature.without):
                if not matches.has(signature.without):
                    matches.found[signature.id] = match or _borrowed(signature, matches)
            else:
                rest.append((signature, match))
        if len(rest) == len(open_rows):
            break
        open_rows = rest
    for signature, match in open_rows:
        if all(matches.has(alternatives) for alternatives in signature.needs) and not matches.has(signature.without):
            matches.found[signature.id] = match or _borrowed(signature, matches)


def _borrowed(signature: Signature, matches: Matches) -> Match:
    """A row without an expression of its own is proved by the lines of what it asked for."""
    proofs = [matches.found[name] for alternatives in signature.needs for name in alternatives if name in matches.found]
    lines = tuple(dict.fromkeys(line for proof in proofs for line in proof.lines))
    return Match(signature, lines[:8], min((proof.offset for proof in proofs if proof.lines), default=0))
