"""Machines of every kind get the plan that an expert would make for them."""

import pytest

from app.model.findings import Severity
from app.model.unknown import known
from app.texts import LANGUAGES, words
from tests.planning.build import codes, kinds
from tests.planning.variants import ROWS
from tests.planning.variants.row import NEW, READY, Row


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_an_expert_would_plan_the_same(row: Row) -> None:
    made = row.plan()
    assert made.verdict is row.verdict, [finding.code for finding in made.findings]
    assert set(row.has) <= codes(made)
    assert not set(row.lacks) & codes(made)
    assert {name: made.packages.get(name) for name in row.packages} == row.packages
    assert set(row.keeps) <= set(made.keeps)
    assert set(row.options) <= {option.code for option in made.options}
    if row.steps is not None:
        assert tuple(dict.fromkeys(kinds(made))) == row.steps
    listed = {python.executable for python in known(row.facts.pythons, ())}
    if row.python:
        assert made.python is not None
        assert made.python.executable == row.python if row.python is not NEW else made.python.executable not in listed


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_whoever_must_act_is_told_why_in_both_languages(row: Row) -> None:
    made = row.plan()
    chosen = next((verdict for verdict in made.routes if verdict.route is made.route), None)
    told = [finding.text for finding in made.findings if finding.severity is Severity.BLOCKER] + [one.text for one in (chosen.reasons if chosen else ())]
    assert told or made.verdict is READY
    assert made.summary is not None
    for language in LANGUAGES:
        for text in (*told, made.summary, *(option.text for option in made.options)):
            assert words(text, language)


def test_there_are_many() -> None:
    assert len(ROWS) >= 100
    assert len({row.name for row in ROWS}) == len(ROWS)
