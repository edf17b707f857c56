"""SageAttention in one environment: kept, installed, replaced, or why there is none."""

from app.model.facts import Python
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import TorchChange
from app.model.text import Text
from app.model.unknown import known
from app.planning.situation import Situation, wish_for
from app.planning.work import Origin, Pin, WorkDraft
from app.tables.builds import TorchBuild, numbers
from app.tables.fits import Wish, code_for_gpu, generation_of, pick_sage, pick_torch, torch_row
from app.tables.judge import SageState, is_damaged, judge_sage
from app.tables.machine import is_windows, main_capability, main_gpu

UNPACKED_TIMES = 4
"""Sizes of the known wheels, unpacked over packed."""
USUAL_WHEEL_BYTES = 17_000_000


def keep_or_replace_sage(case: Situation, draft: WorkDraft, python: Python, torch: TorchBuild) -> None:
    """SageAttention around a torch that stays."""
    before = known(python.packages, {}).get("sageattention")
    state = judge_sage(case.facts, python, torch, case.tables)
    damaged = is_damaged(case.facts, python, "sageattention", case.tables) and not is_damaged(case.facts, python, "triton", case.tables)
    if before and not damaged and state in {SageState.RIGHT, SageState.SELF_BUILT}:
        draft.keep("sageattention", before, "self-built" if state is SageState.SELF_BUILT else "kept")
        if before.startswith("1."):
            _tell_of_second_version(case, draft, torch)
        return
    install_sage(case, draft, torch, before, again=damaged)


def install_sage(case: Situation, draft: WorkDraft, torch: TorchBuild, before: str | None, *, again: bool = False) -> None:
    """The wheel for a torch, or why there is none. `again`: what is there does not load."""
    capability = known(main_capability(case.facts), None)
    if capability is None:
        draft.extra.append(Finding("gpu-lacks-feature", Severity.WARNING, Text("finding.gpu-lacks-feature.cpu"), ("gpus",)))
        return
    if not is_windows(case.facts):
        _portable_sage(case, draft, capability, torch, before)
        return
    row = pick_sage(case.tables, torch, draft.python_minor, capability, case.facts.os.arch)
    if row is None:
        _no_sage(case, draft, torch, before)
        return
    release = case.tables.sage_release
    file = release.pattern.format(version=row.version, python=row.python_tag)
    url = f"{release.base}/{row.tag}/{file.replace('+', '%2B')}"
    why = "again" if again and before == row.version else "sage-follows" if before else "sage-new"
    requirement = f"sageattention @ {url}" + (f"#sha256={row.sha256}" if row.sha256 else "")
    unpacked = (row.bytes or USUAL_WHEEL_BYTES) * UNPACKED_TIMES
    draft.install(Pin("sageattention", row.version, requirement, Origin.FILE, why, row.bytes or None, unpacked, url), before)


def _portable_sage(case: Situation, draft: WorkDraft, capability: tuple[int, int], torch: TorchBuild, before: str | None) -> None:
    """Linux: the package index has version 1 only, which newer cards cannot use."""
    row = case.tables.sage_portable
    if code_for_gpu(row.gpus, capability):
        unpacked = row.bytes * UNPACKED_TIMES
        draft.install(Pin("sageattention", row.version, f"sageattention=={row.version}", Origin.INDEX, "sage-new", row.bytes, unpacked), before)
    else:
        draft.extra.append(no_sage_at_all(torch.text))


def no_sage_at_all(torch: str) -> Finding:
    """No SageAttention is published for this card and system."""
    return Finding("wheel-not-published", Severity.WARNING, Text("finding.wheel-not-published.sage-none", {"torch": torch}), ("gpus",))


def _no_sage(case: Situation, draft: WorkDraft, torch: TorchBuild, before: str | None) -> None:
    """No wheel: where another torch or driver has one, that is the person's choice; where none has, it is said and left out."""
    generation = generation_of(case.tables, known(main_capability(case.facts), None))
    if before and not before.startswith("0."):
        draft.packages["sageattention"] = before
    if generation is not None and not generation.sage:
        card = main_gpu(case.facts)
        text = Text("finding.gpu-lacks-feature.sage", {"gpu": card[1].name if card else ""})
        draft.extra.append(Finding("gpu-lacks-feature", Severity.WARNING, text, ("gpus",)))
        return
    wish = wish_for(case, (draft.python_minor,))
    if wish and torch_row(case.tables, torch.minor) and pick_torch(case.tables, wish):
        draft.extra.append(_another_torch_has_it(torch))
        draft.decision = "sage" if case.choice.torch_change is TorchChange.ASK else None
    elif wish and (floor := _oldest_driver_for(case, wish)):
        params = {"driver": wish.driver or "", "floor": floor}
        cure = Remedy("update-driver", Text("finding.driver-too-old.sage-remedy", params), automatic=False)
        draft.extra.append(Finding("driver-too-old", Severity.WARNING, Text("finding.driver-too-old.sage", params), ("driver.version",), cure))
        draft.decision = draft.decision or ("driver" if case.choice.torch_change is TorchChange.ASK else None)
    else:
        draft.extra.append(no_sage_at_all(torch.text))


def _tell_of_second_version(case: Situation, draft: WorkDraft, torch: TorchBuild) -> None:
    """Version 1 stays where nothing better fits this torch; that another torch has version 2 is worth knowing."""
    generation = generation_of(case.tables, known(main_capability(case.facts), None))
    wish = wish_for(case, (draft.python_minor,))
    if is_windows(case.facts) and generation and generation.sage == "2" and wish and pick_torch(case.tables, wish):
        draft.extra.append(_another_torch_has_it(torch))


def _another_torch_has_it(torch: TorchBuild) -> Finding:
    params = {"torch": torch.text}
    cure = Remedy("replace-torch", Text("finding.wheel-not-published.sage-remedy", params), automatic=False)
    return Finding("wheel-not-published", Severity.WARNING, Text("finding.wheel-not-published.sage", params), ("gpus", "pythons"), cure)


def _oldest_driver_for(case: Situation, wish: Wish) -> str | None:
    """The oldest driver with which a torch that has a SageAttention wheel runs; None where no driver helps."""
    floors = sorted({row.driver_floor for row in case.tables.cuda}, key=numbers)
    return next((floor for floor in floors if pick_torch(case.tables, wish._replace(driver=floor))), None)
