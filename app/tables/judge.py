"""Judgements that findings and plans share: is this Python usable, is its torch right for this machine, its Triton, its SageAttention."""

import enum
import re
from typing import Final, NamedTuple

from app.model.facts import MachineFacts, Python
from app.model.unknown import UNKNOWN, known
from app.tables.builds import TorchBuild, at_least, minor_of, sage_build
from app.tables.fits import (
    arch_list_covers,
    code_for_gpu,
    cuda_row,
    generation_of,
    oldest_capability,
    pick_sage,
    python_is_served,
    sage_fits_torch,
    torch_row,
    triton_is_right,
    triton_minor_of,
    triton_minors_near,
    triton_pythons,
    triton_row,
    triton_runs_on,
)
from app.tables.load import Tables
from app.tables.machine import Capability, capability_of, installed_torch, is_windows, main_capability, main_gpu, torch_has_cuda


class PythonFlaw(enum.Enum):
    """Why nothing may be installed into a Python."""

    STORE_ALIAS = "store-alias"
    STORE = "store"
    BITS = "bits"
    FREE_THREADED = "free-threaded"
    ARCHITECTURE = "architecture"
    VERSION = "version"
    EXTERNALLY_MANAGED = "externally-managed"
    BROKEN = "broken"


class TorchState(enum.Enum):
    RIGHT = "right"
    UNKNOWN = "unknown"
    MISSING = "missing"
    CPU = "cpu"
    FOREIGN = "foreign"
    NO_TRITON = "no-triton"
    NO_WHEEL = "no-wheel"
    GPU_TOO_NEW = "gpu-too-new"
    GPU_TOO_OLD = "gpu-too-old"


class TritonState(enum.Enum):
    RIGHT = "right"
    MISSING = "missing"
    MISMATCH = "mismatch"
    OUTDATED = "outdated"
    UNKNOWN = "unknown"


class SageState(enum.Enum):
    RIGHT = "right"
    MISSING = "missing"
    SELF_BUILT = "self-built"
    TOO_OLD = "too-old"
    MISMATCH = "mismatch"
    NOT_FOR_CARD = "not-for-card"
    FAULTY = "faulty"
    UNKNOWN = "unknown"


_OF_RUNTIME: Final = re.compile(r"importing libtriton\b|\bshm\.dll\b|VCRUNTIME140|MSVCP140", re.IGNORECASE)
"""Files whose loading fails where the Visual C++ runtime is missing or old. The sentence around them is localized."""

_OF_WINDOWS: Final = re.compile(r"WinError (?:1455|4551|1260)\b")
"""Too little memory promised, or a policy: the package itself is whole."""

CHANGES_TORCH = frozenset({TorchState.CPU, TorchState.FOREIGN, TorchState.NO_TRITON, TorchState.NO_WHEEL, TorchState.GPU_TOO_NEW, TorchState.GPU_TOO_OLD})
"""States in which an installed torch cannot stay."""


class TorchJudgement(NamedTuple):
    """`states`: the deciding one first; RIGHT, UNKNOWN or MISSING stand alone."""

    states: tuple[TorchState, ...]
    torch: TorchBuild | None

    @property
    def state(self) -> TorchState:
        return self.states[0]


def python_arch(facts: MachineFacts, python: Python) -> str:
    """The architecture of a Python; where it is not known, the machine's own."""
    return facts.os.arch if python.arch is UNKNOWN else python.arch


def python_flaws(facts: MachineFacts, python: Python, tables: Tables) -> tuple[PythonFlaw, ...]:
    """What forbids installing into a Python; empty for one that may be used."""
    if python.kind == "store-alias":
        return (PythonFlaw.STORE_ALIAS,)
    flaws = []
    arch = python_arch(facts, python)
    if known(python.bits, 64) == 32 or arch == "x86":
        flaws.append(PythonFlaw.BITS)
    elif arch != facts.os.arch:
        flaws.append(PythonFlaw.ARCHITECTURE)
    if known(python.free_threaded, False):
        flaws.append(PythonFlaw.FREE_THREADED)
    if not python_version_fits(facts, minor_of(python.version), tables):
        flaws.append(PythonFlaw.VERSION)
    if python.kind == "store":
        flaws.append(PythonFlaw.STORE)
    if known(python.externally_managed, False) or python.kind == "uv":
        flaws.append(PythonFlaw.EXTERNALLY_MANAGED)
    if known(python.base_ok, None) is False:
        flaws.append(PythonFlaw.BROKEN)
    return tuple(flaws)


def python_version_fits(facts: MachineFacts, python_minor: str, tables: Tables) -> bool:
    """Whether any Triton has a wheel for that Python on this system; true where the version is not known."""
    if not python_minor:
        return True
    if is_windows(facts):
        return python_is_served(tables, python_minor, facts.os.arch)
    return any(python_minor in row.pythons for row in tables.torch)


def is_without_card(facts: MachineFacts) -> bool:
    """Whether it is known that no NVIDIA card is there."""
    return facts.gpus is not UNKNOWN and main_gpu(facts) is None


def judge_torch(facts: MachineFacts, python: Python, tables: Tables) -> TorchJudgement:
    """Whether the installed torch works on this machine's card and has a Triton."""
    torch = installed_torch(python)
    if torch is UNKNOWN:
        return TorchJudgement((TorchState.UNKNOWN,), None)
    if torch is None:
        return TorchJudgement((TorchState.MISSING,), None)
    capability = main_capability(facts)
    has_cuda = torch_has_cuda(facts, python, torch)
    if has_cuda is False and not is_without_card(facts):
        return TorchJudgement((TorchState.CPU if torch.flavour in {"", "cpu"} else TorchState.FOREIGN,), torch)
    if has_cuda is UNKNOWN:
        return TorchJudgement((TorchState.UNKNOWN,), torch)
    states = _windows_states(facts, python, torch, tables) if is_windows(facts) else []
    if capability is not UNKNOWN and capability is not None and (missing := _code_missing(python, torch, capability, tables)) and missing not in states:
        states.append(missing)
    return TorchJudgement(tuple(states) or (TorchState.RIGHT,), torch)


def _windows_states(facts: MachineFacts, python: Python, torch: TorchBuild, tables: Tables) -> list[TorchState]:
    minor = triton_minor_of(tables, torch)
    row = triton_row(tables, minor) if minor else None
    if row is None:
        return [TorchState.NO_TRITON]
    if minor_of(python.version) not in triton_pythons(row, facts.os.arch):
        return [TorchState.NO_WHEEL]
    capability = known(main_capability(facts), None)
    if capability and capability >= oldest_capability(tables) and not triton_runs_on(row, capability):
        return [TorchState.GPU_TOO_NEW]
    return []


def _code_missing(python: Python, torch: TorchBuild, capability: Capability, tables: Tables) -> TorchState | None:
    """torch's own list decides; the table only where that is not known."""
    arch_list = known(python.torch_arch_list, ())
    if arch_list:
        covered = arch_list_covers(arch_list, capability)
        made = [capability_of(f"{digits[:-1]}.{digits[-1]}") for entry in arch_list if len(digits := entry.partition("_")[2].rstrip("af")) > 1]
    else:
        row = cuda_row(tables, torch.cuda)
        if row is None:
            return None
        covered = code_for_gpu(row.gpus, capability)
        made = [capability_of(text) for text in row.gpus]
    if covered:
        return None
    return TorchState.GPU_TOO_NEW if all(one is None or one < capability for one in made) else TorchState.GPU_TOO_OLD


def blames_runtime(facts: MachineFacts, python: Python, module: str) -> bool:
    """Whether a module does not load because of the Visual C++ runtime, whatever version is said to be installed."""
    return is_windows(facts) and _OF_RUNTIME.search(known(python.imports, {}).get(module, "ok")) is not None


def is_damaged(facts: MachineFacts, python: Python, module: str, tables: Tables) -> bool:
    """Whether it is known that a Python cannot import a module that it has, and the Visual C++ runtime cannot be all that is wrong."""
    said = known(python.imports, {}).get(module, "ok")
    return said != "ok" and not _OF_WINDOWS.search(said) and not (blames_runtime(facts, python, module) and not has_current_runtime(facts, python, tables))


def has_current_runtime(facts: MachineFacts, python: Python, tables: Tables) -> bool:
    """Whether a runtime that is new enough is known to be installed, with no older one beside the Python."""
    beside, installed = known(python.bundled_vc_runtime, None), known(facts.vc_runtime, None)
    floor = tables.vc_runtime.floor
    return bool(installed and at_least(installed, floor) and (beside is None or at_least(beside, floor)))


def triton_wanted(facts: MachineFacts, torch: TorchBuild, tables: Tables) -> str | None:
    """The version of Triton to install for a torch: triton-windows' newest post, or Linux' own pin; None where none is known."""
    if is_windows(facts):
        minor = triton_minor_of(tables, torch)
        row = triton_row(tables, minor) if minor else None
        return row.newest if row else None
    found = torch_row(tables, torch.minor)
    return (found.triton.get(torch.patch) or list(found.triton.values())[-1]) if found else None


def judge_triton(facts: MachineFacts, python: Python, torch: TorchBuild, tables: Tables) -> TritonState:
    """Whether the installed Triton belongs to a torch (installed or planned)."""
    if python.packages is UNKNOWN:
        return TritonState.UNKNOWN
    if not is_windows(facts):
        installed, wanted = python.packages.get("triton"), triton_wanted(facts, torch, tables)
        if installed is None:
            return TritonState.MISSING
        return TritonState.RIGHT if wanted is None or minor_of(installed) == minor_of(wanted) else TritonState.MISMATCH
    installed = python.packages.get("triton-windows")
    if installed is None:
        return TritonState.MISSING
    if torch.nightly and minor_of(installed) in triton_minors_near(tables, torch):
        return TritonState.RIGHT
    minor = triton_minor_of(tables, torch)
    row = triton_row(tables, minor) if minor else None
    if row is None or minor_of(installed) != row.minor:
        return TritonState.MISMATCH
    return TritonState.RIGHT if triton_is_right(row, installed) else TritonState.OUTDATED


def judge_sage(facts: MachineFacts, python: Python, torch: TorchBuild, tables: Tables) -> SageState:
    """Whether the installed SageAttention serves a torch and the card. A build whose name does not say is left alone."""
    if python.packages is UNKNOWN:
        return SageState.UNKNOWN
    installed = python.packages.get("sageattention")
    if installed is None:
        return SageState.MISSING
    capability = known(main_capability(facts), None)
    if installed.startswith(("0.", "1.")):
        return _judge_first_version(facts, python, torch, tables, capability)
    made_for = sage_build(installed)
    if made_for is None:
        return SageState.SELF_BUILT
    if not sage_fits_torch(made_for, torch):
        return SageState.MISMATCH
    generation = generation_of(tables, capability)
    if generation and generation.sage not in {"2", "triton"}:
        return SageState.NOT_FOR_CARD
    row = next((row for row in tables.sage if row.version == installed), None)
    better = pick_sage(tables, torch, minor_of(python.version), capability, facts.os.arch) if capability else None
    return SageState.FAULTY if row and row.avoid and better else SageState.RIGHT


def _judge_first_version(facts: MachineFacts, python: Python, torch: TorchBuild, tables: Tables, capability: Capability | None) -> SageState:
    if capability is None:
        return SageState.UNKNOWN
    if not code_for_gpu(tables.sage_portable.gpus, capability):
        return SageState.TOO_OLD
    generation = generation_of(tables, capability)
    if generation and generation.sage == "triton":
        return SageState.RIGHT
    better = pick_sage(tables, torch, minor_of(python.version), capability, facts.os.arch) if is_windows(facts) else None
    return SageState.TOO_OLD if better else SageState.RIGHT
