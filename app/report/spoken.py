"""Texts of a report in words, also of a report from outside whose codes no catalogue of this version holds."""

import re
from typing import Final

from app.model.text import Text
from app.texts import Language, has, words

_CODE: Final = re.compile(r"^[a-z][a-z0-9-]{0,40}(?:\.[A-Za-z0-9_-]{1,80}){1,6}$")


def spoken(text: Text, language: str) -> str:
    """The sentence; for a code that is not known here the code itself with its values, so that nothing is lost."""
    known: Language = "zh_CN" if language == "zh_CN" else "en"
    if _CODE.match(text.code) and has(text.code) and _params_are_plain(text):
        return words(text, known)
    values = ", ".join(f"{name}: {value}" for name, value in sorted(text.params.items()))
    return f"{text.code} ({values})" if values else text.code


def _params_are_plain(text: Text) -> bool:
    """No value that looks like a code but could be a path."""
    return all(not isinstance(value, str) or not value.startswith("@") or _CODE.match(value[1:]) for value in text.params.values())
