"""What happens to the packages of one environment: what is installed, replaced, removed, kept, and what must be decided first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from app.model.facts import Python
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Goal, PackageChange, TorchChange
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.planning.sage import install_sage, keep_or_replace_sage
from app.planning.situation import Situation, wish_for
from app.planning.work import FAMILY, Origin, Pin, Work, WorkDraft
from app.tables.builds import TorchBuild, at_least, minor_of, numbers, torch_build
from app.tables.fits import (
    TorchPick,
    audio_for,
    cuda_row,
    driver_fit,
    generation_of,
    pick_sage,
    pick_torch,
    torch_download,
    torch_row,
    triton_for_torch,
    triton_row,
    vision_for,
)
from app.tables.judge import (
    CHANGES_TORCH,
    SageState,
    TorchJudgement,
    TorchState,
    TritonState,
    is_damaged,
    is_without_card,
    judge_sage,
    judge_torch,
    judge_triton,
    triton_wanted,
)
from app.tables.machine import driver_version, is_windows, main_capability, main_gpu


class _Picked(NamedTuple):
    pick: TorchPick
    python_minor: str
    needs_driver: bool


def _pick_for(case: Situation, pythons: tuple[str, ...]) -> _Picked | None:
    """The torch to choose: with a SageAttention wheel if one can be had, for the driver that is there if one runs on it."""
    wish = wish_for(case, pythons)
    if wish is None:
        return None
    without_sage = wish._replace(sage=False)
    for one in (wish, without_sage, wish._replace(driver=None), without_sage._replace(driver=None)):
        if picked := pick_torch(case.tables, one):
            return _Picked(*picked, needs_driver=one.driver is None and wish.driver is not None)
    return None


def work_in(case: Situation, python: Python) -> Work:
    """The work in an existing environment."""
    judged = judge_torch(case.facts, python, case.tables)
    installed = known(python.packages, {})
    minor = minor_of(python.version)
    if judged.state is TorchState.UNKNOWN:
        return Work(unknown="packages" if python.packages is UNKNOWN else "torch", python_minor=minor)
    if (gap := _card_gap(case)) is not None:
        keeps = tuple(name for name in FAMILY if name in installed and judged.state is TorchState.RIGHT)
        return Work(packages={name: installed[name] for name in keeps}, keeps=keeps, torch=judged.torch, unknown=gap, python_minor=minor)
    replaces = judged.torch and (_is_replaced_for_sage(case, python, judged.torch) or _is_replaced_as_asked(case, judged.torch))
    if judged.state is TorchState.RIGHT and judged.torch and not replaces:
        return _around_kept_torch(case, python, judged.torch)
    if judged.state in CHANGES_TORCH and case.choice.torch_change is TorchChange.KEEP:
        return Work(torch=judged.torch, decision="torch", stays_wrong=True, python_minor=minor)
    return _with_new_torch(case, python, judged)


def _is_replaced_as_asked(case: Situation, torch: TorchBuild) -> bool:
    """The person names another torch than the one that works, and allows the change."""
    asked = case.choice.torch_version
    if not asked or case.choice.torch_change is not TorchChange.REPLACE or is_without_card(case.facts):
        return False
    public, _, tag = asked.partition("+")
    row = torch_row(case.tables, torch.minor)
    # On Linux the build of the package index carries no tag.
    usual = row.linux[0] if row and not torch.flavour and not is_windows(case.facts) else None
    is_it = numbers(torch.patch)[: len(numbers(public))] == numbers(public) and tag in {"", torch.cuda, usual}
    return not is_it


def _is_replaced_for_sage(case: Situation, python: Python, torch: TorchBuild) -> bool:
    """The person wants torch replaced, and it works but has no SageAttention where another has."""
    if not case.choice.wants_sage or case.choice.torch_change is not TorchChange.REPLACE or not is_windows(case.facts):
        return False
    if judge_sage(case.facts, python, torch, case.tables) in {SageState.RIGHT, SageState.SELF_BUILT}:
        return False
    minor, capability = minor_of(python.version), known(main_capability(case.facts), None)
    wish = wish_for(case, (minor,))
    has_one = bool(capability and pick_sage(case.tables, torch, minor, capability, case.facts.os.arch))
    return wish is not None and not has_one and pick_torch(case.tables, wish) is not None


def _card_gap(case: Situation) -> str | None:
    """The fact about the card that is missing, without which no version may be picked."""
    if case.facts.gpus is UNKNOWN:
        return "gpus"
    if is_without_card(case.facts):
        return None
    return "capability" if main_capability(case.facts) in (UNKNOWN, None) else None


def work_in_new(case: Situation, pythons: tuple[str, ...]) -> Work:
    """The work in an environment that does not exist yet; `pythons`: minors it may have, the preferred first."""
    if (gap := _card_gap(case)) is not None:
        return Work(unknown=gap)
    if set(case.choice.goals) == {Goal.VLLM}:
        return _vllm(case, pythons)
    if is_without_card(case.facts):
        return _without_card(case, pythons)
    if driver_version(case.facts) is UNKNOWN:
        return Work(unknown="driver")
    picked = _pick_for(case, pythons)
    if picked is None:
        return Work(impossible="no-torch", extra=_no_torch(case))
    return _complete(case, WorkDraft(picked.python_minor), picked, {})


def _no_torch(case: Situation) -> tuple[Finding, ...]:
    """Why no torch can be chosen: the processor's, the card's or the Python's fault, with what helps then."""
    asked = case.choice.torch_version
    if case.facts.os.arch != "x86_64" and is_windows(case.facts):
        text, cure = "torch-arm", "torch-arm-remedy"
    elif asked and _pick_for(case._replace(choice=replace(case.choice, torch_version=None)), case.tables.preferred_pythons):
        text, cure = "torch-asked", "torch-asked-remedy"
    elif _pick_for(case, case.tables.preferred_pythons) is None:
        text, cure = "torch-none", "torch-none-remedy"
    else:
        text, cure = "torch", "remedy"
    params = {"torch": asked or ""}
    remedy = Remedy("other-torch", Text(f"finding.wheel-not-published.{cure}", params), automatic=False)
    return (Finding("wheel-not-published", Severity.BLOCKER, Text(f"finding.wheel-not-published.{text}", params), ("gpus",), remedy),)


def _around_kept_torch(case: Situation, python: Python, torch: TorchBuild) -> Work:
    installed = known(python.packages, {})
    draft = WorkDraft(minor_of(python.version))
    for name in FAMILY:
        if name in installed:
            draft.keep(name, installed[name])
    if case.choice.wants_triton:
        _triton(case, draft, python, torch, installed)
    if case.choice.wants_sage:
        keep_or_replace_sage(case, draft, python, torch)
    return draft.done(torch, torch.cuda or "")


def _with_new_torch(case: Situation, python: Python, judged: TorchJudgement) -> Work:
    """torch is missing, or it must change: then only with consent, but the plan that would follow is shown."""
    minor, before = minor_of(python.version), judged.torch
    if is_without_card(case.facts):
        return _without_card(case, (minor,))
    if driver_version(case.facts) is UNKNOWN:
        return Work(torch=before, unknown="driver", python_minor=minor)
    picked = _pick_for(case, (minor,))
    if picked is None:
        return Work(torch=before, decision="torch" if before else None, impossible="no-torch", extra=_no_torch(case), python_minor=minor)
    draft = WorkDraft(minor)
    if before and case.choice.torch_change is not TorchChange.REPLACE:
        draft.decision = "torch"
    why = "torch-chosen" if before is None else "torch-replaced" if judged.state in CHANGES_TORCH else "torch-wanted"
    return _complete(case, draft, picked, known(python.packages, {}), why)


def _complete(case: Situation, draft: WorkDraft, picked: _Picked, installed: Mapping[str, str], why: str = "torch-chosen") -> Work:
    """Everything around a newly chosen torch."""
    pick = picked.pick
    torch = torch_build(pick.version)
    assert torch is not None
    if picked.needs_driver:
        driver = known(driver_version(case.facts), None) or ""
        cure = Remedy("update-driver", Text("finding.driver-too-old.remedy"), automatic=False)
        draft.extra.append(Finding("driver-too-old", Severity.BLOCKER, Text("finding.driver-too-old.new", {"driver": driver}), ("driver.version",), cure))
    usual = not is_windows(case.facts) and pick.row.linux[0] == pick.tag
    text = torch.patch if usual else pick.version
    origin = Origin.INDEX if usual else Origin.TORCH_INDEX
    about = torch_download(case.tables, pick.version) if is_windows(case.facts) else None
    draft.install(Pin("torch", text, f"torch=={text}", origin, why, about_bytes=about), installed.get("torch"))
    for name, version in (("torchvision", vision_for(pick.row, text)), ("torchaudio", audio_for(pick.row, text))):
        if name in installed and version:
            draft.install(Pin(name, version, f"{name}=={version}", origin, "follows-torch"), installed[name])
        elif name in installed:
            draft.recheck.append(name)
    draft.recheck += [name for name in ("xformers", "flash-attn", "spas-sage-attn", "bitsandbytes") if name in installed]
    _triton(case, draft, None, torch, installed)
    if case.choice.wants_sage:
        install_sage(case, draft, torch, installed.get("sageattention"))
    if not any(finding.code == "driver-too-old" for finding in draft.extra):
        draft.extra += _limits(case, torch)
    if lacks_tensor_cores(case, torch):
        draft.extra.append(_without_tensor_cores(case, torch))
    return draft.done(torch, pick.tag)


def lacks_tensor_cores(case: Situation, torch: TorchBuild | None) -> bool:
    """Whether the Triton of a torch no longer uses the tensor cores of this card, as that of an older torch does."""
    generation = generation_of(case.tables, known(main_capability(case.facts), None))
    return bool(torch and generation and generation.torch and numbers(torch.minor) > numbers(generation.torch))


def _without_tensor_cores(case: Situation, torch: TorchBuild) -> Finding:
    generation, card = generation_of(case.tables, known(main_capability(case.facts), None)), main_gpu(case.facts)
    assert generation is not None
    assert card is not None
    best = triton_for_torch(case.tables, generation.torch)
    params = {
        "gpu": card[1].name,
        "triton": minor_of(triton_wanted(case.facts, torch, case.tables) or ""),
        "best_torch": generation.torch,
        "best_triton": best.minor if best else "",
    }
    cure = Remedy("older-torch", Text("finding.gpu-lacks-feature.remedy", params), automatic=False)
    return Finding("gpu-lacks-feature", Severity.WARNING, Text("finding.gpu-lacks-feature.text", params), (f"gpus[{card[0]}].compute_capability",), cure)


def _limits(case: Situation, torch: TorchBuild) -> tuple[Finding, ...]:
    """A driver that runs the chosen torch, but is older than the toolkit's own."""
    row, driver = cuda_row(case.tables, torch.cuda), known(driver_version(case.facts), None)
    fit = driver_fit(row, driver, is_windows(case.facts)) if row and driver else None
    if fit is None or fit.full:
        return ()
    params = {"driver": driver or "", "torch": torch.text, "floor": fit.wanted}
    cure = Remedy("update-driver", Text("finding.driver-too-old.remedy", params), automatic=False)
    return (Finding("driver-too-old", Severity.WARNING, Text("finding.driver-too-old.limits", params), ("driver.version",), cure),)


def _triton(case: Situation, draft: WorkDraft, python: Python | None, torch: TorchBuild, installed: Mapping[str, str]) -> None:
    name = "triton-windows" if is_windows(case.facts) else "triton"
    before = installed.get(name)
    conflict = is_windows(case.facts) and "triton" in installed
    if conflict:
        draft.removes.append("triton")
        draft.changes.append(PackageChange("triton", installed["triton"], None, Text("plan.change-conflict")))
    state = judge_triton(case.facts, python, torch, case.tables) if python else TritonState.MISSING
    damaged = python is not None and is_damaged(case.facts, python, "triton", case.tables)
    if before and state is TritonState.RIGHT and not conflict and not damaged:
        draft.keep(name, before)
        return
    wanted = before if before and state is TritonState.RIGHT else triton_wanted(case.facts, torch, case.tables)
    if wanted is None:
        return
    if before == wanted and not conflict and not damaged:
        draft.keep(name, before)
        return
    row = triton_row(case.tables, minor_of(wanted)) if is_windows(case.facts) else None
    why = "triton-again" if conflict else "again" if damaged and before == wanted else "triton-follows" if before else "triton-new"
    pin = Pin(name, wanted, f"{name}=={wanted}", Origin.INDEX, why, row.bytes if row else None, row.unpacked_bytes if row else None)
    draft.install(pin, before)
    for requirement in row.requires if row else ():
        package, _, number = requirement.partition("==")
        if package not in installed:
            size = row.requires_bytes if row and len(row.requires) == 1 else None
            draft.install(Pin(package, number, requirement, Origin.INDEX, "needed", size), None)


def _vllm(case: Situation, pythons: tuple[str, ...]) -> Work:
    """vLLM for Linux, with the torch that it pins. It needs a card."""
    row = case.tables.vllm_linux
    minor = next((python for python in pythons if python in row.pythons), None)
    if minor is None or is_without_card(case.facts):
        return Work(impossible="vllm-unsupported")
    draft = WorkDraft(minor)
    for name, number in (("torch", row.torch), ("triton", row.triton), ("vllm", row.version)):
        draft.install(Pin(name, number, f"{name}=={number}", Origin.INDEX, "vllm"), None)
    driver = known(driver_version(case.facts), None)
    if driver and not at_least(driver, row.driver_floor):
        params = {"driver": driver, "torch": row.torch, "floor": row.driver_floor}
        cure = Remedy("update-driver", Text("finding.driver-too-old.remedy", params), automatic=False)
        draft.extra.append(Finding("driver-too-old", Severity.BLOCKER, Text("finding.driver-too-old.text", params), ("driver.version",), cure))
    return draft.done(torch_build(row.torch), "")


def _without_card(case: Situation, pythons: tuple[str, ...]) -> Work:
    """The CPU build of torch with its Triton, for the interpreter."""
    proven = case.tables.without_gpu
    row = torch_row(case.tables, minor_of(proven.torch))
    assert row is not None
    minor = next((python for python in pythons if python in row.pythons and python in proven.pythons), None)
    if minor is None:
        return Work(impossible="no-torch")
    draft = WorkDraft(minor)
    torch = torch_build(proven.torch)
    draft.install(Pin("torch", proven.torch, f"torch=={proven.torch}", Origin.TORCH_INDEX, "torch-cpu"), None)
    draft.install(Pin("triton", proven.triton, f"triton=={proven.triton}", Origin.INDEX, "triton-new"), None)
    draft.install(Pin("numpy", proven.numpy, f"numpy=={proven.numpy}", Origin.INDEX, "needed"), None)
    if case.choice.wants_sage:
        draft.extra.append(Finding("gpu-lacks-feature", Severity.WARNING, Text("finding.gpu-lacks-feature.cpu"), ("gpus",)))
    return draft.done(torch, "cpu")
