"""The four routes: what each would do here, or why it cannot."""

from app.model.findings import Finding
from app.model.plan import RouteKind
from app.model.unknown import UNKNOWN, known
from app.planning.draft import Draft, reason, refused
from app.planning.environment import plan_environment
from app.planning.relevant import is_of_another_route, place_of
from app.planning.situation import Situation
from app.planning.target import find_target, new_folder
from app.planning.vllm import is_vllm_alone, plan_native_vllm
from app.tables.fits import oldest_capability
from app.tables.machine import is_windows, main_capability, main_gpu

HARDWARE = frozenset({"no-nvidia-gpu", "amd-gpu", "gpu-too-old"})


def plan_native(case: Situation, findings: tuple[Finding, ...], environments_root: str | None) -> Draft:
    """triton-windows in an environment of Windows itself."""
    if not is_windows(case.facts):
        return refused(RouteKind.NATIVE, reason("not-windows"))
    if case.facts.os.arch == "x86":
        return refused(RouteKind.NATIVE, reason("bits"))
    if refusal := hardware_refusal(case, findings, RouteKind.NATIVE):
        return refusal
    if is_vllm_alone(case):
        return plan_native_vllm(case, findings, new_folder(case.facts, environments_root, "vllm"))
    folder = new_folder(case.facts, environments_root, "triton")
    return plan_environment(case, findings, find_target(case.facts, case.choice, case.tables, folder), RouteKind.NATIVE, folder)


def plan_linux(case: Situation, findings: tuple[Finding, ...], environments_root: str | None) -> Draft:
    """torch with its own Triton, on Linux."""
    if is_windows(case.facts):
        return refused(RouteKind.LINUX, reason("not-linux"))
    capability = known(main_capability(case.facts), None)
    if capability and capability < oldest_capability(case.tables):
        return refused(RouteKind.LINUX, reason("gpu-too-old"), findings=machine_findings(findings))
    folder = new_folder(case.facts, environments_root, "vllm" if is_vllm_alone(case) else "triton")
    return plan_environment(case, findings, find_target(case.facts, case.choice, case.tables, folder), RouteKind.LINUX, folder)


def machine_findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if place_of(finding) is None and not is_of_another_route(finding))


def hardware_refusal(case: Situation, findings: tuple[Finding, ...], route: RouteKind) -> Draft | None:
    """No NVIDIA card, or one that no Triton runs on: no route helps."""
    if case.facts.gpus is UNKNOWN:
        return None
    capability = known(main_capability(case.facts), None)
    too_old = capability is not None and capability < oldest_capability(case.tables)
    if main_gpu(case.facts) is not None and not too_old:
        return None
    shown = tuple(finding for finding in findings if finding.code in HARDWARE and place_of(finding) is None)
    code = shown[0].code if shown else "no-nvidia-gpu"
    return refused(route, reason(code), findings=shown)
