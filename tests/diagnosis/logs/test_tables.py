"""The rows are whole: known columns, known codes, expressions that compile and stay fast, words in both languages."""

import re
import time
import tomllib
from pathlib import Path

import pytest

from app.diagnosis.logs.causes import remedies
from app.diagnosis.logs.causes_page import causes_page
from app.diagnosis.logs.context import signs
from app.diagnosis.logs.matching import Text
from app.diagnosis.logs.reading import NumberedLine
from app.diagnosis.logs.signatures import GATES, by_id, expand, pattern, signatures
from app.diagnosis.logs.wording import bare_lines
from app.model.facts import MachineFacts, OperatingSystem, Python
from app.texts import LANGUAGES, has, say

ROOT = Path(__file__).resolve().parents[3]
SAID = tomllib.loads((Path(__file__).parent / "said.toml").read_text(encoding="utf-8"))

PACKAGE_HOSTS = re.compile(r"pypi\.org|pythonhosted|download\.pytorch|aliyun|tsinghua|ustc|anaconda\.org")


def known_signs() -> set[str]:
    system = OperatingSystem(family="windows", version="10.0.26100", arch="x86_64")
    python = Python(executable="C:\\x\\python.exe", kind="venv", version="3.12.1", packages={})
    facts = MachineFacts(schema="machine/1", os=system, pythons=(python,))
    return {"trouble", "few-lines", *signs(Text([NumberedLine(1, "")]), {}, facts)}


def test_rows_name_codes_and_rows_that_exist() -> None:
    codes, names = remedies().keys(), {row.id for row in signatures()} | known_signs()
    for row in signatures():
        assert row.code is None or row.code in codes, row.id
        assert row.also.keys() <= codes, row.id
        assert row.hides <= codes, row.id
        asked = {name for names_ in row.needs for name in names_} | set(row.without)
        assert asked <= names, f"{row.id}: {asked - names}"
        assert row.keys or row.needs, row.id
        assert not row.code or 0.1 < row.score < 1, row.id


def test_ids_are_unique() -> None:
    assert len(by_id()) == len(signatures())


@pytest.mark.parametrize("row", [row for row in signatures() if row.match], ids=lambda row: row.id)
def test_expressions_compile_and_are_bounded(row) -> None:
    assert row.match is not None
    pattern(row.match)
    unbounded = re.sub(r"\\.|\[(?:\\.|[^\]])*\]", "x", expand(row.match))
    assert not re.search(r"[x.)\w][*+](?!\?|$|x)", unbounded.replace("C++", "").replace("x+", "x")) or "+" not in unbounded.replace("\\+", ""), row.id


def test_keys_are_found_in_text_as_it_is_searched() -> None:
    """Searched text is lower case with single spaces: a key that is not would never be found."""
    for row in signatures():
        for key in row.keys:
            assert key == key.lower(), row.id
            assert "  " not in key, f"{row.id}: {key!r}"
            assert "\n" not in key, row.id


def test_no_key_keeps_its_own_expression_from_the_examples() -> None:
    """Where an expression with a code would find something, one of its keys does too: a forgotten key is a silent miss."""
    missed = []
    for code, said in SAID.items():
        for example in said["texts"]:
            text = Text(bare_lines(NumberedLine(number, line) for number, line in enumerate(example.split("\n"), 1)))
            for row in signatures():
                if row.code == code and row.match and pattern(row.match).search(text.text) and not any(text.has(key) for key in row.keys):
                    missed.append((row.id, example[:60]))
    assert not missed


def test_examples_of_a_long_text_pass_the_gates() -> None:
    """Of a long text only lines with a word of trouble are examined: nearly every example has one."""
    texts = [text for row in SAID.values() for text in row["texts"]]
    passed = sum(any(gate in text.lower().encode() for gate in GATES) for text in texts)
    assert passed / len(texts) >= 0.96


RUBBISH = {
    "spaces": " " * 20_000,
    "one word": "a" * 20_000,
    "slashes": "\\/" * 10_000,
    "quotes": "'\"" * 10_000,
    "digits": "0123456789" * 2_000,
    "errors": "error: failed to find 'x' not found\n" * 600,
    "frames": '  File "C:\\x\\Lib\\site-packages\\triton\\runtime\\build.py", line 1, in _build\n' * 270,
    "dots": "." * 20_000,
    "long paths": ("C:\\" + "Users\\abc\\" * 30 + "\n") * 200,
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_no_expression_is_slow_on_rubbish(kind: str) -> None:
    slow = []
    for row in signatures():
        if row.match:
            expression = pattern(row.match)
            begun = time.process_time()
            expression.search(RUBBISH[kind])
            if time.process_time() - begun > 1.0:
                slow.append(row.id)
    assert not slow


@pytest.mark.parametrize("code", remedies())
def test_words_in_both_languages(code: str) -> None:
    row = remedies()[code]
    keys = [f"cause.{code}.title", f"cause.{code}.explanation", f"cause.check.{row['check']}", *(f"cause.step.{step}" for step in row["steps"])]
    assert 1 <= len(row["steps"]) <= 6
    assert isinstance(row["automatic"], bool)
    for key in keys:
        assert has(key), key
        for language in LANGUAGES:
            assert say(key, language).strip()


def test_sources_are_public_pages_and_no_package_index() -> None:
    sources = [source for row in remedies().values() for source in row["sources"]] + [row.source for row in signatures() if row.source]
    assert all(source.startswith("https://") for source in sources)
    assert not [source for source in sources if PACKAGE_HOSTS.search(source)]


def test_no_step_is_one_that_does_harm() -> None:
    harmful = re.compile(r"--unregister|gpu-reset|nvidia-smi -r\b|ExclusionPath|0\.0\.0\.0|--extra-index-url|pip install triton-windows\b(?!<)|--user\b")
    steps = {step for row in remedies().values() for step in row["steps"]}
    assert not [step for step in steps for language in LANGUAGES if harmful.search(say(f"cause.step.{step}", language))]


def test_the_page_of_causes_is_current() -> None:
    page = (ROOT / "docs" / "causes.md").read_text(encoding="utf-8")
    assert page == causes_page(), "run: python3 dev.py docs"
