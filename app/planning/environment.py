"""The plan inside one environment of this machine's own system: the native route, the Linux route, and the target of a build."""

from dataclasses import replace

from app.model.facts import MachineFacts, Python
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Goal, Option, PlannedPython, Reason, RouteKind, Step, TorchChange
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.planning import comfyui, options, steps
from app.planning.apps import app_name
from app.planning.draft import Draft, reason
from app.planning.packages import work_in
from app.planning.relevant import findings_for
from app.planning.runtime import runtime_steps
from app.planning.situation import Situation
from app.planning.sources import sources_for, unreachable
from app.planning.target import PATH_LIMIT, Target, bases, executable_in, work_in_a_new_one
from app.planning.work import Work
from app.tables.builds import minor_of
from app.tables.judge import TorchState
from app.tables.machine import disk_of, driver_version, environment_folder, is_windows, main_gpu, site_packages


def plan_environment(case: Situation, findings: tuple[Finding, ...], target: Target, route: RouteKind, folder: str) -> Draft:
    """The draft for a target. `folder` is where a new environment would go, for the options."""
    if target.standing is None and target.trouble in {"python-not-known", "comfyui-not-known", "pythons-unknown", "folder-taken"}:
        offers = (options.new_environment(case, folder),)
        found = findings_for(case, findings, target, Work(), has_work=True)
        needs = (reason(target.trouble, python=case.choice.python or "", folder=case.choice.comfyui or target.folder),)
        return Draft(route, found, needs=needs, options=offers, summary=Text("plan.summary-unknown"))
    place, work, base, first = _place_and_work(case, target)
    rest = _steps(case, target, place, work)
    has_work = bool(first or rest)
    found = findings_for(case, findings, target, work, has_work=has_work)
    if has_work:
        found += unreachable(case, work) + _no_room(case, target, work)
    planned = PlannedPython(
        place.executable,
        target.standing.python.kind if target.standing else "venv",
        place.version,
        is_new=target.standing is None,
        base=base.executable if base else None,
    )
    shown = planned if target.standing or not (work.unknown or work.impossible) else None
    return Draft(
        route,
        found,
        shown,
        dict(work.packages),
        (*first, *rest) if work.unknown is None and not work.impossible and not work.stays_wrong else (),
        work.keeps,
        work.changes,
        _options(case, target, work, folder),
        sum(pin.unpacked_bytes or 0 for pin in work.pins) + _torch_room(case, work),
        _needs(case, target, work, has_work),
        (reason(work.impossible),) if work.impossible and route is RouteKind.LINUX else (),
        _notes(case, target, work),
        _summary(case, target, work, has_work),
        work,
        steps.has_pip(place.python),
    )


def _place_and_work(case: Situation, target: Target) -> tuple[steps.Place, Work, Python | None, list[Step]]:
    if target.standing:
        python = target.standing.python
        return steps.Place(python.executable, python.version, python), work_in(case, python), None, []
    work = work_in_a_new_one(case)
    base = next((base for base in bases(case.facts, case.tables) if minor_of(base.version) == work.python_minor), None)
    version = base.version if base else work.python_minor
    place = steps.Place(executable_in(case.facts, target.folder), version)
    created = [] if work.unknown or work.impossible else steps.create_environment(target.folder, base, version)
    return place, work, base, created


def _steps(case: Situation, target: Target, place: steps.Place, work: Work) -> list[Step]:
    """All steps behind the making of the environment; empty where nothing is to be done."""
    if work.unknown or work.impossible or work.stays_wrong:
        return []
    before: list[Step] = []
    python = place.python
    if is_windows(case.facts):
        before += runtime_steps(case, place)
        if python and case.choice.wants_triton and known(python.has_headers, python.kind != "embedded") is False:
            before.append(steps.headers(case, place, conditional=python.has_headers is UNKNOWN))
        if python and _is_too_deep(case.facts, target):
            before.insert(0, steps.set_long_paths())
    change = steps.transaction(place.executable, steps.has_pip(python), work, sources_for(case, work))
    wiring = comfyui.wire(case, python, work)
    if not (before or change or wiring or target.standing is None):
        return []
    free = [steps.check_free(place.executable)] if python and (before or change) else []
    caches = (
        [steps.clear_caches(place.executable)]
        if any(c.before and c.after != c.before for c in work.changes if c.name in {"torch", "triton-windows", "triton"})
        else []
    )
    test = [steps.smoke_test(place.executable, work)] if before or change or target.standing is None else []
    return [*free, *before, *change, *caches, *wiring, *test]


def _is_too_deep(facts: MachineFacts, target: Target) -> bool:
    assert target.standing is not None
    longest = len(site_packages(facts, target.standing.python)) + 1 + target.standing.tables.room.longest_torch_path
    return facts.os.long_paths is False and longest > PATH_LIMIT


def _torch_room(case: Situation, work: Work) -> int:
    if not any(pin.name == "torch" for pin in work.pins):
        return 0
    return case.tables.room.torch_cpu_bytes if work.tag == "cpu" else case.tables.room.torch_cuda_bytes


def _no_room(case: Situation, target: Target, work: Work) -> tuple[Finding, ...]:
    """Whether the drives hold what comes: the environment's the packages, the profile's the downloads. Unknown drives are left to the run."""
    if not work.pins:
        return ()
    room = case.tables.room
    torch = next((True for pin in work.pins if pin.name == "torch"), False)
    downloads = sum(pin.download_bytes or 0 for pin in work.pins)
    if torch:
        downloads += room.torch_cpu_download_bytes if work.tag == "cpu" else room.torch_cuda_download_bytes
    unpacked = sum(pin.unpacked_bytes or 0 for pin in work.pins) + _torch_room(case, work)
    folder = environment_folder(case.facts, target.standing.python) if target.standing else target.folder
    profile = known(case.facts.os.user_profile, None)
    needed: dict[str, int] = {}
    for place, size in ((folder, unpacked), (profile or folder, downloads)):
        disk = known(disk_of(case.facts, place), None)
        if disk:
            needed[disk.root] = needed.get(disk.root, room.spare_bytes) + size
    return tuple(_full(case, root, size) for root, size in needed.items() if _free(case, root) < size)


def _free(case: Situation, root: str) -> int:
    return next(disk.free_bytes for disk in known(case.facts.disks, ()) if disk.root == root)


def _full(case: Situation, root: str, needed: int) -> Finding:
    disks = known(case.facts.disks, ())
    place = next(i for i, disk in enumerate(disks) if disk.root == root)
    params = {"root": root, "free": steps.spoken_size(disks[place].free_bytes), "needed": steps.spoken_size(needed)}
    remedy = Remedy("make-room", Text("finding.disk-full.remedy", params), automatic=False)
    return Finding("disk-full", Severity.BLOCKER, Text("finding.disk-full.spare", params), (f"disks[{place}].free_bytes",), remedy)


def _needs(case: Situation, target: Target, work: Work, has_work: bool) -> tuple[Reason, ...]:
    needs = []
    if has_work and not work.unknown and main_gpu(case.facts) and driver_version(case.facts) is UNKNOWN:
        needs.append(reason("unknown-driver"))
    if target.trouble:
        needs.append(reason(target.trouble, python=target.rejected.python.executable if target.rejected else "", folder=target.folder))
    if work.unknown:
        needs.append(reason(f"unknown-{work.unknown}"))
    if work.decision == "driver":
        needs.append(reason("driver-for-sage"))
    elif work.decision:
        present = target.standing.torch.torch if target.standing else None
        needs.append(reason(f"decide-{work.decision}", torch=present.text if present else ""))
    if work.impossible:
        needs.append(reason(work.impossible))
    return tuple(needs)


def _options(case: Situation, target: Target, work: Work, folder: str) -> tuple[Option, ...]:
    offers = []
    standing = target.standing
    without_sage = (options.option("without-sage", case, torch_change=TorchChange.KEEP),) if work.decision == "driver" else ()
    if standing is None:
        return (*without_sage, *((options.new_environment(case, folder),) if target.trouble else ()))
    before = standing.torch.torch.text if standing.torch.torch else ""
    python = standing.python.executable
    if work.decision == "torch" and not work.impossible:
        after = work.packages.get("torch") or work_in(_replacing(case), standing.python).packages.get("torch", "")
        offers.append(options.replace_torch(case, python, before, after))
    elif work.decision == "sage":
        after = work_in(_replacing(case), standing.python).packages.get("torch", "")
        offers += [options.replace_torch(case, python, before, after), options.keep_torch(case, python, before)]
    blocked = not standing.is_writable or standing.lies_badly or standing.flaws or (standing.torch.state is TorchState.RIGHT and standing.cost > 1)
    if work.impossible or work.decision in {"torch", "sage"} or blocked or (main_gpu(case.facts) and work.unknown in {"packages", "torch"}):
        offers += [] if work_in_a_new_one(case).impossible else [options.new_environment(case, folder)]
    return (*without_sage, *offers, *comfyui.offers(case, standing.python, work))


def _replacing(case: Situation) -> Situation:
    return case._replace(choice=replace(case.choice, torch_change=TorchChange.REPLACE))


def _notes(case: Situation, target: Target, work: Work) -> tuple[Reason, ...]:
    name = known(target.standing.python.app, None) if target.standing else None
    is_guess = work.unknown is not None and target.why in {"fits", "only"}
    notes = [] if is_guess else [reason(f"target-{target.why}", app=app_name(name), folder=target.folder)]
    if work.torch and work.torch.nightly:
        notes.append(reason("nightly", torch=work.torch.text))
    network = known(case.facts.network, None)
    if work.pins and not case.choice.wheelhouse and (network is None or (network.online is UNKNOWN and network.reachable is UNKNOWN)):
        notes.append(reason("network-not-asked"))
    if work.recheck:
        notes.append(reason("recheck", names=", ".join(work.recheck)))
    if work.tag == "cpu":
        notes.append(reason("no-gpu-proof"))
    if Goal.VLLM in case.choice.goals and len(case.choice.goals) > 1:
        notes.append(reason("vllm-apart"))
    notes += comfyui.notes(case, target.standing.python if target.standing else None, work)
    return tuple(notes)


def _summary(case: Situation, target: Target, work: Work, has_work: bool) -> Text:
    if work.unknown or work.impossible:
        return Text("plan.summary-unknown" if work.unknown else "plan.summary-none")
    if not has_work:
        return Text("plan.summary-right")
    decides = work.decision in {"torch", "sage"}
    key = "new-cpu" if work.tag == "cpu" else "new" if target.standing is None else "decide" if decides else "change"
    return Text(f"plan.summary-{key}", {"folder": target.folder or (environment_folder(case.facts, target.standing.python) if target.standing else "")})
