"""Findings about WSL2. The plan shows them only where it goes that way."""

from collections.abc import Iterator, Mapping

from app.diagnosis.facts.found import automatic, found, manual
from app.model.facts import Distro, MachineFacts
from app.model.findings import Finding, Remedy, Severity
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.tables import Tables
from app.tables.machine import can_start_hypervisor, is_usable, nvidia_gpus, wsl_hides_gpus

MEMORY_FLOOR = 6 * 1024**3
"""Below this, loading torch with a model inside WSL ends with the process killed."""

REPAIRS = {
    "enable": ("enable-feature", "finding.wsl-feature-disabled.remedy"),
    "update": ("update-wsl", "finding.wsl-inbox-version.remedy"),
}
"""What the plan itself does about an error code of wsl.exe: remedy and its words, by what the table of codes says may be done."""

_UNITS = {"KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}


def find(facts: MachineFacts, tables: Tables) -> Iterator[Finding]:
    if facts.os.family != "windows" or facts.wsl is UNKNOWN:
        return
    cpu = known(facts.cpu, None)
    wsl = facts.wsl
    if cpu and cpu.virtualization is False and not (wsl and known(wsl.hypervisor_running, None)):
        yield found("wsl-virtualization-off", Severity.BLOCKER, "cpu.virtualization", remedy=manual("enable-virtualization"))
    if wsl is None or wsl.kind == "stub":
        yield found("wsl-not-installed", Severity.WARNING, "wsl", remedy=automatic("install-wsl"))
        return
    if known(wsl.restart_pending, None):
        yield found("wsl-restart-pending", Severity.BLOCKER, "wsl.restart_pending", remedy=manual("restart"))
    if wsl.kind == "inbox" or (wsl.kind is UNKNOWN and wsl.version is None):
        yield found("wsl-inbox-version", Severity.WARNING, "wsl.version", remedy=automatic("update-wsl"))
        if wsl.kernel is None:
            yield found("wsl-kernel-missing", Severity.WARNING, "wsl.kernel", remedy=automatic("update-wsl"))
    if wsl.platform_enabled is False:
        yield found("wsl-feature-disabled", Severity.WARNING, "wsl.platform_enabled", remedy=automatic("enable-feature"))
    starts = can_start_hypervisor(facts)
    if starts:
        yield found(
            "wsl-virtualization-off", Severity.WARNING, "wsl.hypervisor_running", variant="launch", remedy=automatic("start-hypervisor", "launch-remedy")
        )
    if problem := known(wsl.problem, None):
        yield from (finding for finding in _problem(tables, problem) if not (starts and finding.code == "wsl-virtualization-off"))
    if wsl.wslconfig is not UNKNOWN and wsl.wslconfig:
        yield from _config(wsl.wslconfig)
    for place, distro in enumerate(known(wsl.distros, ())):
        yield from _distro(facts, place, distro)


def _problem(tables: Tables, problem: str) -> Iterator[Finding]:
    """The error code that wsl.exe printed decides; its sentence is localized and does not. A code without a row has no cause yet."""
    cause = tables.wsl_cause(problem) or "wrapped-error"
    params = {"problem": problem}
    repair = REPAIRS.get(tables.wsl_act(problem))
    severity = Severity.WARNING if repair or cause in {"wsl-not-installed", "wsl-inbox-version"} else Severity.BLOCKER
    cure = Remedy(repair[0], Text(repair[1]), automatic=True) if repair else Remedy("see-code", Text("finding.wsl-code.remedy", params), automatic=False)
    yield Finding(cause, severity, Text("finding.wsl-code.text", params), ("wsl.problem",), cure)


def _config(settings: Mapping[str, str]) -> Iterator[Finding]:
    values = {key.lower(): value for key, value in settings.items()}
    memory = values.get("memory", "").strip().upper()
    if memory and memory.isdigit():
        yield found("wsl-config-invalid", Severity.WARNING, "wsl.wslconfig.memory", remedy=automatic("repair-wslconfig"), key="memory", value=memory)
    elif memory[:-2].isdigit() and memory[-2:] in _UNITS and int(memory[:-2]) * _UNITS[memory[-2:]] < MEMORY_FLOOR:
        yield found("wsl-memory", Severity.WARNING, "wsl.wslconfig.memory", remedy=automatic("raise-wsl-memory"), value=memory)
    if values.get("networkingmode", "").strip().lower() == "none":
        yield found("wsl-network-broken", Severity.BLOCKER, "wsl.wslconfig.networkingMode", remedy=manual("set-networking"))
    if kernel := values.get("kernel", "").strip():
        yield found("wsl-config-invalid", Severity.WARNING, "wsl.wslconfig.kernel", variant="kernel", remedy=manual("own-kernel", "kernel-remedy"), path=kernel)
    if values.get("gpusupport", "").strip().lower() == "false":
        yield found(
            "wsl-config-invalid",
            Severity.WARNING,
            "wsl.wslconfig.gpuSupport",
            variant="gpu",
            remedy=automatic("repair-wslconfig"),
            key="gpuSupport",
            value="false",
        )


def _distro(facts: MachineFacts, place: int, distro: Distro) -> Iterator[Finding]:
    at = f"wsl.distros[{place}]"
    if distro.wsl_version == 1:
        yield found("wsl-version-1", Severity.WARNING, f"{at}.wsl_version", remedy=automatic("new-distro"), distro=distro.name)
        return
    libcuda = known(distro.libcuda, None)
    if distro.driver_in_distro or (libcuda and not libcuda.startswith("/usr/lib/wsl/")):
        yield found("wsl-driver-in-distro", Severity.WARNING, f"{at}.driver_in_distro", remedy=automatic("new-distro"), distro=distro.name)
    elif distro.libcuda is None and distro.gpu_visible is not False and not wsl_hides_gpus(facts):
        yield found("wsl-libcuda", Severity.WARNING, f"{at}.libcuda", remedy=automatic("new-distro"), distro=distro.name)
    elif distro.gpu_visible is False:
        cards = [gpu for _, gpu in nvidia_gpus(facts) if is_usable(gpu)]
        if any(gpu.driver_model == "TCC" for gpu in cards):
            yield found("wsl-gpu-tcc", Severity.BLOCKER, "gpus", f"{at}.gpu_visible", remedy=manual("switch-to-wddm"), distro=distro.name)
        elif cards:
            cure = automatic("repair-wslconfig", "config-remedy") if wsl_hides_gpus(facts) else automatic("new-distro")
            yield found("wsl-gpu-blocked", Severity.WARNING, f"{at}.gpu_visible", remedy=cure, distro=distro.name)
