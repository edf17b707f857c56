"""Cards, and facts that are not known: nothing is assumed, and no plan gets bolder."""

from dataclasses import replace

import pytest

from app.model.facts import MachineFacts
from app.model.plan import Goal, RouteKind, RouteStatus, Verdict
from app.model.unknown import UNKNOWN
from tests.planning.build import codes, gpu, linux, machine, plan, python

SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
VENV = "D:\\work\\venv\\Scripts\\python.exe"


@pytest.mark.parametrize("facts", [machine(capability="6.1"), machine(gpus=(), driver=None), machine(gpus=(gpu(None, "amd"),), driver=None)])
def test_without_a_card_that_triton_runs_on_all_routes_are_refused_with_reasons(facts: MachineFacts) -> None:
    made = plan(facts, *SAGE)
    assert made.verdict is Verdict.BLOCKED
    assert made.route is None
    assert made.findings
    assert made.steps == ()
    assert all(verdict.status is RouteStatus.IMPOSSIBLE and verdict.reasons for verdict in made.routes)


@pytest.mark.parametrize("name", ["compute_capability", "memory_bytes", "driver_model", "index"])
def test_a_gap_in_a_card_makes_no_plan_bolder(name: str) -> None:
    facts = machine(python(None))
    assert isinstance(facts.gpus, tuple)
    less = replace(facts, gpus=(replace(facts.gpus[0], **{name: UNKNOWN}),))
    made = plan(less, *SAGE)
    if name == "compute_capability":
        assert made.verdict is Verdict.NEEDS_ACTION
        assert not made.packages
    else:
        assert made.packages == plan(facts, *SAGE).packages


def test_packages_that_could_not_be_read_are_asked_for() -> None:
    made = plan(machine(python(packages={}, executable=VENV)), python=VENV)
    assert made.verdict is Verdict.READY
    unread = replace(python(), packages=UNKNOWN)
    made = plan(machine(unread), *SAGE, python=VENV)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert (made.packages, made.steps, made.keeps) == ({}, (), ())
    assert made.options[0].code == "new-environment"


def test_a_card_of_another_generation_beside_it_changes_nothing_but_is_told() -> None:
    alone = plan(machine(python("2.8.0+cu128"), gpus=(gpu("12.0"),)), *SAGE)
    mixed = plan(machine(python("2.8.0+cu128"), gpus=(gpu("7.5", index=0), gpu("12.0", index=1))), *SAGE)
    assert mixed.packages == alone.packages
    assert "gpu-mixed" in codes(mixed)


def test_the_native_route_is_for_windows_only() -> None:
    made = plan(linux())
    assert next(verdict for verdict in made.routes if verdict.route is RouteKind.NATIVE).status is RouteStatus.IMPOSSIBLE
    assert plan(linux(), route=RouteKind.NATIVE).verdict is Verdict.BLOCKED


def test_a_torch_whose_build_is_not_known_is_asked_about() -> None:
    made = plan(machine(python("2.5.1", kind="conda", torch_arch_list=UNKNOWN)), *SAGE)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.steps == ()
    assert "unknown-torch" in {one.code for verdict in made.routes for one in verdict.reasons}


def test_a_new_torch_needs_the_driver_first_where_none_runs_on_it() -> None:
    made = plan(machine(python(None), capability="12.0", driver_version="472.12"))
    assert made.verdict is Verdict.NEEDS_ACTION
    assert "driver-too-old" in codes(made)
    assert made.packages["torch"].startswith("2.14.1+")
