"""Bytes of a log to text: Unicode with and without mark, old code pages, and text that was decoded wrongly before.

Windows programs write in three code pages at once: wsl.exe UTF-16 without a mark, cmd's tools the OEM page, Python UTF-8.
So a line that is not UTF-8 is decoded by the page that fits all such lines of the text best.
"""

import re
from collections.abc import Iterable
from typing import Final

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

_PAGES: Final = ("gb18030", "cp932", "cp949", "big5", "cp1251", "cp866", "cp1252", "cp850")

_NUL_LETTERS: Final = re.compile(rb"(?:[\x09-\x0d\x20-\x7e]\x00){3,}")

_LATIN_RUN: Final = re.compile(r"[\x80-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}")
_CJK_RUN: Final = re.compile(r"[\u4e00-\u9fff\ue000-\uf8ff]{3,}")

SAMPLE_BYTES: Final = 1 << 16

_FILE_MARKS: Final = (
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"%PDF-",
    b"\x1f\x8b\x08",
    b"7z\xbc\xaf",
    b"Rar!\x1a",
    b"\x7fELF",
    b"SQLite format 3",
)
_NO_TEXT: Final = bytes([*range(1, 7), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_JUDGED_BYTES: Final = 256
"""Fewer bytes than this tell nothing, and are read at once as whatever they are."""

_NO_TEXT_SHARE: Final = 0.03
_CLEAN_SHARE: Final = 0.2
"""Packed data has 11 % of such bytes. A log with rubbish in it still has whole lines without any."""


def is_text(sample: bytes) -> bool:
    """Whether the beginning of a file is text of any encoding, be it with rubbish in it. Holes of NUL bytes, as a crash leaves them, do not count."""
    if sample.startswith(_FILE_MARKS):
        return False
    if len(sample) < _JUDGED_BYTES or wide_codec(sample[:SAMPLE_BYTES]):
        return True
    solid = sample.replace(b"\0", b"")
    clean = sum(len(line) for line in solid.split(b"\n") if len(line) == len(line.translate(None, _NO_TEXT)))
    strange = len(solid) - len(solid.translate(None, _NO_TEXT))
    return strange <= len(solid) * _NO_TEXT_SHARE or clean >= len(solid) * _CLEAN_SHARE


def wide_codec(sample: bytes) -> tuple[str, int] | None:
    """The codec of a text in UTF-16 or UTF-32 and the length of its mark; None for encodings that keep ASCII as bytes.

    Without a mark UTF-16 shows itself by NUL bytes on one side only, as spaces, digits and line ends have them.
    """
    for mark, codec in _MARKS:
        if sample.startswith(mark):
            return None if codec == "utf-8" else (codec, len(mark))
    head = sample[: SAMPLE_BYTES & ~1]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 20 < len(head) or min(even, odd) * 8 > max(even, odd):
        return None
    codec = "utf-16-le" if odd > even else "utf-16-be"
    text = head[: len(head) & ~1].decode(codec, "replace")
    strange = sum(1 for char in text if char == "\ufffd" or (char < " " and char not in "\t\r\n\x1b"))
    return None if strange * 20 > len(text) else (codec, 0)


def text_lines(raw: bytes) -> list[str]:
    """All lines of a text in words, numbered as findings number them: line ends of any other kind do not count."""
    if wide := wide_codec(raw[:SAMPLE_BYTES]):
        codec, mark = wide
        return [line.rstrip("\r") for line in raw[mark:].decode(codec, "replace").split("\n")]
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [line.rstrip("\r") for line in decode_lines(lines)]


def decode_lines(lines: Iterable[bytes]) -> list[str]:
    """Each line in words. Lines that are not UTF-8 share one old code page; islands of UTF-16 lose their NUL bytes."""
    raw = [_without_islands(line) if b"\x00" in line else line for line in lines]
    decoded: list[str | None] = []
    foreign = bytearray()
    for line in raw:
        try:
            decoded.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            decoded.append(None)
            if len(foreign) < SAMPLE_BYTES:
                foreign += line[:1024] + b"\n"
    if foreign:
        page = best_page(bytes(foreign))
        decoded = [line.decode(page, "replace") if text is None else text for line, text in zip(raw, decoded, strict=True)]
    return [text if text is None or text.isascii() else _repaired(text) for text in decoded if text is not None]


def _without_islands(line: bytes) -> bytes:
    return _NUL_LETTERS.sub(lambda match: match[0].replace(b"\x00", b""), line).replace(b"\x00", b"")


def best_page(sample: bytes) -> str:
    """The old code page whose reading of the bytes looks most like a language."""
    return max(_PAGES, key=lambda page: (_plausibility(sample, page), -_PAGES.index(page)))


def _plausibility(sample: bytes, page: str) -> float:
    text = sample.decode(page, "replace")
    score, previous = 0.0, " "
    for char in text:
        if char >= "\x80":
            score += _char_score(char, previous, page)
        previous = char
    return score


def _char_score(char: str, previous: str, page: str) -> float:
    code = ord(char)
    if code == 0xFFFD or code < 0xA0 or 0xE000 <= code < 0xF900:
        return -8.0
    if 0x3040 <= code < 0x3100:
        return 3.0
    if 0xAC00 <= code < 0xD7B0:
        return 3.0 if page == "cp949" else 0.5
    if 0x4E00 <= code < 0xA000:
        return _ideograph_score(char, page)
    if 0x400 <= code < 0x460:
        # Words keep their case and their alphabet: an upper letter inside a word means the other Cyrillic page, a Latin one before it none.
        return -2.0 if (char.isupper() and previous.islower()) or (previous.isascii() and previous.isalpha()) else 1.0
    if 0x3000 <= code < 0x3040 or 0xFF00 <= code < 0xFF60:
        return 1.5
    if char.isalpha() and code < 0x250:
        return 0.9 if previous.isascii() and (previous.isalpha() or previous in " '\"(") else -1.5
    return -1.0


def _ideograph_score(char: str, page: str) -> float:
    """Frequent ideographs lie in the first level of their page; a wrong reading gives mostly rare ones."""
    first_level = {"gb18030": ("gb2312", 0xB0, 0xD7), "cp932": ("cp932", 0x88, 0x97), "big5": ("big5", 0xA4, 0xC6)}.get(page)
    if first_level is None:
        return 0.0
    codec, low, high = first_level
    try:
        lead = char.encode(codec)[0]
    except UnicodeEncodeError:
        return -1.0
    return 2.2 if low <= lead <= high else -0.5


def _repaired(text: str) -> str:
    """Undoes one wrong decoding (UTF-8 or a page read as Latin, UTF-8 read as GBK) where the undoing is exact."""
    if len(text) > 4096:
        return text
    if _LATIN_RUN.search(text):
        text = _LATIN_RUN.sub(lambda match: _reread(match[0], "cp1252"), text)
    if _CJK_RUN.search(text):
        text = _CJK_RUN.sub(lambda match: _reread(match[0], "gb18030"), text)
    return text


def _reread(run: str, wrong: str) -> str:
    try:
        raw = run.encode(wrong)
    except UnicodeEncodeError:
        try:
            raw = run.encode("latin-1")
        except UnicodeEncodeError:
            return run
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if wrong == "gb18030" or len(raw) < 4:
            return run
    page = best_page(raw)
    return raw.decode(page, "replace") if page not in ("cp1252", "cp850") and _plausibility(raw, page) > len(raw) / 2 else run
