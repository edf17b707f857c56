"""Whatever is changed in a report, its zip or any bytes: it opens or is refused, and never crashes."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.model.problem import ExitCode, Problem
from app.report import load_machine, render_html, summary_markdown
from app.texts import words
from tests.report.files import report_json

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


def outcome(path: Path) -> str:
    """`opened`, or the code of the refusal; anything else is a crash and fails."""
    try:
        loaded = load_machine(path)
    except Problem as problem:
        said = words(problem.text)
        return problem.text.code if problem.exit_code is ExitCode.BAD_INPUT and said else "crash"
    render_html(loaded.report).encode()
    summary_markdown(loaded.report).encode()
    return "opened"


def mutated(document: object, data: st.DataObject) -> object:
    """The document with one place changed into something else."""
    holders: list[tuple[object, object]] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                holders.append((value, key))
                walk(item)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                holders.append((value, index))
                walk(item)

    walk(document)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = holders[data.draw(st.integers(0, len(holders) - 1))]
        holder[key] = data.draw(_JSON)
    return document


def check_mutated(tmp_path: Path, data: st.DataObject) -> None:
    document = mutated(json.loads(report_json()), data)
    path = tmp_path / "fuzz.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert outcome(path) != "crash"


def check_bytes(tmp_path: Path, original: bytes, data: st.DataObject) -> None:
    content = bytearray(original)
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(content) - 1))
        action = data.draw(st.integers(0, 2))
        if action == 0:
            content[at] = data.draw(st.integers(0, 255))
        elif action == 1:
            del content[at : at + data.draw(st.integers(1, 40))]
        else:
            content[at:at] = data.draw(st.binary(max_size=20))
        content = content or bytearray(b"P")
    path = tmp_path / "fuzz.zip"
    path.write_bytes(content)
    assert outcome(path) != "crash"


def check_any(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fuzz.bin"
    path.write_bytes(content)
    assert outcome(path) != "crash"


RELAXED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(deadline=None, max_examples=120, suppress_health_check=RELAXED)
@given(st.data())
def test_a_report_changed_anywhere_opens_or_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    check_mutated(tmp_path, data)


@settings(deadline=None, max_examples=150, suppress_health_check=RELAXED)
@given(st.data())
def test_a_zip_changed_anywhere_opens_or_is_refused(tmp_path: Path, good: Path, data: st.DataObject) -> None:
    check_bytes(tmp_path, good.read_bytes(), data)


@settings(deadline=None, max_examples=100, suppress_health_check=RELAXED)
@given(st.binary(max_size=400) | _JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_open_or_are_refused(tmp_path: Path, content: bytes) -> None:
    check_any(tmp_path, content)


@pytest.mark.long
@pytest.mark.timeout(3000)
@settings(deadline=None, max_examples=8000, suppress_health_check=RELAXED)
@given(st.data())
def test_a_report_changed_anywhere_eight_thousand_times(tmp_path: Path, data: st.DataObject) -> None:
    check_mutated(tmp_path, data)


@pytest.mark.long
@pytest.mark.timeout(3000)
@settings(deadline=None, max_examples=8000, suppress_health_check=RELAXED)
@given(st.data())
def test_a_zip_changed_anywhere_eight_thousand_times(tmp_path: Path, good: Path, data: st.DataObject) -> None:
    check_bytes(tmp_path, good.read_bytes(), data)


@pytest.mark.long
@pytest.mark.timeout(3000)
@settings(deadline=None, max_examples=6000, suppress_health_check=RELAXED)
@given(st.binary(max_size=2000) | _JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_six_thousand_times(tmp_path: Path, content: bytes) -> None:
    check_any(tmp_path, content)
