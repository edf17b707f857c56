"""Bytes to text, whatever wrote them: UTF-8, UTF-16, code pages of Windows, and mixtures of these in one file."""

import re
from typing import Final

_BROKEN: Final = re.compile("[\udc80-\udcff]")
_CONSOLE_PAGES: Final = {1252: 850, 1250: 852, 1251: 866, 1253: 737, 1254: 857, 1257: 775}
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_UNITS: Final = re.compile(
    rb"(?:[\x09\x0a\x0d\x20-\x7e]\x00){3}(?:[\x09\x0a\x0d\x20-\x7e\xa0-\xff]\x00|[\x00-\xff][\x01-\x06\x1e\x20-\x27\x30\x31\x4e-\x9f\xac-\xd7\xf9-\xff])*"
)
_UNITS_BE: Final = re.compile(
    rb"(?:\x00[\x09\x0a\x0d\x20-\x7e]){3}(?:\x00[\x09\x0a\x0d\x20-\x7e\xa0-\xff]|[\x01-\x06\x1e\x20-\x27\x30\x31\x4e-\x9f\xac-\xd7\xf9-\xff][\x00-\xff])*"
)


def text_of(content: bytes) -> tuple[str, str]:
    """The text of a file of unknown encoding, and the encoding that gives the same bytes back.

    UTF-16 with or without a mark; else UTF-8, with bytes that fit no UTF-8 kept as lone surrogates. Pieces of UTF-16 inside other
    text, as programs leave them in logs, are read as text too; then the encoding is `mixed` and the bytes are not given back.
    """
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            return content.decode(encoding, "replace"), encoding
    if len(content) >= 4 and len(content) % 2 == 0:
        for encoding, zeros in (("utf-16-le", content[1:2000:2]), ("utf-16-be", content[0:2000:2])):
            if zeros.count(0) * 2 > len(zeros):
                try:
                    return content.decode(encoding), encoding
                except UnicodeDecodeError:
                    continue
    if b"\0" not in content:
        return content.decode("utf-8", "surrogateescape"), "utf-8"
    content = _UNITS.sub(lambda match: match[0].decode("utf-16-le", "replace").encode(), content)
    content = _UNITS_BE.sub(lambda match: match[0].decode("utf-16-be", "replace").encode(), content)
    return content.decode("utf-8", "surrogateescape"), "mixed"


def readable(content: bytes, code_page: int | None = None) -> str:
    """The text of a file of unknown encoding, without signs that act on a terminal.

    Lines that are no UTF-8 are read in the code page of the machine, Windows' or the one of its console, where they fit.
    """
    text = text_of(content)[0].lstrip("\ufeff").replace("\r\n", "\n")
    if _BROKEN.search(text):
        text = "\n".join(_in_code_page(line, code_page) if _BROKEN.search(line) else line for line in text.split("\n"))
    return without_controls(text)


def _in_code_page(line: str, code_page: int | None) -> str:
    raw = line.encode("utf-8", "surrogateescape")
    for page in (code_page, _CONSOLE_PAGES.get(code_page or 0), 936, 932, 1252):
        try:
            return raw.decode(f"cp{page}")
        except (LookupError, UnicodeDecodeError):
            continue
    return raw.decode("cp850", "replace")


def without_controls(text: str) -> str:
    """The text without escape sequences and without signs that steer a terminal or the direction of writing."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text)) if _CONTROLS.search(text) else text
