"""Findings about compilers and build tools; they matter where Triton is built from source, and for kernels on Linux."""

from collections.abc import Iterator

from app.diagnosis.facts.found import automatic, found, manual
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.plan import Choice, RouteKind
from app.model.unknown import UNKNOWN, known
from app.tables.builds import numbers
from app.tables.machine import is_windows, main_gpu

OLDEST_TOOLSET = (14, 30)
"""MSVC v143, the toolset of Visual Studio 2022 (BUILD.md of triton-windows)."""


def find(facts: MachineFacts, choice: Choice) -> Iterator[Finding]:
    if is_windows(facts):
        if choice.route is RouteKind.SOURCE:
            yield from _build_tools(facts)
    elif main_gpu(facts) and facts.compilers is not UNKNOWN and not any(c.kind in {"gcc", "clang"} for c in facts.compilers):
        yield found("compiler-missing", Severity.BLOCKER, "compilers", remedy=manual("install-compiler"))


def _build_tools(facts: MachineFacts) -> Iterator[Finding]:
    if facts.compilers is not UNKNOWN:
        visual = [compiler for compiler in facts.compilers if compiler.kind == "msvc"]
        new = [c for c in visual if c.toolset is UNKNOWN or (c.toolset and numbers(c.toolset) >= OLDEST_TOOLSET)]
        if not visual:
            yield found("build-msvc-missing", Severity.WARNING, "compilers", remedy=automatic("install-build-tools"))
        elif not new:
            toolset = known(visual[0].toolset, None) or ""
            yield found("build-msvc-missing", Severity.WARNING, "compilers", variant="old", remedy=automatic("install-build-tools"), toolset=toolset)
        elif all(c.windows_sdk is None for c in new):
            yield found("windows-sdk-missing", Severity.WARNING, "compilers", remedy=automatic("install-build-tools"))
    if facts.tools is not UNKNOWN and facts.tools.get("git", "") is None:
        yield found("build-llvm-missing", Severity.WARNING, "tools.git", variant="git", remedy=automatic("install-git"))
