"""Bytes of a program to text, by what the program writes, never by what this program's own locale is."""

from typing import Final

_BOMS: Final = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8"))
_UTF16_SHARE: Final = 0.3
"""From this share of zero bytes at odd places on, an output counts as UTF-16LE: wsl.exe writes it without a mark."""


def decode(answer: bytes, code_page: int | None = None) -> str:
    """Text of any bytes, without raising: UTF-16LE or UTF-8 where it is that, else the code page of the machine, else Latin-1."""
    for mark, encoding in _BOMS:
        if answer.startswith(mark):
            return _plain(answer[len(mark) :].decode(encoding, "replace"))
    if looks_like_utf16(answer):
        return _plain(answer.decode("utf-16-le", "replace"))
    try:
        return _plain(answer.decode("utf-8"))
    except UnicodeDecodeError:
        return _plain(_by_code_page(answer, code_page))


def looks_like_utf16(answer: bytes) -> bool:
    """Whether bytes without a mark are UTF-16LE: Latin letters and line ends leave zeros at odd places."""
    sample = answer[: 4096 & ~1]
    return len(sample) >= 2 and sample[1::2].count(0) >= _UTF16_SHARE * (len(sample) // 2) and sample[0::2].count(0) < len(sample) // 4


def _by_code_page(answer: bytes, code_page: int | None) -> str:
    for encoding in (f"cp{code_page}" if code_page else "", "cp1252"):
        try:
            return answer.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    # A cut-off letter at the end of UTF-8 is more likely than a code page nobody named.
    return answer.decode("utf-8" if _mostly_utf8(answer) else "latin-1", "replace")


def _mostly_utf8(answer: bytes) -> bool:
    return answer.decode("utf-8", "replace").count("\ufffd") <= max(1, len(answer) // 50)


def _plain(text: str) -> str:
    return text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\0", "")
