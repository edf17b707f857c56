"""When a name that is found in a text is meant, and not part of another word."""

import re
from typing import Final

ANYWHERE: Final = 7
"""A name of so many signs is replaced inside longer words too; a shorter one only where a word begins and ends."""

_HEXADECIMAL: Final = re.compile("[a-f0-9]+")


def is_unlike_text(value: str) -> bool:
    """Whether a secret that was recognised once can be replaced wherever it stands: long, and no word, number, version or path."""
    if len(value) < 8 or re.fullmatch(r"\d{1,9}|v?[\d.,-]+\w?", value) or re.search(r"^[A-Za-z]:?[\\/]|://", value):
        return False
    return not value.isalpha() or (value != value.lower() and value[1:] != value[1:].lower())


def is_word(content: bytes, form: bytes) -> bool:
    """Whether the form stands somewhere with no letter or digit beside it."""
    return re.search(rb"(?<![a-z0-9])" + re.escape(form) + rb"(?![a-z0-9])", content) is not None


def stands_alone(text: str, start: int, end: int, form: str) -> bool:
    """Whether a short name is a word of its own here. Long ones, and those outside ASCII, need not be."""
    if len(form) >= ANYWHERE or not form.isascii() or not (form[0].isalnum() and form[-1].isalnum()):
        return True
    before, after = text[start - 1 : start], text[end : end + 2]
    if _HEXADECIMAL.fullmatch(form):
        return not (before.isalnum() or after[:1].isalnum())
    if after[:1] == "s":
        after = after[1:]
    return not (before.isalpha() or after[:1].isalpha())
