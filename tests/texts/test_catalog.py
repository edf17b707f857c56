"""The catalogue: placeholders are filled, foreign strings are never read as formats or codes of ours by accident."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.model.text import Text
from app.resources import assets
from app.texts import LANGUAGES, has, say, words


def test_a_sentence_in_both_languages() -> None:
    assert say("session.no-python") != say("session.no-python", "zh_CN")


def test_foreign_strings_are_not_formats() -> None:
    said = words(Text("problem.not-json", {"file": "{where}", "where": "{file} {0.__class__}"}))
    assert "{where}: not readable as JSON: {file} {0.__class__}" in said


def test_a_parameter_that_is_a_code_is_put_into_words() -> None:
    assert "not known" in words(Text("cli.facts-compilers", {"compilers": "@cli.unknown"}))
    assert "@cli.no-such" in words(Text("cli.facts-compilers", {"compilers": "@cli.no-such"}))


def test_an_unknown_code_is_a_bug() -> None:
    assert not has("cli.no-such-sentence")
    assert not has("no-such-area.x")
    with pytest.raises(KeyError):
        say("cli.no-such-sentence")


def sentences(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, dict[str, str]]]:
    for key, value in table.items():
        if set(value) == set(LANGUAGES):
            yield f"{prefix}.{key}", value
        else:
            yield from sentences(value, f"{prefix}.{key}")


@pytest.mark.parametrize("file", sorted((assets() / "i18n").glob("*.toml")), ids=lambda file: file.stem)
def test_every_sentence_is_read_as_a_whole_reading_of_its_file_has_it(file: Path) -> None:
    """The catalogue takes files apart by the heads of their tables, and reads only what is said."""
    whole = dict(sentences(tomllib.loads(file.read_text(encoding="utf-8")), file.stem))
    assert whole
    for code, sentence in whole.items():
        assert has(code)
        assert {language: say(code, language) for language in LANGUAGES} == sentence


def test_a_list_has_the_comma_of_its_language() -> None:
    listed = Text("step.download", {"packages": "torch 2.10.0, triton-windows 3.6.0"})
    assert "torch 2.10.0, triton-windows 3.6.0" in words(listed)
    assert "torch 2.10.0、triton-windows 3.6.0" in words(listed, "zh_CN")
