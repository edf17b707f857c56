"""The catalogue: loads an area when it is first used, fills placeholders."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, get_args

from app.model.text import Param, Text
from app.resources import assets

Language = Literal["en", "zh_CN"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_AREA: Final = re.compile(r"^[a-z][a-z0-9-]{0,40}\Z")
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")


@cache
def _area(name: str) -> Mapping[str, Mapping[str, str]]:
    document = tomllib.loads((assets() / "i18n" / f"{name}.toml").read_text(encoding="utf-8"))
    sentences: dict[str, Mapping[str, str]] = {}
    _collect(document, "", sentences)
    return sentences


def _collect(table: Mapping[str, object], prefix: str, into: dict[str, Mapping[str, str]]) -> None:
    for key, value in table.items():
        assert isinstance(value, Mapping)
        path = f"{prefix}.{key}" if prefix else key
        if all(isinstance(v, str) for v in value.values()):
            into[path] = value
        else:
            _collect(value, path, into)


def has(code: str) -> bool:
    """Whether the catalogue holds the sentence."""
    area, _, key = code.partition(".")
    # A code can come from a report of another machine: it must not become a path that leads elsewhere.
    return _AREA.match(area) is not None and (assets() / "i18n" / f"{area}.toml").is_file() and key in _area(area)


def say(code: str, language: Language = "en", /, **params: Param) -> str:
    """The sentence in words. KeyError names a code that no catalogue holds: a bug, found by tests."""
    area, _, key = code.partition(".")
    sentence = _area(area)[key][language]
    # Not str.format: a parameter is a foreign string and must never be read as a format.
    return _PLACEHOLDER.sub(lambda match: str(params[match[1]]) if match[1] in params else match[0], sentence)


def words(text: Text, language: Language = "en") -> str:
    """The words of a Text. A parameter that is itself a code, written `@area.key`, is put into words first."""
    return say(text.code, language, **{name: _spoken(value, language) for name, value in text.params.items()})


def _spoken(value: Param, language: Language) -> Param:
    return say(value[1:], language) if isinstance(value, str) and value.startswith("@") and has(value[1:]) else value
