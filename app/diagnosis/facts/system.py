"""Findings about the system around the Pythons: runtime, memory, protection, variables, network."""

from collections.abc import Iterator

from app.diagnosis.facts.found import automatic, found, manual
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.unknown import UNKNOWN, known
from app.tables import Tables
from app.tables.builds import at_least, numbers
from app.tables.machine import is_windows, path

COMMIT_FLOOR_BYTES = 16 * 1024**3
"""Loading torch and its CUDA libraries reserves 8 to 12 GB of address space; below this, error 1455 is reported."""

CLOCK_LIMIT_S = 3600.0
"""Certificates are issued for days; an hour is far outside what a working clock drifts."""


def find(facts: MachineFacts, tables: Tables) -> Iterator[Finding]:
    yield from _network(facts)
    if not is_windows(facts):
        return
    yield from _vc_runtime(facts, tables)
    yield from _profile(facts)
    yield from _memory(facts)
    yield from _protection(facts)
    yield from _variables(facts)


def _vc_runtime(facts: MachineFacts, tables: Tables) -> Iterator[Finding]:
    floor = tables.vc_runtime.floor
    if facts.vc_runtime is None:
        yield found("vc-runtime-missing", Severity.WARNING, "vc_runtime", remedy=automatic("install-vc-runtime"), floor=floor)
    elif facts.vc_runtime is not UNKNOWN and not at_least(facts.vc_runtime, floor):
        yield found(
            "vc-runtime-missing",
            Severity.WARNING,
            "vc_runtime",
            variant="old",
            remedy=automatic("install-vc-runtime"),
            version=facts.vc_runtime,
            floor=floor,
        )


def _profile(facts: MachineFacts) -> Iterator[Finding]:
    places = (("os.user_profile", known(facts.os.user_profile, None)), ("os.temp", known(facts.os.temp, None)))
    odd = [(fact, text) for fact, text in places if text and not text.isascii()]
    if odd:
        yield found("non-ascii-path", Severity.WARNING, *(fact for fact, _ in odd), variant="profile", remedy=manual("ascii-folders"), path=odd[0][1])


def _memory(facts: MachineFacts) -> Iterator[Finding]:
    memory = known(facts.memory, None)
    limit = known(memory.commit_limit_bytes, None) if memory else None
    if limit is not None and limit < COMMIT_FLOOR_BYTES:
        gigabytes = f"{limit / 1e9:.1f}"
        yield found("paging-file-too-small", Severity.WARNING, "memory.commit_limit_bytes", remedy=manual("larger-paging-file"), gigabytes=gigabytes)


def _protection(facts: MachineFacts) -> Iterator[Finding]:
    if known(facts.os.app_control, None) == "enforced":
        yield found("app-control-blocked", Severity.WARNING, "os.app_control", remedy=manual("app-control-advice"))


def _variables(facts: MachineFacts) -> Iterator[Finding]:
    variables = known(facts.environment_variables, {})
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if root := variables.get(name):
            yield from _cuda_path(facts, name, root)
    for name in ("CC", "CXX"):
        value = variables.get(name, "").strip()
        if value and (value.rstrip('"').endswith((";", "\\", "/")) or not value.strip('"').lower().endswith((".exe", "cl", "clang-cl", "gcc", "clang", "tcc"))):
            yield found("compiler-misconfigured", Severity.WARNING, f"environment_variables.{name}", remedy=manual("clear-variable"), name=name, value=value)
    for name in ("PYTHONHOME", "PYTHONPATH"):
        if misleads := variables.get(name):
            at = f"environment_variables.{name}"
            yield found("wrong-python", Severity.NOTE, at, variant="variable", remedy=manual("clear-variable"), name=name, value=misleads)


def _cuda_path(facts: MachineFacts, name: str, root: str) -> Iterator[Finding]:
    evidence = f"environment_variables.{name}"
    if facts.toolkits is UNKNOWN:
        return
    roots = [known(kit.root, "") for kit in facts.toolkits]
    place = next((i for i, one in enumerate(roots) if one and path(facts, one).key == path(facts, root).key), None)
    if place is None:
        yield found("cuda-path-misconfigured", Severity.WARNING, evidence, variant="absent", remedy=manual("clear-variable"), name=name, root=root)
        return
    kit = facts.toolkits[place]
    if parts := known(kit.missing_parts, ()):
        yield found(
            "cuda-path-misconfigured",
            Severity.WARNING,
            evidence,
            f"toolkits[{place}].missing_parts",
            variant="partial",
            remedy=manual("clear-variable"),
            name=name,
            root=root,
            parts=", ".join(parts),
        )
    elif numbers(kit.version) < (12, 0):
        yield found(
            "cuda-path-misconfigured",
            Severity.WARNING,
            evidence,
            f"toolkits[{place}].version",
            remedy=manual("clear-variable"),
            name=name,
            root=root,
            version=kit.version,
        )


def _network(facts: MachineFacts) -> Iterator[Finding]:
    network = known(facts.network, None)
    if network is None:
        return
    reachable = known(network.reachable, {})
    proxy = known(network.proxy, None)
    if network.online is False:
        yield found("network-failed", Severity.BLOCKER, "network.online", remedy=manual("bundle"))
    elif reachable and not any(reachable.values()):
        if proxy:
            yield found("proxy-failed", Severity.BLOCKER, "network.proxy", "network.reachable", remedy=manual("fix-proxy"), proxy=proxy)
        else:
            yield found("network-failed", Severity.BLOCKER, "network.reachable", remedy=manual("bundle"))
    if known(network.tls_inspected, None):
        yield found("tls-inspection", Severity.NOTE, "network.tls_inspected", remedy=automatic("system-certificates"))
    skew = known(network.clock_skew_seconds, None)
    if skew is not None and abs(skew) > CLOCK_LIMIT_S:
        hours = f"{abs(skew) / 3600:.0f}"
        yield found("certificate-expired", Severity.WARNING, "network.clock_skew_seconds", variant="clock", remedy=manual("set-clock"), hours=hours)
