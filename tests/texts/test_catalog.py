"""The catalogue: placeholders are filled, foreign strings are never read as formats or codes of ours by accident."""

import pytest

from app.model.text import Text
from app.texts import has, say, words


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
