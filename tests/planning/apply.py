"""Carries a plan out on facts instead of a machine: what the facts would be after the steps."""

from dataclasses import replace

from app.model.facts import MachineFacts, Python
from app.model.plan import Plan
from app.model.unknown import known
from tests.planning.build import arch_list


def apply(plan: Plan, facts: MachineFacts) -> MachineFacts:
    """The facts that a scan after the plan would find."""
    assert plan.python is not None
    steps = {step.kind: step for step in plan.steps}
    pythons = list(known(facts.pythons, ()))
    place = next((i for i, one in enumerate(pythons) if one.executable == plan.python.executable), None)
    if place is None:
        created = Python(plan.python.executable, "venv", plan.python.version, bits=64, arch=facts.os.arch, packages={}, has_headers=True, writable=True)
        pythons.append(created)
        place = len(pythons) - 1
    target = pythons[place]
    packages = dict(known(target.packages, {}))
    for change in plan.changes:
        packages.pop(change.name, None)
        if change.after is not None:
            packages[change.name] = change.after
    target = replace(target, packages=packages, torch_arch_list=arch_list(packages.get("torch")))
    if "smoke-test" in steps:
        target = replace(target, imports=dict.fromkeys(known(target.imports, {}), "ok"))
    if "python-headers" in steps:
        target = replace(target, has_headers=True)
    if "write-launcher" in steps:
        content = str(steps["write-launcher"].arguments["content"])
        target = replace(target, attention_flags=tuple(flag for flag in ("--use-sage-attention", "--use-ck-attention") if flag in content))
    changed = facts
    for mode in [step.arguments["mode"] for step in plan.steps if step.kind == "vc-runtime"]:
        if mode == "redistributable":
            changed = replace(changed, vc_runtime="14.50.35719.0")
        else:
            target = replace(target, bundled_vc_runtime="14.51.36231", packages=known(target.packages, {}) | {"msvc-runtime": "14.51.36231"})
    if "set-long-paths" in steps:
        changed = replace(changed, os=replace(changed.os, long_paths=True))
    pythons[place] = target
    return replace(changed, pythons=tuple(pythons))
