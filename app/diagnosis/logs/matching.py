"""Holds the signatures against a text."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Final

from app.diagnosis.logs.reading import NumberedLine
from app.diagnosis.logs.signatures import Signature, pattern, signatures

_MATCHES_PER_SIGNATURE: Final = 6
SHORT_TEXT: Final = 1 << 15
"""Characters up to which every expression is tried on the whole text."""

_NEAR: Final = 1000
_FAR: Final = 4500
_PLACES: Final = 8
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
    """Lines as one searchable string that still knows its line numbers.

    A loose text is one that lost spaces and underscores, as pictures do: keys and expressions find it without them.
    """

    def __init__(self, lines: list[NumberedLine], is_loose: bool = False) -> None:
        self.text = "\n".join(line.text for line in lines)
        self._numbers = [line.number for line in lines]
        self._starts = list(accumulate((len(line.text) + 1 for line in lines), initial=0))[:-1]
        self.flat = self.text.lower().replace("\n", " ")
        """Lower case on one line, character for character: key words are found across wraps, at the same offsets."""
        self.is_loose = is_loose
        self._squeezed = self.flat.replace(" ", "").replace("_", "") if is_loose else self.flat
        self._words = " ".join(dict.fromkeys(self.flat.split())) if len(self.flat) > SHORT_TEXT else self.flat

    def has(self, key: str) -> bool:
        """Whether the text holds the key; in a long text its single words are looked up first, most of which it never has."""
        if self.is_loose:
            return _squeezed(key) in self._squeezed
        if self._words is not self.flat and max(key.split(), key=len) not in self._words:
            return False
        return key in self.flat

    def parts(self, keys: tuple[str, ...], reach: int) -> Iterator[tuple[int, int]]:
        """Where an expression is worth trying: all of a short text, in a long one the surroundings of the first and last key words."""
        if len(self.text) <= SHORT_TEXT:
            yield 0, len(self.text)
            return
        places: list[int] = []
        for key in keys:
            if self.has(key):
                places += self._places(key)
        places = sorted(set(places))
        end = 0
        for place in places[:_PLACES] + places[max(_PLACES, len(places) - _PLACES) :]:
            if place >= end:
                start, end = max(end, place - reach), place + reach
                yield start, end

    def _places(self, key: str) -> list[int]:
        places: list[int] = []
        at = self.flat.find(key)
        while at >= 0 and len(places) < _PLACES:
            places.append(at)
            at = self.flat.find(key, at + _NEAR)
        last = self.flat.rfind(key)
        return [*places, last] if places and last > places[-1] else places

    def lines(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The line numbers of a part of the text."""
        first, last = self._number(start), self._number(max(start, end - 1))
        return ((first, last),) if last - first < _LONGEST_PROOF else ((first, first), (last, last))

    def numbers(self, start: int, end: int) -> frozenset[int]:
        """The number of every line of a part of the text."""
        first, last = bisect_right(self._starts, start) - 1, bisect_right(self._starts, max(start, end - 1)) - 1
        return frozenset(self._numbers[first : last + 1])

    def count_lines(self) -> int:
        return len(self._numbers)

    def _number(self, offset: int) -> int:
        return self._numbers[bisect_right(self._starts, offset) - 1]


@cache
def _squeezed(key: str) -> str:
    return key.replace(" ", "").replace("_", "")


def find_matches(texts: list[Text], tags: Mapping[str, bool]) -> Matches:
    """All signatures that the texts bear. `tags` are signs that something else has found, such as machine facts."""
    matches = Matches({name: Match(Signature(name)) for name, is_set in tags.items() if is_set})
    waiting: list[tuple[Signature, Match | None]] = []
    for signature in signatures():
        if signature.role in {"trouble", "benign"}:
            continue
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
        if (text.is_loose and signature.exact) or not any(text.has(key) for key in signature.keys):
            continue
        if signature.match is None:
            return Match(signature)
        spans: list[tuple[int, int]] = []
        for start, end in text.parts(signature.keys, _reach(signature.match)):
            for match in pattern(signature.match, text.is_loose).finditer(text.text, start, end):
                spans.append(match.span())
                for name, value in match.groupdict().items():
                    if value:
                        parts.setdefault(name, value)
                if len(spans) >= _MATCHES_PER_SIGNATURE:
                    break
            if len(spans) >= _MATCHES_PER_SIGNATURE:
                break
        if spans:
            lines = tuple(dict.fromkeys(line for start, end in spans for line in text.lines(start, end)))
            return Match(signature, lines, spans[0][0])
    return None


def _reach(match: str) -> int:
    """How far from a key word an expression can stretch: over many lines, or within one."""
    return _FAR if r"[\s\S]" in match else _NEAR


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
