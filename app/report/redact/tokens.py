"""Tokens that stand for what was taken out: the same thing always gets the same one, and it keeps the shape that matters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

KINDS: Final = ("USER", "HOST", "DOMAIN", "ORG", "NAME", "EMAIL", "IP", "MAC", "ID", "SECRET", "LOGIN", "PART", "VALUE")
_SHAPED: Final = frozenset({"USER", "ORG", "NAME", "PART"})
_SPECIAL: Final = "&'()!^,+[]{}$"
LONG: Final = 12
"""From this length on a token is as long as what it stands for, because paths have limits."""

TOKEN: Final = re.compile(rf"\b(?P<kind>{'|'.join(KINDS)})[- ](?P<number>\d+)[é文ж]?[{re.escape(_SPECIAL)}]*_*")


class Tokens:
    """Gives out tokens by kind and remembers what they stand for.

    A token is `KIND-number`. For names in paths it shows what makes paths fail: a space, a sign outside ASCII (é, 文 or ж by
    script), signs that shells treat specially, and the length where it is long.
    """

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._last: Counter[str] = Counter()

    def reserve(self, text: str) -> None:
        """Numbers that stand in a text already, because it was redacted before, are not given out again."""
        for match in TOKEN.finditer(text):
            self._last[match["kind"]] = max(self._last[match["kind"]], min(int(match["number"][:9]), 10**9))

    def get(self, kind: str, original: str) -> str:
        """The token for `original`; case and Unicode form do not matter."""
        key = (kind, unicodedata.normalize("NFC", original).casefold())
        token = self._given.get(key)
        if token is None:
            self._last[kind] += 1
            token = self._given[key] = _shaped(kind, self._last[kind], original) if kind in _SHAPED else f"{kind}-{self._last[kind]}"
        return token

    def same(self, kind: str, original: str, token: str) -> None:
        """Makes `original` another writing of what `token` stands for."""
        self._given.setdefault((kind, unicodedata.normalize("NFC", original).casefold()), token)


def _shaped(kind: str, number: int, original: str) -> str:
    text = unicodedata.normalize("NFC", original)
    script = next((_mark(letter) for letter in text if not letter.isascii()), "")
    special = "".join(sorted({letter for letter in text if letter in _SPECIAL}))
    token = f"{kind}{' ' if ' ' in text else '-'}{number}{script}{special}"
    return token.ljust(len(text), "_") if len(text) >= LONG else token


def _mark(letter: str) -> str:
    name = unicodedata.name(letter, "")
    if name.startswith("CYRILLIC"):
        return "ж"
    return "文" if name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH")) else "é"


def is_ideographic(name: str) -> bool:
    """Whether a name is written in signs of which two are a whole name."""
    return all(_mark(letter) == "文" for letter in name if not letter.isascii()) and not name.isascii()


def hidden_things(texts: Iterable[str]) -> Mapping[str, int]:
    """How many different things the tokens in some texts stand for, by kind."""
    found = {(match["kind"], match["number"]) for text in texts for match in TOKEN.finditer(text)}
    return dict(sorted(Counter(kind for kind, _ in found).items()))


def is_token(name: str) -> bool:
    """Whether a name in a path is a token, perhaps with a suffix."""
    return TOKEN.match(name) is not None
