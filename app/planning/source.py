"""The source route: triton-windows built on this machine, then installed as any other package.

kind               arguments
check-toolchain    folder, vcvars, room_bytes
fetch-build-tools  url
source-build       folder, wheels, python, requirements, repository, reference, subfolder, vcvars, variables, room_bytes,
                   beside (a Python whose packages the build sees)
"""

from dataclasses import replace

from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Reason, RouteKind, Step
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.planning import options, steps
from app.planning.draft import Draft, reason, refused
from app.planning.situation import Situation
from app.planning.source_sage import SageSource, misses_sage, sage_source, sage_steps, why_not, with_sage
from app.planning.sources import Sources, sources_for
from app.planning.vllm import is_vllm_alone
from app.planning.work import Origin, Pin, Work
from app.tables.builds import at_least, minor_of, numbers
from app.tables.fits import triton_row
from app.tables.machine import disk_of
from app.tables.rows import TritonRow

FOLDER = "C:\\tbuild"
"""Short, as compilers cannot use long paths; on the system drive, as every Windows has one."""

BUILD = frozenset({"build-msvc-missing", "windows-sdk-missing", "build-llvm-missing"})


def plan_source(case: Situation, findings: tuple[Finding, ...], native: Draft) -> Draft:
    """The draft: what the native route would do, with a build in the place of the ready-made Triton."""
    if native.impossible:
        return replace(native, route=RouteKind.SOURCE)
    if case.facts.os.arch != "x86_64":
        return refused(RouteKind.SOURCE, reason("arm"))
    if is_vllm_alone(case):
        return refused(RouteKind.SOURCE, reason("goal-not-built"))
    ready = replace(native, route=RouteKind.SOURCE)
    row = _branch(case, ready)
    source = sage_source(case, ready) if misses_sage(case, ready) else None
    if row is not None:
        built = _with_build(case, findings, ready, row)
        return _with_sage(case, ready, built, source)
    if source is not None:
        return _with_sage(case, ready, _with_tools(case, findings, ready), source)
    return replace(ready, steps=()) if ready.needs else refused(RouteKind.SOURCE, reason("no-branch"), findings=ready.findings)


def _with_tools(case: Situation, findings: tuple[Finding, ...], ready: Draft) -> Draft:
    """What the native route would do, its ready-made Triton included, behind the tools for a build."""
    tools = [finding for finding in findings if finding.code in BUILD]
    notes = (reason("sage-built"), *_tool_notes(tools))
    return replace(ready, findings=(*ready.findings, *tools, *_room(case)), steps=(*_tool_steps(case, tools), *ready.steps), notes=notes)


def _with_sage(case: Situation, ready: Draft, built: Draft, source: SageSource | None) -> Draft:
    """SageAttention is built too where no wheel fits; what that lacks is said."""
    if source is None:
        return replace(built, notes=(*built.notes, why_not(case, ready))) if misses_sage(case, ready) else built
    assert ready.python is not None
    assert ready.work is not None
    work = replace(ready.work, packages=dict(ready.work.packages) | {"sageattention": source.version})
    others = tuple(step for step in built.steps if step.kind != "smoke-test")
    test = steps.smoke_test(ready.python.executable, work)
    return with_sage(replace(built, steps=(*others, *sage_steps(case, ready, source, _common(case)), test)), source)


def _branch(case: Situation, ready: Draft) -> TritonRow | None:
    """The Triton that belongs to the torch of the plan, if a branch of it can be built."""
    planned = ready.packages.get("triton-windows")
    row = triton_row(case.tables, minor_of(planned)) if planned else None
    return row if row and row.branch else None


def _with_build(case: Situation, findings: tuple[Finding, ...], ready: Draft, row: TritonRow) -> Draft:
    tools = [finding for finding in findings if finding.code in BUILD]
    version = _version_of(row)
    wheel = options.option("ready-made", case, {"package": f"triton-windows {row.newest}"}, route=RouteKind.NATIVE)
    return replace(
        ready,
        findings=(*ready.findings, *tools, *_room(case)),
        packages=dict(ready.packages) | {"triton-windows": version},
        steps=(*_tool_steps(case, tools), *_build_steps(case, ready, row)),
        keeps=tuple(name for name in ready.keeps if name != "triton-windows"),
        changes=tuple(replace(change, after=version) if change.name == "triton-windows" else change for change in ready.changes),
        options=(wheel, *ready.options),
        disk_bytes=ready.disk_bytes + case.tables.build.room_bytes,
        notes=(reason("build-time"), *_ready_made(case, ready), *_tool_notes(tools)),
        summary=Text("plan.summary-source"),
    )


def _room(case: Situation) -> tuple[Finding, ...]:
    """Whether the drive of the build holds it; a drive that is not known is left to the run."""
    disk, needed = known(disk_of(case.facts, FOLDER), None), case.tables.build.room_bytes
    if disk is None or disk.free_bytes >= needed:
        return ()
    params = {"root": disk.root, "free": steps.spoken_size(disk.free_bytes), "needed": steps.spoken_size(needed)}
    remedy = Remedy("make-room", Text("finding.disk-full.remedy", params), automatic=False)
    return (Finding("disk-full", Severity.BLOCKER, Text("finding.disk-full.text", params), ("disks",), remedy),)


def _version_of(row: TritonRow) -> str:
    """A build has no post number: that counts the releases of the ready-made package."""
    return row.newest.partition(".post")[0]


def _ready_made(case: Situation, ready: Draft) -> tuple[Reason, ...]:
    """That nothing has to be built, where it is so: not for a torch that waits to be replaced, nor where SageAttention has no wheel."""
    waits = ready.work is not None and ready.work.decision == "torch"
    return () if waits or misses_sage(case, ready) else (reason("ready-made"),)


def _tool_notes(tools: list[Finding]) -> tuple[Reason, ...]:
    return (reason("build-tools-missing"),) if any(finding.code != "build-llvm-missing" for finding in tools) else ()


def _tool_steps(case: Situation, tools: list[Finding]) -> list[Step]:
    """What is missing comes first, then everything is tried with a probe file."""
    rules = case.tables.build
    codes = {finding.code for finding in tools}
    made: list[Step] = []
    if codes - {"build-llvm-missing"}:
        argv = ("vs_BuildTools.exe", "--add", rules.workload, "--includeRecommended", "--passive", "--norestart", "--wait")
        words = steps.title("fetch-build-tools")
        arguments: dict[str, str | int] = {"url": rules.build_tools}
        made.append(Step("build-tools", "fetch-build-tools", words, argv, needs_admin=True, download_bytes=None, arguments=arguments, weight=30.0))
    if "build-llvm-missing" in codes:
        agreed = ("--accept-package-agreements", "--accept-source-agreements")
        install = ("winget", "install", "--id", rules.git_package, "--exact", "--source", "winget", *agreed)
        made.append(Step("git", "command", steps.title("fetch-git"), install, download_bytes=None, weight=2.0))
    made.append(Step("toolchain", "check-toolchain", steps.title("check-toolchain"), arguments=_common(case), weight=0.3))
    return made


def _common(case: Situation) -> dict[str, str | int]:
    return {"folder": FOLDER, "vcvars": _vcvars(case), "room_bytes": case.tables.build.room_bytes}


def _build_steps(case: Situation, ready: Draft, row: TritonRow) -> list[Step]:
    """The environment's own steps without Triton, the build, then the built wheel through the same exchange as any other."""
    assert ready.python is not None
    assert ready.work is not None
    python, pip = ready.python.executable, ready.has_pip
    kept = [step for step in ready.steps if step.kind not in {"resolve", "download", "swap", "smoke-test", "clear-caches", "write-launcher"}]
    after = [step for step in ready.steps if step.kind in {"clear-caches", "write-launcher"}]
    others = replace(ready.work, pins=tuple(pin for pin in ready.work.pins if pin.name != "triton-windows"))
    around = steps.transaction(python, pip, others, sources_for(case, others))
    version = _version_of(row)
    pin = Pin("triton-windows", version, f"triton-windows=={version}", Origin.INDEX, "triton-new")
    keeps = tuple(name for name in ready.work.packages if name != "triton-windows")
    own = steps.transaction(python, pip, Work(packages=ready.work.packages, pins=(pin,), keeps=keeps), Sources((), (), f"{FOLDER}\\wheels"))
    own = [replace(step, id=f"{step.id}-built") for step in own if step.kind != "download"]
    return [*kept, *around, _build(case, row, python), *own, *after, steps.smoke_test(python, ready.work)]


def _build(case: Situation, row: TritonRow, python: str) -> Step:
    rules = case.tables.build
    subfolder = "" if numbers(row.minor) > numbers(rules.python_folder_until) else "python"
    sources = f"{FOLDER}\\source" + (f"\\{subfolder}" if subfolder else "")
    clone = ("git", "clone", "--depth", "1", "--branch", row.branch, rules.repository, f"{FOLDER}\\source")
    wheel = (python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", f"{FOLDER}\\wheels", sources)
    arguments: dict[str, str | int | tuple[str, ...] | dict[str, str]] = {
        **_common(case),
        "wheels": f"{FOLDER}\\wheels",
        "python": python,
        "requirements": rules.requirements,
        "repository": rules.repository,
        "reference": row.branch,
        "subfolder": subfolder,
        "variables": dict(rules.variables),
    }
    words = steps.title("source-build", version=_version_of(row))
    return Step("build", "source-build", words, (*clone, "&&", *wheel), download_bytes=None, undo=steps.undo("build"), arguments=arguments, weight=60.0)


def _vcvars(case: Situation) -> str:
    """The batch file of the newest fitting compiler; "" where it is found only after the build tools are installed."""
    oldest = case.tables.build.oldest_toolset
    visual = [compiler for compiler in known(case.facts.compilers, ()) if compiler.kind == "msvc" and known(compiler.root, None)]
    fitting = [compiler for compiler in visual if compiler.toolset is UNKNOWN or at_least(compiler.toolset or "", oldest)]
    best = max(fitting, key=lambda compiler: numbers(known(compiler.toolset, None) or "0"), default=None)
    return f"{best.root}\\VC\\Auxiliary\\Build\\vcvars64.bat" if best else ""
