"""The catalogue: loads an area when it is first used, fills placeholders."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, get_args

from app.model.text import Param, Text
from app.resources import assets

Language = Literal["en", "zh_CN"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_AREA: Final = re.compile(r"^[a-z][a-z0-9-]{0,40}\Z")
_HEAD: Final = re.compile(r"^\[([^\[\]\n]+)\]$", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")

_LISTS: Final = frozenset({"added", "changes", "compilers", "keeps", "models", "names", "packages", "parts", "probes"})
"""Parameters that list names, with ", " between them; Chinese has a comma of its own for that."""


@cache
def _area(name: str) -> Mapping[str, str]:
    """The tables of an area, each still as it stands in the file: little is said at a time, and TOML is slow to read. "": lines above them."""
    text = (assets() / "i18n" / f"{name}.toml").read_text(encoding="utf-8")
    heads = [*_HEAD.finditer(text)]
    names = ["", *(head[1].replace('"', "") for head in heads)]
    starts = [0, *(head.end() for head in heads)]
    ends = [*(head.start() for head in heads), len(text)]
    return {name: text[start:end] for name, start, end in zip(names, starts, ends, strict=True)}


@cache
def _table(area: str, name: str) -> Mapping[str, Any]:
    return tomllib.loads(_area(area)[name])


@cache
def _sentence(code: str) -> Mapping[str, str]:
    """Both languages of a sentence: a table of its own, or a line of one. KeyError where no catalogue holds it."""
    area, _, key = code.partition(".")
    table, inner = key, list[str]()
    while table not in _area(area):
        table, _, last = table.rpartition(".")
        inner.insert(0, last)
    found = _table(area, table)
    for part in inner:
        found = found[part]
    return {language: found[language] for language in LANGUAGES}


def has(code: str) -> bool:
    """Whether the catalogue holds the sentence."""
    area = code.partition(".")[0]
    # A code can come from a report of another machine: it must not become a path that leads elsewhere.
    return _AREA.match(area) is not None and (assets() / "i18n" / f"{area}.toml").is_file() and _is_there(code)


def _is_there(code: str) -> bool:
    try:
        return bool(_sentence(code))
    except (KeyError, TypeError):
        return False


def say(code: str, language: Language = "en", /, **params: Param) -> str:
    """The sentence in words. KeyError names a code that no catalogue holds: a bug, found by tests."""
    sentence = _sentence(code)[language]
    if language == "zh_CN":
        params = {name: value.replace(", ", "、") if name in _LISTS and isinstance(value, str) else value for name, value in params.items()}
    # Not str.format: a parameter is a foreign string and must never be read as a format.
    return _PLACEHOLDER.sub(lambda match: str(params[match[1]]) if match[1] in params else match[0], sentence)


def words(text: Text, language: Language = "en") -> str:
    """The words of a Text. A parameter that is itself a code, written `@area.key`, is put into words first."""
    return say(text.code, language, **{name: _spoken(value, language) for name, value in text.params.items()})


def _spoken(value: Param, language: Language) -> Param:
    return say(value[1:], language) if isinstance(value, str) and value.startswith("@") and has(value[1:]) else value
