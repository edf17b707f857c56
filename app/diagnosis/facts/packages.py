"""Findings about the packages of one Python: torch, Triton, SageAttention, and what else is compiled for another torch."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.diagnosis.facts.found import automatic, found, manual
from app.model.facts import MachineFacts, Python
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Choice
from app.model.text import Param, Text
from app.model.unknown import UNKNOWN, known
from app.tables import Tables
from app.tables.builds import TorchBuild, minor_of, numbers, torch_build
from app.tables.fits import (
    code_for_gpu,
    companion_for,
    cuda_row,
    driver_fit,
    generation_of,
    oldest_capability,
    pick_sage,
    torch_row,
    triton_for_torch,
    triton_is_full_on,
    triton_row,
)
from app.tables.judge import SageState, TorchJudgement, TorchState, TritonState, blames_runtime, judge_sage, judge_torch, judge_triton, triton_wanted
from app.tables.machine import driver_version, is_windows, main_capability, main_gpu
from app.tables.rows import TorchRow

LOOKALIKES: Final = frozenset({"triton-library", "windows-triton", "triton-win", "tritonwindows", "sage-attention", "sageattn", "sage-attn"})
_COMPILED: Final = re.compile(r"(?<=importing )(_fused|_qattn\w*|flash_attn_2_cuda)")
_WINDOWS_ERROR: Final = re.compile(r"\[?WinError (\d+)|DLL load failed\b.*?(module|procedure|initialization routine)\b.*?(?:not be found|failed)")
_MISSING_MODULE: Final = re.compile(r"No module named '?([\w.]+)")
LOAD_CAUSES: Final[Mapping[str, str]] = {
    "126": "dll-dependency-missing",
    "module": "dll-dependency-missing",
    "127": "dll-abi-mismatch",
    "procedure": "dll-abi-mismatch",
    "193": "file-damaged",
    "206": "long-path",
    "1114": "dll-init-failed",
    "initialization routine": "dll-init-failed",
    "1455": "paging-file-too-small",
    "1260": "app-control-blocked",
    "4551": "app-control-blocked",
}
"""Causes by Windows' own error numbers, which no language changes, and by the English words that Python writes without a number."""
_MADE_FOR: Final = re.compile(r"cu(\d{2,3}).*?torch(\d+\.\d+)")


OUTSIDE: Final[Mapping[str, str]] = {"paging-file-too-small": "larger-paging-file", "app-control-blocked": "app-control-advice"}
"""Causes that lie in Windows, not in the package, and their remedies: installing it again would not help."""


def find_in_packages(facts: MachineFacts, tables: Tables, choice: Choice, place: int, python: Python) -> Iterator[Finding]:
    """Nothing is said about packages that could not be read."""
    if python.packages is UNKNOWN:
        return
    judged = judge_torch(facts, python, tables)
    at = f"pythons[{place}].packages"
    yield from _torch(facts, tables, place, python, judged)
    yield from _conflicts(facts, at, python)
    yield from _imports(facts, at, python, judged.torch)
    if judged.torch is None or judged.state is TorchState.UNKNOWN:
        return
    yield from _driver(facts, tables, at, judged.torch)
    if judged.state is TorchState.RIGHT:
        if choice.wants_triton:
            yield from _triton(facts, tables, at, python, judged.torch)
        if choice.wants_sage:
            yield from _sage(facts, tables, at, python, judged.torch)
        yield from _compiled(tables, at, python, judged.torch)
        if judged.torch.cuda and python.torch_cuda_available is False and main_gpu(facts) and facts.driver:
            yield found("gpu-hidden", Severity.WARNING, f"pythons[{place}].torch_cuda_available", remedy=manual("choose-gpu"))


def _torch(facts: MachineFacts, tables: Tables, place: int, python: Python, judged: TorchJudgement) -> Iterator[Finding]:
    at = f"pythons[{place}].packages.torch"
    text = judged.torch.text if judged.torch else ""
    card = main_gpu(facts)
    gpu = card[1].name if card else ""
    cure = automatic("replace-torch")
    for state in judged.states:
        match state:
            case TorchState.MISSING:
                yield found("torch-missing", Severity.NOTE, f"pythons[{place}].packages", remedy=automatic("install-torch"), python=python.executable)
            case TorchState.CPU:
                yield found("torch-cpu-only", Severity.BLOCKER, at, remedy=cure, torch=text)
                yield from _cpu_from_index(facts)
            case TorchState.FOREIGN:
                yield found("torch-cpu-only", Severity.BLOCKER, at, variant="foreign", remedy=cure, torch=text)
            case TorchState.NO_TRITON:
                paired = sorted((minor for row in tables.triton_windows for minor in row.torch), key=numbers)
                another = automatic("replace-torch", "none-remedy")
                yield found("triton-torch-mismatch", Severity.BLOCKER, at, variant="none", remedy=another, torch=text, oldest=paired[0], newest=paired[-1])
            case TorchState.NO_WHEEL:
                yield found("wheel-not-published", Severity.BLOCKER, at, remedy=cure, torch=text, version=minor_of(python.version))
            case TorchState.GPU_TOO_NEW:
                is_served = generation_of(tables, known(main_capability(facts), None)) is not None
                yield found("gpu-too-new", Severity.BLOCKER, at, f"pythons[{place}].torch_arch_list", remedy=cure if is_served else None, torch=text, gpu=gpu)
            case TorchState.GPU_TOO_OLD:
                older = automatic("replace-torch", "torch-remedy")
                yield found("gpu-too-old", Severity.BLOCKER, at, f"pythons[{place}].torch_arch_list", variant="torch", remedy=older, torch=text, gpu=gpu)


def _cpu_from_index(facts: MachineFacts) -> Iterator[Finding]:
    """Where a CPU build comes from: the package index and its mirrors have no other torch for Windows."""
    network = known(facts.network, None)
    index = known(network.index_url, None) if network else None
    if index and is_windows(facts) and "pytorch" not in index:
        yield found("mirror-cpu-wheel", Severity.NOTE, "network.index_url", remedy=automatic("torch-index"), index=index)


def _driver(facts: MachineFacts, tables: Tables, at: str, torch: TorchBuild) -> Iterator[Finding]:
    row, driver = cuda_row(tables, torch.cuda), known(driver_version(facts), None)
    if row is None or driver is None or main_gpu(facts) is None:
        return
    fit = driver_fit(row, driver, is_windows(facts))
    if fit.full:
        return
    yield found(
        "driver-too-old",
        Severity.WARNING if fit.runs else Severity.BLOCKER,
        "driver.version",
        f"{at}.torch",
        variant="limits" if fit.runs else "text",
        remedy=manual("update-driver"),
        driver=driver,
        torch=torch.text,
        floor=fit.wanted if fit.runs else fit.floor,
    )


def _imports(facts: MachineFacts, at: str, python: Python, torch: TorchBuild | None) -> Iterator[Finding]:
    """What a Python said when it imported a module. The name of the file that failed decides, then Windows' number: sentences are localized."""
    where = at.replace("packages", "imports")
    for name, said in sorted(known(python.imports, {}).items()):
        if not is_windows(facts) or said == "ok" or name == "ssl":
            continue
        place = f"{where}.{name}"
        if blames_runtime(facts, python, name):
            yield found("vc-runtime-missing", Severity.WARNING, place, variant="import", remedy=automatic("install-vc-runtime"), name=name)
        elif (match := _COMPILED.search(said)) and torch:
            yield _compiled_fails(place, python, torch, "flash-attn" if match[0].startswith("flash") else "sageattention")
        elif _is_package_of(name) in known(python.packages, {}):
            yield _fails(place, name, said)


def _is_package_of(module: str) -> str:
    return "triton-windows" if module == "triton" else module


def _compiled_fails(place: str, python: Python, torch: TorchBuild, package: str) -> Finding:
    cure = automatic("install-again", "import-remedy") if package == "sageattention" else manual("matching-package", "import-remedy")
    installed = known(python.packages, {}).get(package, "")
    return found("wheel-torch-mismatch", Severity.WARNING, place, variant="import", remedy=cure, name=package, installed=installed, torch=torch.text)


def _fails(place: str, name: str, said: str) -> Finding:
    """torch is never changed unasked, so that one that does not load is for the person; all else is installed again."""
    error = _WINDOWS_ERROR.search(said)
    missing = _MISSING_MODULE.search(said)
    code = LOAD_CAUSES.get((error[1] or error[2]) if error else "", "file-damaged" if missing and missing[1].startswith(name) else "wrapped-error")
    params: dict[str, Param] = {"name": name, "said": said}
    if code in OUTSIDE:
        cure = Remedy(OUTSIDE[code], Text(f"finding.{code}.remedy", params), automatic=False)
        return Finding(code, Severity.BLOCKER, Text("finding.import-failed.text", params), (place,), cure)
    if name == "torch":
        cure = Remedy("repair-torch", Text("finding.import-failed.torch-remedy", params), automatic=False)
        return Finding(code, Severity.BLOCKER, Text("finding.import-failed.text", params), (place,), cure)
    cure = Remedy("install-again", Text("finding.import-failed.remedy", params), automatic=True)
    return Finding(code, Severity.WARNING, Text("finding.import-failed.text", params), (place,), cure)


def _conflicts(facts: MachineFacts, at: str, python: Python) -> Iterator[Finding]:
    packages = known(python.packages, {})
    if is_windows(facts) and "triton" in packages:
        variant = "text" if "triton-windows" in packages else "alone"
        yield found("package-conflict", Severity.WARNING, f"{at}.triton", variant=variant, remedy=automatic("remove-triton"), version=packages["triton"])
    for name in sorted(packages):
        if name in LOOKALIKES:
            yield found("lookalike-package", Severity.WARNING, f"{at}.{name}", remedy=manual("remove-package"), name=name)
        elif is_windows(facts) and (name.startswith("pytorch-triton") or name == "triton-xpu"):
            yield found("package-conflict", Severity.WARNING, f"{at}.{name}", variant="other", remedy=manual("remove-package", "other-remedy"), name=name)


def _triton(facts: MachineFacts, tables: Tables, at: str, python: Python, torch: TorchBuild) -> Iterator[Finding]:
    package = "triton-windows" if is_windows(facts) else "triton"
    state = judge_triton(facts, python, torch, tables)
    wanted = triton_wanted(facts, torch, tables) or ""
    installed = known(python.packages, {}).get(package, "")
    if state is TritonState.MISSING:
        yield found("triton-missing", Severity.NOTE, at, remedy=automatic("install-triton"), torch=torch.text, wanted=wanted)
    elif state is TritonState.MISMATCH:
        yield found(
            "triton-torch-mismatch",
            Severity.WARNING,
            f"{at}.{package}",
            f"{at}.torch",
            remedy=automatic("replace-triton"),
            torch=torch.text,
            installed=installed,
            wanted=wanted,
        )
    elif state is TritonState.OUTDATED:
        yield found("triton-too-old", Severity.NOTE, f"{at}.{package}", variant="post", remedy=automatic("replace-triton"), installed=installed, wanted=wanted)
    yield from _feature(facts, tables, at, torch, wanted)


def _feature(facts: MachineFacts, tables: Tables, at: str, torch: TorchBuild, wanted: str) -> Iterator[Finding]:
    capability = known(main_capability(facts), None)
    card = main_gpu(facts)
    generation = generation_of(tables, capability)
    best = torch_row(tables, generation.torch) if generation else None
    if is_windows(facts):
        row = triton_row(tables, minor_of(wanted))
        lacks = bool(row and capability and capability >= oldest_capability(tables) and not triton_is_full_on(row, capability))
    else:
        lacks = best is not None and numbers(torch.minor) > numbers(best.minor)
    if card and lacks:
        paired = triton_for_torch(tables, best.minor) if best else None
        yield found(
            "gpu-lacks-feature",
            Severity.WARNING,
            f"gpus[{card[0]}].compute_capability",
            f"{at}.torch",
            remedy=manual("older-torch"),
            gpu=card[1].name,
            triton=minor_of(wanted),
            torch=torch.minor,
            best_torch=best.minor if best else "",
            best_triton=paired.minor if paired else "",
        )


def _sage(facts: MachineFacts, tables: Tables, at: str, python: Python, torch: TorchBuild) -> Iterator[Finding]:
    if facts.gpus is UNKNOWN or main_capability(facts) in (UNKNOWN, None):
        return
    state = judge_sage(facts, python, torch, tables)
    installed = known(python.packages, {}).get("sageattention", "")
    where = f"{at}.sageattention"
    match state:
        case SageState.MISSING:
            cure = automatic("install-sage") if _has_a_sage(facts, tables, python, torch) else None
            yield found("sage-missing", Severity.NOTE, at, remedy=cure)
        case SageState.TOO_OLD:
            yield found("sage-too-old", Severity.WARNING, where, remedy=automatic("replace-sage"), installed=installed)
        case SageState.MISMATCH:
            yield found("wheel-torch-mismatch", Severity.WARNING, where, f"{at}.torch", remedy=automatic("replace-sage"), installed=installed, torch=torch.text)
        case SageState.NOT_FOR_CARD:
            card = main_gpu(facts)
            params = {"installed": installed, "gpu": card[1].name if card else ""}
            yield found("wheel-torch-mismatch", Severity.WARNING, where, "gpus", variant="card", remedy=manual("leave-unused", "card-remedy"), **params)
        case SageState.FAULTY:
            yield found("results-wrong", Severity.WARNING, where, remedy=automatic("replace-sage"), installed=installed)


def _has_a_sage(facts: MachineFacts, tables: Tables, python: Python, torch: TorchBuild) -> bool:
    """Whether a ready-made SageAttention fits what is there."""
    own = known(main_capability(facts), None)
    if own is None:
        return False
    if not is_windows(facts):
        return code_for_gpu(tables.sage_portable.gpus, own)
    return pick_sage(tables, torch, minor_of(python.version), own, facts.os.arch) is not None


def _compiled(tables: Tables, at: str, python: Python, torch: TorchBuild) -> Iterator[Finding]:
    """Compiled companions whose own version says that they were made for another torch."""
    packages = known(python.packages, {})
    row = torch_row(tables, torch.minor)
    for name in ("torchvision", "torchaudio", "flash-attn", "xformers", "spas-sage-attn"):
        installed = packages.get(name, "")
        is_companion = name in {"torchvision", "torchaudio"}
        if installed and (row is not None and _is_for_another(row, torch, name, installed) if is_companion else _is_made_for_another(torch, name, installed)):
            fitting = None if is_companion else companion_for(tables, name, torch, minor_of(python.version))
            yield found(
                "wheel-torch-mismatch",
                Severity.WARNING,
                f"{at}.{name}",
                f"{at}.torch",
                variant="companion",
                remedy=manual("matching-package", "companion-file" if fitting else "companion-remedy"),
                name=name,
                installed=installed,
                torch=torch.text,
                page=fitting.page if fitting else "",
            )


def _is_for_another(row: TorchRow, torch: TorchBuild, name: str, installed: str) -> bool:
    """torchvision and torchaudio: of another minor, or of another CUDA major, which they refuse at their import. Nightlies are not judged."""
    build = torch_build(installed)
    if build is None or build.nightly or torch.nightly:
        return False
    if build.cuda_major and torch.cuda_major and build.cuda_major != torch.cuda_major:
        return True
    minor = row.vision if name == "torchvision" else torch.minor if row.audio == "same" else minor_of(row.audio)
    return bool(minor) and build.minor != minor


def _is_made_for_another(torch: TorchBuild, name: str, installed: str) -> bool:
    made = _MADE_FOR.search(installed)
    return bool(made and torch.cuda and (made[1][:2] != torch.cuda[2:4] or (name == "flash-attn" and made[2] != torch.minor)))
