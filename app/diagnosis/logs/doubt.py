"""How far a text is to be taken for what one of our programs printed: guides, listings, questions and other programs' logs name the same errors.

`assets/tables/log_doubt.toml`, `log_talk.toml` and the rows `foreign-program` and `own-field` of `log_signs.toml` say what tells them.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Final

from app.diagnosis.logs.matching import Matches, Text
from app.diagnosis.logs.signatures import pattern
from app.resources import assets

IN_DOUBT: Final = 0.5
"""What a doubtful text leaves of a confidence: no cause of it is sure."""

_MOST_LINES: Final = 400
"""A longer text is a file that a program wrote."""

_BLOCK_REACH: Final = 2000
_GUIDE_SENTENCES: Final = 2
_SOURCE_SHARE: Final = 0.4
_QUESTION_LINES: Final = 12
_CHANGES: Final = 3
_TALK_LINES: Final = 10


def certainty(text: Text, matches: Matches) -> float:
    """1 for a log or a report, `IN_DOUBT` for a text that only speaks of errors or is of another field."""
    foreign = "foreign-program" in matches and "own-field" not in matches
    return IN_DOUBT if foreign or any(shows(text) for shows in (_is_guide, _is_source, _is_question, _is_change_list)) else 1.0


def benign_lines(text: Text) -> frozenset[int]:
    """The numbers of lines that belong to an announcement that only looks like trouble, with the traceback it shows."""
    key, block = _table()["benign_key"], pattern(_table()["benign_block"])
    if not text.has(key):
        return frozenset()
    spans = (match.span() for start, end in text.parts((key,), _BLOCK_REACH) for match in block.finditer(text.text, start, end))
    return frozenset(number for start, end in spans for number in text.numbers(start, end))


def is_talk(text: Text) -> bool:
    """Whether a few words of a person in trouble are all there is: no program printed any of it, so there is nothing to tell a cause from."""
    if text.count_lines() > _TALK_LINES or pattern(_talk()["structure"]).search(text.text):
        return False
    return pattern(_talk()["complaint"]).search(text.text) is not None


def _is_guide(text: Text) -> bool:
    """Whether two or more sentences tell a reader what to do if an error is met."""
    return text.count_lines() <= _MOST_LINES and _count("guide_sentence", text) >= _GUIDE_SENTENCES


def _is_source(text: Text) -> bool:
    """Whether a good part of the lines is code, and nothing shows that it ran."""
    lines = text.count_lines()
    if not 3 <= lines <= _MOST_LINES or _count("source_ran", text):
        return False
    return _count("source_line", text) >= max(3, lines * _SOURCE_SHARE)


def _is_question(text: Text) -> bool:
    """Whether somebody asks about an error in general: nothing says that it was met, and no program printed a line."""
    return text.count_lines() <= _QUESTION_LINES and _has("question", text) and not _has("met", text) and not _has("printed", text)


def _is_change_list(text: Text) -> bool:
    """Whether the text tells what a new version changed."""
    return text.count_lines() <= _MOST_LINES and _count("change", text) >= _CHANGES and not _has("printed", text)


def _has(name: str, text: Text) -> bool:
    return pattern(_table()[name]).search(text.text) is not None


def _count(name: str, text: Text) -> int:
    return sum(1 for _ in pattern(_table()[name]).finditer(text.text))


@cache
def _table() -> Mapping[str, str]:
    return tomllib.loads((assets() / "tables" / "log_doubt.toml").read_text(encoding="utf-8"))


@cache
def _talk() -> Mapping[str, str]:
    return tomllib.loads((assets() / "tables" / "log_talk.toml").read_text(encoding="utf-8"))
