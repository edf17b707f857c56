"""What holds for every plan, whatever the machine and the choice."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.diagnosis import find_causes
from app.model import codec
from app.model.facts import MachineFacts
from app.model.findings import Severity
from app.model.plan import Choice, Goal, Plan, RouteKind, RouteStatus, TorchChange, Verdict
from app.model.unknown import UNKNOWN, known
from app.planning import make_plan, plan_document
from app.tables.builds import minor_of, numbers, sage_build, torch_build
from app.tables.fits import code_for_gpu, cuda_row, sage_fits_torch, torch_row, triton_for_torch, triton_minor_of, triton_row, triton_runs_on
from app.tables.machine import driver_version, is_windows, main_capability
from tests.planning.apply import apply
from tests.planning.build import TABLES, python
from tests.planning.worlds import MACHINE_FACTS, PYTHON_FACTS, choices, machines, windows

quick = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

FORBIDDEN = re.compile(
    r"--unregister|--extra-index-url|--user(\s|$)|--break-system-packages|--trusted-host|ExclusionPath|ExclusionProcess|0\.0\.0\.0"
    r"|--gpu-reset|nvidia-smi(\.exe)? -r|taskkill|Stop-Process|VerifiedAndReputable|cuda-drivers|nvidia-driver"
)
TRITON = re.compile(r"(?<!un)install\b.*\s[\"']?triton([=<>~! \"']|$)")


def decide(facts: MachineFacts, choice: Choice) -> Plan:
    return make_plan(facts, find_causes(facts, TABLES, choice), choice, TABLES)


@quick
@given(machines(), choices())
def test_packages_belong_together(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    torch = torch_build(plan.packages.get("torch", ""))
    if torch is None or not is_windows(facts) or plan.route is not RouteKind.NATIVE or Goal.VLLM in choice.goals:
        return
    changed = {change.name for change in plan.changes if change.after and change.after != change.before}
    triton = plan.packages.get("triton-windows")
    if triton and changed & {"torch", "triton-windows"}:
        row = triton_row(TABLES, minor_of(triton))
        assert triton_minor_of(TABLES, torch) == minor_of(triton)
        assert row is not None
        assert triton in row.versions
        assert plan.python is not None
        assert minor_of(plan.python.version) in (row.pythons_arm if facts.os.arch == "arm64" else row.pythons)
    sage = plan.packages.get("sageattention")
    if sage and "sageattention" in changed and sage != TABLES.sage_portable.version:
        made_for = sage_build(sage)
        assert made_for is not None
        assert sage_fits_torch(made_for, torch)
    if "torch" in changed:
        row = torch_row(TABLES, torch.minor)
        capability, driver = known(main_capability(facts), None), known(driver_version(facts), None)
        assert row is not None
        assert torch.cuda in row.windows
        assert torch.patch in row.patches
        cuda = cuda_row(TABLES, torch.cuda)
        triton_of = triton_for_torch(TABLES, row.minor)
        assert cuda is not None
        assert triton_of is not None
        assert capability is not None
        assert triton_runs_on(triton_of, capability)
        assert driver is None or numbers(driver) >= numbers(cuda.driver_floor) or "driver-too-old" in {f.code for f in plan.findings}


@quick
@given(machines(), choices())
def test_packages_for_linux_belong_together(facts: MachineFacts, choice: Choice) -> None:
    """On Linux itself and in a distro: Triton is the one that torch pins, torch has wheels for the Python and code for the card."""
    plan = decide(facts, choice)
    torch = torch_build(plan.packages.get("torch", ""))
    if torch is None or plan.route not in {RouteKind.LINUX, RouteKind.WSL2} or plan.python is None:
        return
    changed = {change.name for change in plan.changes if change.after and change.after != change.before}
    row = torch_row(TABLES, torch.minor)
    assert row is not None
    if changed & {"torch", "triton"}:
        assert minor_of(plan.packages["triton"]) == minor_of(row.triton[torch.patch])
    if "torch" in changed:
        assert torch.patch in row.patches
        assert minor_of(plan.python.version) in row.pythons
        capability, tag = known(main_capability(facts), None), torch.cuda or row.linux[0]
        cuda = cuda_row(TABLES, tag)
        assert capability is None or cuda is None or code_for_gpu(cuda.gpus, capability) or "vllm" in plan.packages
    if "sageattention" in changed:
        assert plan.packages["sageattention"] == TABLES.sage_portable.version
        assert code_for_gpu(TABLES.sage_portable.gpus, known(main_capability(facts), None) or (0, 0))


@pytest.mark.parametrize(
    "line",
    [
        "wsl.exe --unregister Ubuntu",
        "pip install torch --extra-index-url https://x",
        "pip install --user torch",
        "powershell Add-MpPreference -ExclusionPath C:\\",
        "serve --host 0.0.0.0",
        "nvidia-smi --gpu-reset",
        "nvidia-smi.exe -r",
        "taskkill /f /im python.exe",
        "apt-get install nvidia-driver-580",
    ],
)
def test_what_is_forbidden_is_recognised(line: str) -> None:
    assert FORBIDDEN.search(line)


@pytest.mark.parametrize(
    ("line", "is_one"), [("pip install triton==3.4", True), ("pip install triton-windows==3.4", False), ("pip uninstall -y triton", False)]
)
def test_the_linux_package_is_recognised(line: str, is_one: bool) -> None:
    assert bool(TRITON.search(line)) is is_one


@quick
@given(machines(), choices())
def test_no_step_does_what_is_forbidden(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    from_torch_index: set[str] = set()
    for step in plan.steps:
        line = " ".join(step.argv)
        assert not FORBIDDEN.search(line), line
        assert not FORBIDDEN.search(json.dumps(codec.dump(step)["arguments"])), step
        if is_windows(facts) and plan.route is not RouteKind.WSL2:
            assert not TRITON.search(line), line
        for pin in step.arguments.get("requirements", ()):
            assert "==" in pin or " @ https://" in pin, pin
        pinned = re.search(r"(?<!un)install\b.*\s(torch==\S*\+cu\S*)", line)
        if pinned and "-r" in step.argv:
            # Beside a list of requirements the pin only holds what an earlier step installed.
            assert pinned[1] in from_torch_index
        elif pinned:
            assert "--index-url" in line
            assert "pypi" not in line.partition("--index-url")[2].partition("torch==")[0]
            from_torch_index.add(pinned[1])


@quick
@given(machines(), choices())
def test_a_kept_package_keeps_its_version_and_no_step_installs_it(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    present = next((p.packages for p in known(facts.pythons, ()) if plan.python and p.executable == plan.python.executable), {}) or {}
    for name in plan.keeps:
        assert plan.packages[name] == present[name]
        for step in plan.steps:
            requirements = step.arguments.get("requirements", ())
            assert not any(re.match(rf"{re.escape(name)}(==| @ )", str(pin)) for pin in requirements), (name, step)


@quick
@given(machines(), choices())
def test_torch_is_never_replaced_without_consent(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    replaced = any(change.name == "torch" and change.before and change.after != change.before for change in plan.changes)
    if replaced and choice.torch_change is not TorchChange.REPLACE:
        assert plan.verdict is not Verdict.READY
        assert any(option.choice.torch_change is TorchChange.REPLACE for option in plan.options)
    if choice.torch_change is TorchChange.KEEP:
        assert not replaced


@quick
@given(machines(), choices())
def test_the_shape_of_a_plan(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    assert [verdict.route for verdict in plan.routes] == list(RouteKind)
    assert all(verdict.reasons or verdict.status is RouteStatus.READY for verdict in plan.routes)
    assert len({step.id for step in plan.steps}) == len(plan.steps)
    blockers = [finding for finding in plan.findings if finding.severity is Severity.BLOCKER]
    assert plan.verdict is not Verdict.READY or not blockers
    assert list(plan.findings[: len(blockers)]) == blockers
    assert plan.verdict is not Verdict.BLOCKED or (not plan.steps and plan.route is None)
    if choice.route is None and plan.verdict is Verdict.BLOCKED:
        assert plan.findings
    document = plan_document(plan, "zh_CN")
    assert json.loads(json.dumps(document)) == document
    assert codec.load(codec.dump(plan), Plan, "plan") == plan


@quick
@given(machines(), choices())
def test_the_same_input_gives_the_same_bytes(facts: MachineFacts, choice: Choice) -> None:
    again = codec.load(json.loads(codec.dumps(facts)), MachineFacts, "facts")
    one, two = (json.dumps(plan_document(decide(one, choice), "en")) for one in (facts, again))
    assert one == two


@quick
@given(windows(), choices(), st.data())
def test_a_second_environment_changes_nothing_for_the_named_one(facts: MachineFacts, choice: Choice, data: st.DataObject) -> None:
    assume(facts.pythons)
    chosen = data.draw(st.sampled_from(facts.pythons))
    named = replace(choice, python=chosen.executable, new_env=None)
    other = python("2.8.0+cu128", "E:\\other\\venv\\Scripts\\python.exe", packages={"sageattention": "1.0.6"})
    more = replace(facts, pythons=(*facts.pythons, other))
    assert plan_document(decide(more, named)) == plan_document(decide(facts, named))


@quick
@given(machines(), choices())
def test_what_a_plan_did_need_not_be_done_again(facts: MachineFacts, choice: Choice) -> None:
    plan = decide(facts, choice)
    assume(plan.verdict is Verdict.READY and plan.steps and plan.route in {RouteKind.NATIVE, RouteKind.LINUX})
    assume(set(choice.goals) != {Goal.VLLM})
    assert plan.python is not None
    after = apply(plan, facts)
    again = decide(after, replace(choice, python=plan.python.executable, new_env=None))
    assert again.verdict is Verdict.READY, [f.code for f in again.findings]
    assert not again.steps, [step.id for step in again.steps]


CHECKED_BY_THE_RUN = {"in_use_by", "writable", "has_headers", "bundled_vc_runtime", "vc_runtime", "disks", "network", "leftovers"}
"""Facts whose absence a plan need not wait for: the run looks itself, before it changes anything."""


def installs(plan: Plan) -> set[tuple[str, str | None]]:
    return {(change.name, change.after) for change in plan.changes if change.after != change.before}


@quick
@given(machines(), choices(), st.sampled_from([name for name in MACHINE_FACTS if name not in CHECKED_BY_THE_RUN]))
def test_a_missing_machine_fact_never_makes_a_plan_bolder(facts: MachineFacts, choice: Choice, name: str) -> None:
    less = replace(facts, **{name: UNKNOWN})
    full, blind = decide(facts, choice), decide(less, choice)
    if name == "pythons":
        assert not blind.steps or blind.python is None or blind.python.is_new
        return
    if name == "gpus":
        assert not installs(blind), "no version is picked for a card that is not known"
    if full.route is blind.route and blind.verdict is Verdict.READY:
        assert installs(blind) <= installs(full), (installs(blind), installs(full))
    if name in {"gpus", "driver"} and full.verdict is not Verdict.READY:
        assert blind.verdict is not Verdict.READY or not blind.steps


@quick
@given(windows(), choices(), st.sampled_from([name for name in PYTHON_FACTS if name not in CHECKED_BY_THE_RUN]))
def test_a_missing_fact_of_a_python_never_makes_a_plan_bolder(facts: MachineFacts, choice: Choice, name: str) -> None:
    assume(facts.pythons)
    chosen = facts.pythons[0]
    named = replace(choice, python=chosen.executable, new_env=None, route=RouteKind.NATIVE)
    less = replace(facts, pythons=(replace(chosen, **{name: UNKNOWN}), *facts.pythons[1:]))
    full, blind = decide(facts, named), decide(less, named)
    if name == "packages":
        assert not any(step.kind in {"resolve", "download", "swap"} for step in blind.steps if blind.python and not blind.python.is_new)
        return
    if blind.verdict is Verdict.READY and not (blind.python and blind.python.is_new):
        assert installs(blind) <= installs(full) or name in {"bits", "arch", "free_threaded", "torch_arch_list", "externally_managed"}


@pytest.mark.parametrize("name", ["gpus", "driver"])
def test_nothing_is_chosen_for_a_card_or_driver_that_is_not_known(name: str) -> None:
    from tests.planning.build import machine, plan

    facts = replace(machine(python(None)), **{name: UNKNOWN})
    made = plan(facts, Goal.TRITON, Goal.SAGEATTENTION)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert not made.packages
    assert not made.steps
