"""What Windows says in other languages, said in English: signatures then need one wording.

`assets/tables/log_languages.toml` has one table a sentence. Only what is known is replaced; the rest of a line stays as it is.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from app.diagnosis.logs.reading import NumberedLine
from app.resources import assets


def in_english(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines with the known sentences of Windows in English. Numbers stay; the same list where there is nothing to say."""
    flat = "\n".join(line.text for line in lines).lower()
    wanted = [name for name, row in _table().items() if any(key in flat for key in row["key"])]
    for name in wanted:
        row = _table()[name]
        said = [_pattern(expression) for expression in row["said"]]
        lines = [_replaced(line, said, row["english"]) for line in lines]
    return lines


def _replaced(line: NumberedLine, said: list[re.Pattern[str]], english: str) -> NumberedLine:
    text = line.text
    for expression in said:
        text = expression.sub(english, text)
    return line if text is line.text else NumberedLine(line.number, text)


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((assets() / "tables" / "log_languages.toml").read_text(encoding="utf-8"))
