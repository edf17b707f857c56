"""What a picture reader or a careless copy did to a text: letters mistaken for others, words cut in two, digits in codes read as letters."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from app.diagnosis.logs.reading import NumberedLine
from app.diagnosis.logs.signatures import signatures

_LOOKALIKE: Final = str.maketrans(
    {"1": "l", "i": "l", "|": "l", "!": "l", "0": "o", "5": "s", "8": "b", "\u0131": "l", "\u0456": "l", "\u043e": "o", "\u0430": "a", "\u0435": "e"}
)
_WORD: Final = re.compile(r"[A-Za-z0-9|!\u0131\u0430\u0435\u043e\u0456]{3,24}")
_CUT_WORD: Final = re.compile(r"(?<![A-Za-z])([A-Za-z]{1,20}) (?=([A-Za-z]{1,20})(?![A-Za-z]))")

_DIGIT: Final = str.maketrans({"O": "0", "o": "0", "Q": "0", "D": "0", "l": "1", "I": "1", "|": "1", "i": "1", "S": "5", "Z": "2", "B": "8"})
# Codes whose places are digits for certain, and hexadecimal ones, in which B and D are digits of their own.
_CODE: Final = re.compile(
    r"(?P<before>\b(?:WinError|Errno|os error|exit code|exit status) |\b(?:LNK|sm_|compute_|python3)|\bC(?=1[0-9OoQDlI|iSZB]{3}\b))"
    r"(?P<code>[0-9OoQDlI|iSZB]{1,10})(?![A-Za-z])"
)
_HEX: Final = re.compile(r"(?<![A-Za-z0-9])[0OoQ][xX] ?(?P<code>[0-9A-Fa-fOoQlIiSZ|]{7,8}|[0-9A-Fa-fOoQlIiSZ|]{1,7} [0-9A-Fa-fOoQlIiSZ|]{1,7})(?![A-Za-z0-9])")
_HEX_DIGIT: Final = str.maketrans({"O": "0", "o": "0", "Q": "0", "l": "1", "I": "1", "|": "1", "i": "1", "S": "5", "Z": "2", " ": None})

_LETTERS: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{4,24}(?![A-Za-z])")
_COMMON: Final = frozenset(
    word
    for words in (
        ("error", "failed", "while", "importing", "import", "module", "named", "specified", "could", "found", "runtime", "warning", "cannot"),
        ("open", "include", "system", "access", "denied", "traceback", "from", "site", "packages", "file", "line", "fatal", "utils", "collect"),
        ("dll", "pip", "lib", "pyd", "hip", "nvcuda", "python", "wsl", "wsl2", "wslconfig", "ssl", "cli", "vllm", "nvml", "nccl", "kernel32"),
        ("old", "until", "only", "will", "with", "valid", "symbolic", "kernel", "executable", "applications", "localhost", "windows", "program"),
        ("install", "installed", "bfloat"),
    )
    for word in words
)
_SHORTEST_JOINED: Final = 5
_HEX_LENGTH: Final = 8


def read_again(lines: list[NumberedLine], vocabulary: frozenset[str]) -> list[NumberedLine]:
    """The lines with words and codes that a picture reader got wrong put right.

    A word is put right if it is not a known one but looks like one (`fai1ed`, `1mporting`) or is one cut in two (`fai led`).
    """
    by_shape = _by_shape(vocabulary)

    def right(match: re.Match[str]) -> str:
        word = match[0]
        known = by_shape.get(shape(word))
        return word if known is None or word.lower() in vocabulary else known

    def joined(match: re.Match[str]) -> str:
        first, second = match[1].lower(), match[2].lower()
        whole = first + second
        is_cut = len(whole) >= _SHORTEST_JOINED and whole in vocabulary and not (first in vocabulary and second in vocabulary)
        return match[1] if is_cut else match[0]

    def mended(text: str) -> str:
        text = _CODE.sub(lambda match: match["before"] + match["code"].translate(_DIGIT), text)
        text = _HEX.sub(_hexadecimal, text)
        return _CUT_WORD.sub(joined, _WORD.sub(right, text))

    return [NumberedLine(line.number, mended(line.text)) for line in lines]


@cache
def _by_shape(vocabulary: frozenset[str]) -> Mapping[str, str]:
    return {shape(word): word for word in sorted(vocabulary, reverse=True)}


def _hexadecimal(match: re.Match[str]) -> str:
    digits = match["code"].translate(_HEX_DIGIT)
    return f"0x{digits}" if len(digits) == _HEX_LENGTH else match[0]


def shape(word: str) -> str:
    """What a word looks like to a picture reader: letters and digits that are mistaken for each other become one."""
    return word.lower().translate(_LOOKALIKE).replace("rn", "m").replace("vv", "w").replace("cl", "d")


@cache
def vocabulary() -> frozenset[str]:
    """The words of all signatures: what a damaged word is most likely meant to be."""
    words = {word.lower() for row in signatures() for text in (*row.keys, row.match or "") for word in _LETTERS.findall(text)}
    return frozenset(words) | _COMMON
