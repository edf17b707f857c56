"""Decoded lines to lines that signatures can be held against: colours, entities, wraps and reading damage taken out."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from app.diagnosis.logs.reading import NumberedLine

_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[ -/]{0,2}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
# Copied terminals lose the escape character and keep the rest.
_ORPHAN_COLOUR: Final = re.compile(r"(?:\^|\u2190|\\x1b|\\u001b|\\e|\\033)?(?:\[\d{1,3}(?:;\d{1,3}){0,4}m|\[m(?![a-z\]]))")
# Times, levels, names of containers and workers, and quotation marks that programs and forums put before a line.
_PREFIX: Final = re.compile(
    r"\s{0,40}(?:"
    r"[\w.-]{1,40} {0,20}\| (?!\s{0,4}\d)"
    r"|(?-i:[A-Z][a-z]{2}) [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,60} [\w./@-]{1,40}(?:\[\d{1,7}\])?: "
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?(?: - |[: ]\s{0,4})(?:(?-i:ERROR|CRITICAL|FATAL) - )?"
    r"|(?-i:ERROR|CRITICAL):[\w.]{1,40}:"
    r"|\[!\]\s?|\[\d\d:\d\d:\d\d\]\s|[>|\u2502]\s(?!\s{0,4}\d))"
)
# Workers say who they are on every line; once is enough.
_WORKER: Final = re.compile(r"\(\w{1,30}(?: \w{1,10}=\w{1,10})? pid=\d{1,7}\) (?:ERROR \d\d-\d\d \d\d:\d\d:\d\d (?:\[[\w.]{1,40}:\d{1,5}\] )?)?")
_COUNT: Final = re.compile(r"\s{0,6}(\d{1,5})[:.)|]?(?:\s{1,2}|$)")
_FEWEST_COUNTED: Final = 2
_SPACES: Final = re.compile(r"[ \t\f\v]+")
_ENTITY: Final = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp|lsquo|rsquo|ldquo|rdquo);")
_BREAK: Final = re.compile(r"<br\s{0,3}/?>|</?(?:p|div|pre|code|span|b|i|em|strong|tt|td|tr|li)(?:\s[^<>\n]{0,200})?>", re.IGNORECASE)
_NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "lsquo": "'", "rsquo": "'", "ldquo": '"', "rdquo": '"'}

_PLAIN: Final = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\x00"), None),
    # Its lower case has two characters; positions must stay.
    ord("\u0130"): "I",
    ord("\uff1a"): ":",
    ord("\uff0c"): ",",
    ord("\uff08"): "(",
    ord("\uff09"): ")",
}

SHORTEST_WRAP: Final = 40
LONGEST_WRAP: Final = 240
_SHORT_PASTE: Final = 8


def plain_lines(lines: Iterable[NumberedLine]) -> list[NumberedLine]:
    """Without colours, entities and odd quotes; what a carriage return overwrote, and what JSON quotes, stands as lines of its own."""
    return [NumberedLine(line.number, part) for line in lines for part in _parts(line.text)]


def _parts(text: str) -> list[str]:
    if text[:1] in {"{", "["} and (quoted := _quoted(text)):
        return [part for value in quoted for part in _parts(value)]
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "[" in text and "m" in text:
        text = _ORPHAN_COLOUR.sub("", text)
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    if "<" in text:
        text = _BREAK.sub(lambda match: "\r" if match[0][1] in "bB" and match[0][2] in "rR" else "", text)
    if not text.isascii():
        text = text.translate(_PLAIN)
    return text.rstrip("\r").split("\r") if "\r" in text else [text]


def _quoted(text: str) -> list[str]:
    """The lines of the texts in a line of JSON, as containers and reports write them; none where it is no JSON or holds one line."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return []
    texts = list(_strings(document))
    return [line for value in texts for line in value.splitlines()] if any("\n" in value for value in texts) else []


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def bare_lines(lines: Iterable[NumberedLine]) -> list[NumberedLine]:
    """Without what programs and forums put before a line, and with single spaces."""
    bare: list[NumberedLine] = []
    worker = None
    for line in _uncounted(list(lines)):
        text = _bare(line.text)
        if text.startswith("(") and (prefix := _WORKER.match(text)):
            if worker is not None:
                text = text[prefix.end() :]
            worker = prefix
        bare.append(NumberedLine(line.number, text))
    return bare


def _uncounted(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Without the numbers that editors and pages put before each line."""
    counts = [_COUNT.match(line.text) for line in lines]
    numbers = [int(count[1]) for count in counts if count]
    if len(numbers) < _FEWEST_COUNTED or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return lines
    return [NumberedLine(line.number, line.text[count.end() :] if count else line.text) for line, count in zip(lines, counts, strict=True)]


def _bare(text: str) -> str:
    prefix = _PREFIX.match(text)
    text = (text[prefix.end() :] if prefix else text).rstrip()
    return _SPACES.sub(" ", text) if "  " in text or "\t" in text else text


def _character(match: re.Match[str]) -> str:
    name = match[0][1:-1]
    if name[0] != "#":
        return _NAMED[name]
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0x20 <= code < 0x110000 else " "


def rejoined(lines: list[NumberedLine]) -> list[NumberedLine] | None:
    """The lines with a terminal's hard wraps undone; None where there are none.

    A terminal cuts at its width: then no line is longer, and at least two lines of the text have exactly that length.
    """
    lengths = [len(line.text) for line in lines]
    widest = max(lengths, default=0)
    if not SHORTEST_WRAP <= widest <= LONGEST_WRAP:
        return None
    full = [length == widest for length in lengths]
    if sum(full) < 2 and sum(map(bool, lengths)) > _SHORT_PASTE:
        return None
    joined: list[NumberedLine] = []
    open_line = False
    for line, is_full in zip(lines, full, strict=True):
        if open_line and line.text.strip() and not line.text.startswith(("  ", "\t")):
            joined[-1] = NumberedLine(joined[-1].number, joined[-1].text + line.text)
        else:
            joined.append(line)
        open_line = is_full
    return joined if len(joined) < len(lines) else None
