"""The labelled machines that lie beside the project: facts with the plan that is expected of them. Skipped where they are not at hand."""

import argparse
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.diagnosis import find_causes
from app.model import codec
from app.model.facts import MachineFacts
from app.model.plan import Choice, Goal, RouteKind
from app.planning import make_plan, plan_document
from tests.planning.build import TABLES

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "cases"
CASES: list[dict[str, Any]] = []
if (FOLDER / "machines" / "cases.jsonl").is_file():
    CASES = [json.loads(line) for line in (FOLDER / "machines" / "cases.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]

pytestmark = pytest.mark.skipif(not CASES, reason="the labelled machines are not beside this checkout")


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_machines", FOLDER / "check_machines.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def choice_of(arguments: list[str]) -> Choice:
    parser = argparse.ArgumentParser()
    for name in ("--goal", "--route", "--python", "--new-env", "--comfyui"):
        parser.add_argument(name)
    options = parser.parse_args(arguments)
    goals = tuple(Goal(name) for name in (options.goal or "triton").split(","))
    route = RouteKind(options.route) if options.route else None
    return Choice(goals, route, options.python, options.new_env, options.comfyui)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_labelled_machine_gets_the_expected_plan(case: dict[str, Any], checker: ModuleType) -> None:
    document = json.loads((FOLDER / "machines" / f"{case['name']}.json").read_text(encoding="utf-8"))
    facts = codec.load(document, MachineFacts, case["name"])
    choice = choice_of(case.get("args", []))
    plan = plan_document(make_plan(facts, find_causes(facts, TABLES, choice), choice, TABLES))
    assert checker.shape_errors(plan) == []
    assert checker.expectation_errors(plan, case["expect"], document) == []


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_less_knowledge_never_leads_to_what_is_wrong_here(case: dict[str, Any], checker: ModuleType) -> None:
    """Each family of facts taken away in turn: the plan stays well-formed and does nothing that is forbidden on this machine."""
    document = json.loads((FOLDER / "machines" / f"{case['name']}.json").read_text(encoding="utf-8"))
    choice = choice_of(case.get("args", []))
    forbidden = {name: value for name, value in case["expect"].items() if name in {"steps_must_not_contain", "absent_packages"}}
    for family in document.keys() - {"schema", "os"}:
        less = {name: value for name, value in document.items() if name != family}
        facts = codec.load(less, MachineFacts, case["name"])
        plan = plan_document(make_plan(facts, find_causes(facts, TABLES, choice), choice, TABLES))
        assert checker.shape_errors(plan) == [], family
        assert checker.expectation_errors(plan, forbidden, less) == [], family
