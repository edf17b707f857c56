"""vLLM: always in an environment of its own. On Windows itself only a community build exists; in WSL2 the official one runs.

kind            arguments
vllm-configure  python, distro ("" for Windows itself), model, host, port, gpu_share, sequences, enforce_eager
vllm-start      the same
"""

from typing import TYPE_CHECKING

from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Goal, PackageChange, PlannedPython, RouteKind, Step, Where
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.planning import steps
from app.planning.draft import Draft, reason, refused
from app.planning.model_size import size_server
from app.planning.relevant import is_of_another_route, place_of
from app.planning.situation import Situation
from app.planning.sources import sources_for, unreachable
from app.planning.target import bases, executable_in
from app.planning.work import Origin, Pin, Work
from app.tables.builds import at_least, minor_of, torch_build
from app.tables.fits import torch_download
from app.tables.machine import capability_of, driver_version, main_capability, main_gpu

if TYPE_CHECKING:
    from app.tables.goal_rows import VllmWindowsRow


def is_vllm_alone(case: Situation) -> bool:
    """vLLM beside other goals gets a plan of its own."""
    return set(case.choice.goals) == {Goal.VLLM}


def plan_native_vllm(case: Situation, findings: tuple[Finding, ...], folder: str) -> Draft:
    """The community build in a new environment."""
    row = case.tables.vllm_windows
    capability, driver = main_capability(case.facts), driver_version(case.facts)
    if case.facts.os.arch != "x86_64":
        return refused(RouteKind.NATIVE, reason("vllm-unsupported"))
    if capability is UNKNOWN or capability is None or driver is UNKNOWN:
        code = "unknown-gpus" if case.facts.gpus is UNKNOWN else "unknown-capability" if capability in (UNKNOWN, None) else "unknown-driver"
        return Draft(RouteKind.NATIVE, _shown(findings), needs=(reason(code),), summary=Text("plan.summary-unknown"))
    if capability < (capability_of(row.gpu_oldest) or (0, 0)):
        return refused(RouteKind.NATIVE, reason("vllm-unsupported"), findings=_shown(findings))
    return _community_build(case, findings, folder, row)


def _community_build(case: Situation, findings: tuple[Finding, ...], folder: str, row: "VllmWindowsRow") -> Draft:
    base = next((python for python in bases(case.facts, case.tables) if minor_of(python.version) == row.python), None)
    version = base.version if base else row.python
    place = steps.Place(executable_in(case.facts, case.choice.new_env or folder), version)
    work = Work(
        packages={"vllm": row.version, "torch": row.torch, "triton-windows": row.triton},
        pins=(
            Pin("torch", row.torch, f"torch=={row.torch}", Origin.TORCH_INDEX, "vllm", about_bytes=torch_download(case.tables, row.torch)),
            Pin("triton-windows", row.triton, f"triton-windows=={row.triton}", Origin.INDEX, "vllm"),
            Pin("vllm", row.version, f"vllm @ {row.url}", Origin.FILE, "vllm", row.bytes or None, None, row.url),
        ),
        torch=torch_build(row.torch),
        tag=row.torch.partition("+")[2],
    )
    created = steps.create_environment(case.choice.new_env or folder, base, version)
    change = steps.transaction(place.executable, False, work, sources_for(case, work))
    test = steps.smoke_test(place.executable, work)
    unsupported = Finding(
        "vllm-windows-unsupported",
        Severity.WARNING,
        Text("finding.vllm-windows-unsupported.text"),
        ("os.family",),
        Remedy("use-wsl2", Text("finding.vllm-windows-unsupported.remedy"), automatic=False),
    )
    return Draft(
        RouteKind.NATIVE,
        with_model_size(case, (*_shown(findings), unsupported, *driver_findings(case, row.driver_floor, row.torch), *unreachable(case, work))),
        PlannedPython(place.executable, "venv", version, is_new=True, base=base.executable if base else None),
        dict(work.packages),
        (*created, *change, test, *server_steps(case, place.executable, "")),
        changes=tuple(PackageChange(pin.name, None, pin.version, Text("plan.change-vllm")) for pin in work.pins),
        disk_bytes=case.tables.room.torch_cuda_bytes,
        notes=(reason("vllm-experimental"), reason("target-new-vllm")),
        summary=Text("plan.summary-vllm"),
        work=work,
    )


def _shown(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if place_of(finding) is None and not is_of_another_route(finding))


def driver_findings(case: Situation, floor: str, torch: str) -> tuple[Finding, ...]:
    """Whether the driver runs the torch that vLLM pins."""
    driver = known(driver_version(case.facts), None)
    if driver is None or at_least(driver, floor):
        return ()
    params = {"driver": driver, "torch": torch, "floor": floor}
    cure = Remedy("update-driver", Text("finding.driver-too-old.remedy", params), automatic=False)
    return (Finding("driver-too-old", Severity.BLOCKER, Text("finding.driver-too-old.text", params), ("driver.version",), cure),)


def with_model_size(case: Situation, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings, with what is said of small cards in general replaced where the named model is known not to fit.

    Whether a model of a known size fits a card of unknown memory is not guessed.
    """
    card, model = main_gpu(case.facts), case.choice.model
    if card is None or not model:
        return findings
    place, gpu = card
    sizing = size_server(case.tables, model, known(gpu.memory_bytes, None))
    if sizing.weights_bytes is not None and sizing.room_bytes is None:
        again = Remedy("check-again", Text("finding.vllm-memory.check-again"), automatic=False)
        words = Text("finding.vllm-memory.unknown", {"model": model, "gpu": gpu.name})
        return (*findings, Finding("vllm-memory", Severity.BLOCKER, words, (f"gpus[{place}].memory_bytes",), again))
    if not sizing.is_too_large:
        return findings
    params = {"model": model, "gpu": gpu.name, "needed": _gigabytes(sizing.weights_bytes), "room": _gigabytes(sizing.room_bytes)}
    remedy = Remedy("small-model", Text("finding.vllm-memory.remedy"), automatic=False)
    precise = Finding("vllm-memory", Severity.BLOCKER, Text("finding.vllm-memory.too-large", params), (f"gpus[{place}].memory_bytes",), remedy)
    return (*(finding for finding in findings if finding.code != "vllm-memory"), precise)


def _gigabytes(size: int | None) -> str:
    return f"{(size or 0) / 1e9:.1f}"


def server_steps(case: Situation, python: str, distro: str) -> list[Step]:
    """Settings and a first start, where a model is named. It listens on this PC only."""
    model, rules = case.choice.model, case.tables.vllm_memory
    if not model:
        return []
    card = main_gpu(case.facts)
    sizing = size_server(case.tables, model, known(card[1].memory_bytes, None) if card else None)
    arguments: dict[str, str | int] = {
        "python": python,
        "distro": distro,
        "model": model,
        "host": rules.host,
        "port": rules.port,
        "gpu_share": sizing.share,
        "sequences": sizing.sequences,
        "enforce_eager": not sizing.graphs,
    }
    serve = (python, "-m", "vllm.entrypoints.cli.main", "serve", model, "--host", rules.host, "--port", str(rules.port))
    limits = ("--gpu-memory-utilization", sizing.share, "--max-model-len", "auto", "--max-num-seqs", str(sizing.sequences))
    inside = ("wsl.exe", "-d", distro, "-u", "root", "--cd", "~", "-e") if distro else ()
    argv = (*inside, *serve, *limits, *(() if sizing.graphs else ("--enforce-eager",)))
    where = Where.WSL if distro else Where.WINDOWS
    words = steps.title("vllm-configure")
    return [
        Step("vllm-settings", "vllm-configure", words, where=Where.FILE, undo=steps.undo("file"), arguments=arguments, weight=0.2),
        Step("vllm-start", "vllm-start", steps.title("vllm-start"), argv, where, download_bytes=None, arguments=arguments, weight=10.0),
    ]
