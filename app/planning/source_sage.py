"""SageAttention built on this machine, where no ready-made wheel fits the torch that stays.

Unlike Triton it needs a CUDA toolkit with nvcc, of the major version of torch's CUDA, and torch itself beside its build.
"""

from dataclasses import replace
from typing import NamedTuple

from app.model.facts import Toolkit
from app.model.findings import Finding
from app.model.plan import PackageChange, Reason, Step
from app.model.text import Text
from app.model.unknown import known
from app.planning import steps
from app.planning.draft import Draft, reason
from app.planning.situation import Situation
from app.planning.sources import Sources
from app.planning.work import Origin, Pin, Work
from app.tables.builds import at_least, numbers
from app.tables.machine import capability_of, main_capability

FOLDER = "C:\\tbuild\\sage"
WHEELS = "C:\\tbuild\\sage-wheels"
NO_WHEEL = "finding.wheel-not-published.sage"


class SageSource(NamedTuple):
    """The branch and the toolkit it is built with, for one card."""

    branch: str
    version: str
    toolkit: Toolkit
    card: str


def misses_sage(case: Situation, ready: Draft) -> bool:
    """Whether SageAttention is wanted, torch stays, and no wheel for it is published."""
    return case.choice.wants_sage and any(_is_about_wheel(finding) for finding in ready.findings)


def _is_about_wheel(finding: Finding) -> bool:
    return finding.text.code.startswith(NO_WHEEL)


def sage_source(case: Situation, ready: Draft) -> SageSource | None:
    """How it can be built here; None where card, torch or toolkit do not allow it."""
    torch = ready.work.torch if ready.work else None
    capability = known(main_capability(case.facts), None)
    rules = case.tables.build
    if torch is None or torch.cuda_major is None or capability is None or capability < (capability_of(rules.sage_gpu_oldest) or (0, 0)):
        return None
    branch = next((name for oldest, name in rules.sage_branches.items() if at_least(torch.minor, oldest)), None)
    card = ".".join(map(str, capability))
    oldest = next((toolkit for gpu, toolkit in rules.sage_toolkits.items() if at_least(card, gpu)), None)
    fitting = [
        toolkit
        for toolkit in known(case.facts.toolkits, ())
        if known(toolkit.root, None) and not known(toolkit.missing_parts, ()) and numbers(toolkit.version)[0] == torch.cuda_major
    ]
    best = max((one for one in fitting if oldest and at_least(one.version, oldest)), key=lambda one: numbers(one.version), default=None)
    return SageSource(branch, rules.sage_version, best, card) if branch and best else None


def why_not(case: Situation, ready: Draft) -> Reason:
    """What is missing for a build: mostly the toolkit."""
    torch = ready.work.torch if ready.work else None
    return reason("sage-needs-toolkit", cuda=torch.cuda_major if torch and torch.cuda_major else "–")


def with_sage(ready: Draft, source: SageSource) -> Draft:
    """The draft as if a wheel were there: what waited for one waits no longer."""
    assert ready.work is not None
    before = ready.work.packages.get("sageattention")
    change = PackageChange("sageattention", before, source.version, Text("plan.change-built"))
    return replace(
        ready,
        findings=tuple(finding for finding in ready.findings if not _is_about_wheel(finding)),
        packages=dict(ready.packages) | {"sageattention": source.version},
        changes=(*(one for one in ready.changes if one.name != "sageattention"), change),
        needs=tuple(need for need in ready.needs if need.code != "decide-sage"),
        options=tuple(option for option in ready.options if option.code not in {"replace-torch", "keep-torch"}),
    )


def sage_steps(case: Situation, ready: Draft, source: SageSource, common: dict[str, str | int]) -> list[Step]:
    """The build, then the built wheel through the same exchange as any other."""
    assert ready.python is not None
    assert ready.work is not None
    rules, python = case.tables.build, ready.python.executable
    root = known(source.toolkit.root, None) or ""
    cards = {"SAGEATTENTION_CUDA_ARCH_LIST": source.card, "TORCH_CUDA_ARCH_LIST": source.card}
    variables = {"CUDA_HOME": root, "CUDA_PATH": root, **cards, "DISTUTILS_USE_SDK": "1"}
    clone = ("git", "clone", "--depth", "1", "--branch", source.branch, rules.sage_repository, f"{FOLDER}\\source")
    wheel = (python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", WHEELS, f"{FOLDER}\\source")
    arguments: dict[str, str | int | tuple[str, ...] | dict[str, str]] = {
        **common,
        "folder": FOLDER,
        "wheels": WHEELS,
        "python": python,
        "beside": python,
        "requirements": rules.sage_requirements,
        "repository": rules.sage_repository,
        "reference": source.branch,
        "subfolder": "",
        "variables": variables,
    }
    words = steps.title("source-build-sage", version=source.version, toolkit=source.toolkit.version)
    build = Step("build-sage", "source-build", words, (*clone, "&&", *wheel), download_bytes=None, undo=steps.undo("build"), arguments=arguments, weight=40.0)
    pin = Pin("sageattention", source.version, f"sageattention=={source.version}", Origin.INDEX, "sage-new")
    keeps = tuple(name for name in ready.work.packages if name not in {"sageattention", "triton-windows"})
    own = steps.transaction(python, ready.has_pip, Work(packages=ready.work.packages, pins=(pin,), keeps=keeps), Sources((), (), WHEELS))
    return [build, *(replace(step, id=f"{step.id}-sage") for step in own if step.kind != "download")]
