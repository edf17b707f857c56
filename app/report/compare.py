"""Two reports side by side: what differs, and what of it can be the reason that one works and the other does not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from app.model import codec
from app.model.facts import MachineFacts, Python
from app.model.plan import Plan
from app.model.proof import Benchmark, Proof
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.report.code import chosen_python
from app.texts import Language, has

Area = Literal["system", "gpu", "driver", "python", "packages", "compiler", "wsl", "network", "findings", "plan", "run", "proof", "other"]

_TELLING: Final = (
    ("system", r"os\.(?:version|family|arch|long_paths|app_control|pending_restart|ansi_code_page|antivirus)$"),
    ("gpu", r"gpus\[\d+\]\.(?:name|compute_capability|memory_bytes|driver_model|status|vendor)$|gpus$"),
    ("driver", r"driver(?:\.(?:version|cuda|problem))?$"),
    ("compiler", r"(?:toolkits|compilers)(?:\[\d+\]\.(?:version|toolset|windows_sdk|product|missing_parts|kind))?$|vc_runtime$|tools\.nvcc$"),
    ("wsl", r"wsl(?:\.(?:version|kernel|default_version|platform_enabled|problem|kind|restart_pending|hypervisor_running|wslconfig\..*))?$|wsl\.distros"),
    ("network", r"network\.(?:online|proxy|index_url|tls_inspected|reachable\..*)$"),
    (
        "other",
        r"environment_variables\.(?:CC|CXX|CL|LINK|CUDA_PATH|CUDA_HOME|TORCH_CUDA_ARCH_LIST|TRITON_\w+|PYTHON\w+|PIP_\w+|UV_\w+)$"
        r"|memory\.commit_limit_bytes$",
    ),
)
"""Facts that decide whether Triton works; all others are shown as side notes."""

_SKIPPED: Final = re.compile(
    r"^(?:schema|captured_at|source|gaps\b.*|pythons\b.*|disks\[\d+\]\.(?:free|total)_bytes|os\.(?:user_profile|temp)"
    r"|network\.clock_skew_seconds|cpu\.virtualization)$"
)
_PYTHON_FIELDS: Final = (
    *("version", "kind", "bits", "arch", "free_threaded", "has_headers", "bundled_vc_runtime", "user_site", "torch_cuda_available"),
    *("base_ok", "isolated", "has_pip", "app", "app_version"),
)
_TELLING_PACKAGES: Final = re.compile(
    r"^(?:torch|torchvision|torchaudio|triton|triton-windows|pytorch-triton|sageattention|sageattn3|spas-sage-attn|flash-attn|xformers"
    r"|bitsandbytes|vllm|numpy|setuptools|comfyui.*|nvidia-.*)$"
)
_FASTER: Final = 0.10
"""A kernel that differs by less than a tenth is as fast: clocks and temperature do as much."""

_MEASURED: Final = ("compile_cold_s", "compile_warm_s")


@dataclass(frozen=True, slots=True)
class Difference:
    """`where` is a path into the report, `before` the value of the first report, `after` of the second, both as shown.

    `matters`: it can be the reason that one works and the other does not.
    """

    where: str
    area: Area
    before: str
    after: str
    matters: bool
    text: Text


def compare(first: Report, second: Report) -> tuple[Difference, ...]:
    """What differs from the first report to the second, what matters first, in the order of the line."""
    found = [
        *_facts(first.facts, second.facts),
        *_pythons(first, second),
        *_findings(first.plan, second.plan),
        *_plan(first.plan, second.plan),
        *_causes(first, second),
        *_runs(first, second),
        *_proofs(first.proof, second.proof),
    ]
    return tuple(sorted(found, key=lambda difference: not difference.matters))


def comparison_document(first: Report, second: Report, language: str) -> dict[str, Any]:
    """The comparison/1 JSON, texts in words."""
    from app.report.spoken import spoken

    differences = [codec.dump(difference) | {"text": spoken(difference.text, language)} for difference in compare(first, second)]
    return {"schema": "comparison/1", "first": first.created_at, "second": second.created_at, "differences": differences}


def _difference(where: str, area: Area, before: Any, after: Any, matters: bool) -> Difference:
    shown = _shown(before), _shown(after)
    code = "report.compare.changed"
    if shown[0] == "":
        code = "report.compare.only-second"
    elif shown[1] == "":
        code = "report.compare.only-first"
    values = {"area": f"@report.compare.{area}", "where": _named(where), "before": shown[0], "after": shown[1]}
    return Difference(where, area, *shown, matters, Text(code, values))


def _named(where: str) -> str:
    """The catalogue's name of a fact, where it has one; else the path itself."""
    path = re.sub(r"\[\d+\]", "", where)
    return next((f"@fact.{name}" for name in (path, f"pythons.{path.removeprefix('python.')}") if has(f"fact.{name}")), where)


def _shown(value: Any) -> str:
    if value is None or value is UNKNOWN:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _facts(first: MachineFacts, second: MachineFacts) -> Iterator[Difference]:
    ours, theirs = dict(_flat(codec.dump(first), "")), dict(_flat(codec.dump(second), ""))
    for where in dict.fromkeys([*ours, *theirs]):
        if ours.get(where) == theirs.get(where) or _SKIPPED.match(where):
            continue
        area = _area(where)
        yield _difference(where, area or _loose_area(where), ours.get(where), theirs.get(where), area is not None)


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _flat(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        for index, item in enumerate(value):
            yield from _flat(item, f"{path}[{index}]")
    else:
        yield path, tuple(value) if isinstance(value, list) else value


def _area(where: str) -> Area | None:
    return next((area for area, pattern in _TELLING if re.match(pattern, where)), None)  # type: ignore[misc]  # the table holds areas only


def _loose_area(where: str) -> Area:
    first = re.split(r"[.\[]", where)[0]
    areas: dict[str, Area] = {
        "os": "system",
        "gpus": "gpu",
        "driver": "driver",
        "toolkits": "compiler",
        "compilers": "compiler",
        "wsl": "wsl",
        "network": "network",
    }
    return areas.get(first, "other")


def _pythons(first: Report, second: Report) -> Iterator[Difference]:
    """The Python each report is about, whatever its place in the list and its path."""
    ours, theirs = chosen_python(first.facts, first.plan), chosen_python(second.facts, second.plan)
    if ours is None and theirs is None:
        return
    if ours is None or theirs is None:
        yield _difference("python", "python", ours.version if ours else None, theirs.version if theirs else None, True)
        return
    for name in _PYTHON_FIELDS:
        before, after = known(getattr(ours, name), None), known(getattr(theirs, name), None)
        if before != after:
            yield _difference(f"python.{name}", "python", before, after, True)
    yield from _packages(ours, theirs)


def _packages(ours: Python, theirs: Python) -> Iterator[Difference]:
    before, after = known(ours.packages, {}), known(theirs.packages, {})
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield _difference(f"python.packages.{name}", "packages", before.get(name), after.get(name), _TELLING_PACKAGES.match(name) is not None)


def _findings(first: Plan | None, second: Plan | None) -> Iterator[Difference]:
    ours = {finding.code: finding.severity.value for finding in first.findings} if first else {}
    theirs = {finding.code: finding.severity.value for finding in second.findings} if second else {}
    for code in dict.fromkeys([*ours, *theirs]):
        if ours.get(code) != theirs.get(code):
            yield _difference(f"findings.{code}", "findings", ours.get(code), theirs.get(code), {ours.get(code), theirs.get(code)} != {"note", None})


def _plan(first: Plan | None, second: Plan | None) -> Iterator[Difference]:
    if first is None or second is None:
        return
    for where, before, after in (
        ("verdict", first.verdict.value, second.verdict.value),
        ("route", first.route and first.route.value, second.route and second.route.value),
    ):
        if before != after:
            yield _difference(f"plan.{where}", "plan", before, after, True)
    for name in sorted({*first.packages, *second.packages}):
        if first.packages.get(name) != second.packages.get(name):
            yield _difference(f"plan.packages.{name}", "plan", first.packages.get(name), second.packages.get(name), _TELLING_PACKAGES.match(name) is not None)


def _causes(first: Report, second: Report) -> Iterator[Difference]:
    before, after = (report.diagnosis.findings[0].code if report.diagnosis and report.diagnosis.findings else None for report in (first, second))
    if before != after:
        yield _difference("diagnosis", "run", before, after, True)


def _runs(first: Report, second: Report) -> Iterator[Difference]:
    from app.report.story import tell_story

    ours, theirs = tell_story(first), tell_story(second)
    if ours.outcome != theirs.outcome:
        yield _difference("run.outcome", "run", ours.outcome, theirs.outcome, True)
    if ours.failed_step != theirs.failed_step:
        yield _difference("run.failed_step", "run", ours.failed_step, theirs.failed_step, True)


def _proofs(first: Proof | None, second: Proof | None) -> Iterator[Difference]:
    if first is None and second is None:
        return
    if first is None or second is None or first.verdict != second.verdict:
        yield _difference("proof.verdict", "proof", first and first.verdict.value, second and second.verdict.value, True)
    if first is None or second is None:
        return
    if first.backend != second.backend:
        yield _difference("proof.backend", "proof", first.backend, second.backend, True)
    ours, theirs = ({check.code: check.outcome for check in proof.checks} for proof in (first, second))
    for code in dict.fromkeys([*ours, *theirs]):
        if ours.get(code) != theirs.get(code):
            yield _difference(f"proof.checks.{code}", "proof", ours.get(code), theirs.get(code), "failed" in {ours.get(code), theirs.get(code)})
    for name in _MEASURED:
        before, after = getattr(first, name), getattr(second, name)
        if before and after and abs(before - after) > max(before, after) * _FASTER:
            yield _difference(f"proof.{name}", "proof", before, after, False)
    yield from _benchmarks(first.benchmarks, second.benchmarks)


def _benchmarks(first: tuple[Benchmark, ...], second: tuple[Benchmark, ...]) -> Iterator[Difference]:
    ours, theirs = ({(b.kernel, b.implementation, b.shape, b.dtype): b for b in benchmarks} for benchmarks in (first, second))
    for key in ours:
        before, after = ours[key], theirs.get(key)
        if after and abs(before.value - after.value) > max(before.value, after.value) * _FASTER:
            where = "proof.benchmarks." + "/".join(part for part in key if part)
            yield _difference(where, "proof", f"{before.value:g} {before.unit}", f"{after.value:g} {after.unit}", True)


def comparison_markdown(first: Report, second: Report, language: Language = "en") -> str:
    """The comparison as a block to paste: what can be the reason in one table, the rest in another."""
    from app.report.markdown import plain, span
    from app.report.spoken import spoken

    def say(name: str) -> str:
        return plain(spoken(Text(f"report.compare.{name}"), language))

    found = compare(first, second)
    lines = [f"### {say('title')}", ""]
    if not found:
        return "\n".join([*lines, say("same"), ""])
    for title, matters in (("matters", True), ("aside", False)):
        rows = [f"| {say(d.area)} | {span(d.where)} | {span(d.before)} | {span(d.after)} |" for d in found if d.matters is matters]
        if rows:
            lines += [
                f"**{say(title)}**",
                "",
                f"| | | {say('first')} {span(first.created_at)} | {say('second')} {span(second.created_at)} |",
                "|---|---|---|---|",
                *rows,
                "",
            ]
    return "\n".join(lines)
