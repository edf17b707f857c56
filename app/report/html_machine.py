"""The machine on the report page: environments, facts, and what is not known."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.model.facts import Gpu, MachineFacts, Python
from app.model.report import Report
from app.model.unknown import UNKNOWN, known
from app.report.code import chosen_python
from app.report.html_parts import chip, code, escaped, folded, rows, say, section, size, table

_TOLD_PACKAGES: Final = (
    *("torch", "torchvision", "torchaudio", "triton-windows", "triton", "sageattention", "sageattn3", "flash-attn", "xformers"),
    *("bitsandbytes", "vllm", "numpy", "setuptools", "pip"),
)


def environments(report: Report) -> str:
    """Every Python with its exact versions, the one the report is about first."""
    chosen = chosen_python(report.facts, report.plan)
    pythons = sorted(known(report.facts.pythons, ()), key=lambda python: (python is not chosen, "torch" not in known(python.packages, {})))
    return section("environments", say("report.html.environments"), "".join(_environment(python, python is chosen) for python in pythons))


def _environment(python: Python, is_chosen: bool) -> str:
    packages = known(python.packages, {})
    chips = [chip(escaped(python.kind)), chip(f"Python {escaped(python.version)}")]
    if is_chosen:
        chips.insert(0, chip(say("report.html.chosen"), "accent"))
    if app := known(python.app, None):
        chips.append(chip(escaped(f"{app} {known(python.app_version, None) or ''}".strip())))
    told = rows((code(name), escaped(packages[name])) for name in _TOLD_PACKAGES if name in packages)
    everything = " ".join(f"<span>{escaped(name)}<b>{escaped(version)}</b></span>" for name, version in sorted(packages.items()))
    listed = folded(say("report.html.all-packages", count=len(packages)), f'<div class="packages">{everything}</div>') if packages else ""
    traits = rows(_traits(python))
    unknown = f'<p class="note">{say("report.html.packages-unknown")}</p>' if python.packages is UNKNOWN else ""
    return (
        f'<article class="card{" chosen" if is_chosen else ""}"><p class="path">{code(python.executable)}</p><p class="chips">{"".join(chips)}</p>'
        f'<div class="columns"><dl>{told}</dl><dl>{traits}</dl></div>{unknown}{listed}</article>'
    )


_TRAITS: Final = (
    *("bits", "arch", "free_threaded", "writable", "has_pip", "has_headers", "bundled_vc_runtime", "user_site", "externally_managed", "isolated"),
    *("torch_cuda_available", "torch_arch_list", "base_executable", "base_ok", "in_use_by", "in_wsl", "imports", "leftovers", "attention_flags"),
    "user_site_packages",
)


def _traits(python: Python) -> Iterator[tuple[str, str]]:
    for name in _TRAITS:
        value = getattr(python, name)
        if value is not UNKNOWN and value not in ((), {}, None):
            yield say(f"report.fact.{name.replace('_', '-')}"), shown(value)


def shown(value: Any) -> str:
    """A value of the facts as the page shows it. None was looked for and is absent."""
    if value is UNKNOWN:
        return f'<span class="unknown">{say("report.fact.unknown")}</span>'
    if value is None:
        return f'<span class="absent">{say("report.fact.absent")}</span>'
    if isinstance(value, bool):
        return say("report.fact.yes" if value else "report.fact.no")
    if isinstance(value, Mapping):
        return "<br>".join(f"{code(name)} {shown(item)}" for name, item in value.items())
    if isinstance(value, tuple):
        return ", ".join(shown(item) for item in value) or f'<span class="absent">{say("report.fact.none")}</span>'
    return escaped(value)


def machine(report: Report) -> str:
    """All facts of the machine, in groups."""
    facts = report.facts
    groups = "".join(_group(name, pairs) for name, pairs in _groups(facts))
    return section("machine", say("report.html.machine"), f'<div class="groups">{groups}</div>')


def _group(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    listed = rows(pairs)
    return f'<article class="card"><h3>{say(f"report.group.{name}")}</h3><dl>{listed}</dl></article>' if listed else ""


def _groups(facts: MachineFacts) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    yield "gpu", [*(pair for gpu in known(facts.gpus, ()) for pair in _gpu(gpu)), *_fields(known(facts.driver, None), ("version", "cuda", "problem"), "driver")]
    os = facts.os
    yield (
        "system",
        _fields(
            os,
            (
                "name",
                "version",
                "edition",
                "arch",
                "locale",
                "ansi_code_page",
                "long_paths",
                "elevated",
                "pending_restart",
                "app_control",
                "antivirus",
                "user_profile",
                "temp",
                "cloud_roots",
            ),
        ),
    )
    yield "hardware", [*_fields(known(facts.cpu, None), ("name", "cores", "virtualization"), "cpu"), *_memory(facts)]
    yield "disks", [(code(disk.root), _disk(disk.free_bytes, known(disk.total_bytes, 0), known(disk.file_system, None))) for disk in known(facts.disks, ())]
    yield "compilers", _compilers(facts)
    yield "tools", [(code(name), shown(version)) for name, version in known(facts.tools, {}).items()]
    yield "wsl", _wsl(facts)
    yield "network", _fields(known(facts.network, None), ("online", "proxy", "index_url", "tls_inspected", "clock_skew_seconds", "reachable"))
    yield "variables", [(code(name), f'<span class="path">{escaped(value)}</span>') for name, value in known(facts.environment_variables, {}).items()]


def _fields(value: Any, names: tuple[str, ...], prefix: str = "") -> list[tuple[str, str]]:
    """Rows of the named fields; what is not known is said so, for the reader to ask."""
    if value is None:
        return []
    lead = f"{prefix}-" if prefix else ""
    return [(say(f"report.fact.{lead}{name.replace('_', '-')}"), shown(getattr(value, name))) for name in names if getattr(value, name) is not UNKNOWN]


def _gpu(gpu: Gpu) -> Iterator[tuple[str, str]]:
    yield say("report.fact.gpu"), f"<strong>{escaped(gpu.name)}</strong>"
    yield say("report.fact.capability"), shown(gpu.compute_capability)
    memory = known(gpu.memory_bytes, None)
    yield say("report.fact.gpu-memory"), f"{memory / 1024**3:.0f} GB" if memory else shown(gpu.memory_bytes)
    for name in ("driver_model", "status", "display_active"):
        if getattr(gpu, name) is not UNKNOWN:
            yield say(f"report.fact.gpu-{name.replace('_', '-')}"), shown(getattr(gpu, name))


def _memory(facts: MachineFacts) -> list[tuple[str, str]]:
    memory = known(facts.memory, None)
    if memory is None:
        return []
    pairs = (("memory-total", known(memory.total_bytes, 0)), ("memory-commit", known(memory.commit_limit_bytes, 0)))
    return [(say(f"report.fact.{name}"), size(value)) for name, value in pairs if value]


def _disk(free: int, total: int, file_system: str | None) -> str:
    of = say("report.fact.free-of", free=size(free), total=size(total)) if total else say("report.fact.free", free=size(free))
    return of + (f" {chip(escaped(file_system))}" if file_system else "")


def _compilers(facts: MachineFacts) -> list[tuple[str, str]]:
    found = [(say("report.fact.vc-runtime"), shown(facts.vc_runtime))]
    for compiler in known(facts.compilers, ()):
        parts = [known(compiler.product, ""), known(compiler.version, ""), known(compiler.toolset, None) or "", known(compiler.windows_sdk, None) or ""]
        found.append(
            (escaped(compiler.kind), escaped(" · ".join(part for part in parts if part)) + f'<br><span class="path">{escaped(known(compiler.root, ""))}</span>')
        )
    for toolkit in known(facts.toolkits, ()):
        missing = known(toolkit.missing_parts, ())
        lacks = f"<br>{say('report.fact.lacks')} {shown(missing)}" if missing else ""
        found.append((say("report.fact.toolkit"), f'{escaped(toolkit.version)}<br><span class="path">{escaped(known(toolkit.root, ""))}</span>{lacks}'))
    return found


def _wsl(facts: MachineFacts) -> list[tuple[str, str]]:
    if facts.wsl is None:
        return [("WSL", shown(None))]
    wsl = known(facts.wsl, None)
    names = ("version", "kind", "kernel", "default_version", "platform_enabled", "hypervisor_running", "restart_pending", "problem", "wslconfig")
    found = _fields(wsl, names, "wsl")
    for distro in known(wsl.distros, ()) if wsl else ():
        named = (
            f"{name.replace('_', ' ')}: {value}"
            for name in ("wsl_version", "release", "python", "gpu_visible", "driver_in_distro", "libcuda")
            if (value := known(getattr(distro, name), None)) is not None
        )
        found.append((code(distro.name), escaped(", ".join(named))))
    return found


def gaps(report: Report) -> str:
    """What could not be read, and why: unknown is not the same as absent."""
    lines = ((code(gap.probe), code(gap.code), escaped(known(gap.detail, ""))) for gap in report.facts.gaps)
    body = table((say("report.html.probe"), say("report.html.why"), say("report.html.detail")), lines, say("report.html.gaps"))
    return section("gaps", say("report.html.gaps"), body, say("report.html.gaps-note"))
