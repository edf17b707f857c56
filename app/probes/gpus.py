"""GPUs and their driver. Order of sources: NVML, nvidia-smi, then what the system lists without the driver.

Compute capability comes from the driver only, never from a name: names of different generations look alike.
"""

import dataclasses
from typing import Final, Literal

from app.host.nvml import NO_ANSWER
from app.host.protocol import NvmlAnswer, NvmlDevice
from app.model.facts import Driver, Gpu
from app.model.unknown import UNKNOWN, Maybe
from app.probes.adapters import Adapter, linux_adapters, nvidia_version, windows_adapters
from app.probes.look import Look
from app.probes.nvidia_smi import SmiAnswer, SmiGpu, ask_nvidia_smi
from app.probes.scanning import Probe

NVML_TIMEOUT_S: Final = 8.0
"""A first call wakes a sleeping laptop GPU, which takes up to 3 s."""

LIBRARY_NOT_FOUND: Final = 12

_PROBLEMS: Final = {
    3: "not-supported",
    4: "no-permission",
    8: "insufficient-power",
    9: "driver-not-loaded",
    10: "timed-out",
    13: "function-not-found",
    15: "gpu-is-lost",
    16: "reset-required",
    17: "blocked-by-system",
    18: "library-mismatch",
    20: "out-of-memory",
    27: "not-ready",
    28: "no-devices",
}
_STATUS: Final = {0: "ok", 22: "disabled", 28: "no-driver", 45: "not-connected"}
_MODELS: Final[dict[int, Literal["WDDM", "TCC", "MCDM"]]] = {0: "WDDM", 1: "TCC", 2: "MCDM"}


def look_at_gpus(look: Look) -> None:
    nvml = look.nvml(NVML_TIMEOUT_S)
    adapters = windows_adapters(look) if look.on_windows else (linux_adapters(look) or ())
    smi = SmiAnswer(problem="not-asked")
    if nvml.error is not None or any(device.error is not None for device in nvml.devices):
        smi = _ask_smi(look, adapters)
    nvidia = _nvidia_gpus(nvml, smi)
    others = [_adapter_gpu(look, adapter) for adapter in adapters if adapter.vendor != "nvidia"]
    unseen = _unseen(nvidia, [adapter for adapter in adapters if adapter.vendor == "nvidia"])
    gpus = tuple([_with_status(gpu, adapters) for gpu in nvidia] + [_adapter_gpu(look, adapter) for adapter in unseen] + others)
    driver = _driver(look, nvml, smi, adapters)
    if driver is not UNKNOWN:
        look.put("driver", driver)
    if gpus or nvml.error in (None, LIBRARY_NOT_FOUND) or smi.problem == "no-devices":
        look.put("gpus", gpus)
    else:
        look.gap("gpus", _code(nvml), nvml.message)


def _ask_smi(look: Look, adapters: tuple[Adapter, ...]) -> SmiAnswer:
    """Only where a driver may be: starting programs to learn that there is none costs time."""
    for program in _smi_places(look):
        if look.exists(program):
            return ask_nvidia_smi(look, program)
    if found := look.program_on_path("nvidia-smi"):
        return ask_nvidia_smi(look, found)
    stored = _driver_store_smi(look) if look.on_windows and any(adapter.vendor == "nvidia" for adapter in adapters) else None
    return ask_nvidia_smi(look, stored) if stored else SmiAnswer(problem="not-found")


def _smi_places(look: Look) -> tuple[str, ...]:
    if not look.on_windows:
        return ("/usr/lib/wsl/lib/nvidia-smi",) if look.family == "wsl" else ("/usr/bin/nvidia-smi",)
    root, programs = look.variable("SystemRoot") or r"C:\Windows", look.variable("ProgramFiles") or r"C:\Program Files"
    return look.join(root, r"System32\nvidia-smi.exe"), look.join(programs, r"NVIDIA Corporation\NVSMI\nvidia-smi.exe")


def _driver_store_smi(look: Look) -> str | None:
    store = look.join(look.variable("SystemRoot") or r"C:\Windows", r"System32\DriverStore\FileRepository")
    for folder in reversed(look.names(store, "nv*") or ()):
        program = look.join(store, folder.rstrip("/"), "nvidia-smi.exe")
        if look.exists(program):
            return program
    return None


def _nvidia_gpus(nvml: NvmlAnswer, smi: SmiAnswer) -> list[Gpu]:
    by_index = {gpu.index: gpu for gpu in smi.gpus}
    if nvml.devices:
        return [_nvml_gpu(device, by_index.get(device.index)) for device in nvml.devices]
    return [_smi_gpu(gpu) for gpu in smi.gpus]


def _nvml_gpu(device: NvmlDevice, smi: SmiGpu | None) -> Gpu:
    if device.error is not None and smi is not None:
        return _smi_gpu(smi)
    capability = device.compute_capability
    return Gpu(
        vendor="nvidia",
        name=device.name or "NVIDIA GPU",
        index=device.index,
        compute_capability=UNKNOWN if capability is None else f"{capability[0]}.{capability[1]}",
        memory_bytes=UNKNOWN if device.memory_bytes is None else device.memory_bytes,
        driver_model=None if device.driver_model is None else _MODELS.get(device.driver_model, UNKNOWN),
        status=_PROBLEMS.get(device.error, f"nvml-error-{device.error}") if device.error is not None else UNKNOWN,
        display_active=UNKNOWN if device.display_active is None else device.display_active,
    )


def _smi_gpu(gpu: SmiGpu) -> Gpu:
    model: Maybe[Literal["WDDM", "TCC", "MCDM"] | None] = UNKNOWN
    if gpu.driver_model is None:
        model = None
    elif gpu.driver_model in ("WDDM", "TCC", "MCDM"):
        model = _MODELS[("WDDM", "TCC", "MCDM").index(gpu.driver_model)]
    return Gpu(
        vendor="nvidia",
        name=gpu.name or "NVIDIA GPU",
        index=UNKNOWN if gpu.index is None else gpu.index,
        compute_capability=UNKNOWN if gpu.compute_capability is None else gpu.compute_capability,
        memory_bytes=UNKNOWN if gpu.memory_bytes is None else gpu.memory_bytes,
        driver_model=model,
        display_active=UNKNOWN if gpu.display_active is None else gpu.display_active,
    )


def _unseen(nvidia: list[Gpu], adapters: list[Adapter]) -> list[Adapter]:
    """NVIDIA adapters that the driver does not list: switched off, failed, or without a driver. Removed cards are no longer present."""
    seen = [gpu.name for gpu in nvidia]
    left = []
    for adapter in adapters:
        if adapter.name in seen:
            seen.remove(adapter.name)
        elif adapter.present or (adapter.present is None and not nvidia):
            left.append(adapter)
    return left if len(nvidia) < len([adapter for adapter in adapters if adapter.present is not False]) else []


def _with_status(gpu: Gpu, adapters: tuple[Adapter, ...]) -> Gpu:
    if gpu.status is not UNKNOWN:
        return gpu
    problem = next((adapter.problem for adapter in adapters if adapter.name == gpu.name and adapter.problem), 0)
    return dataclasses.replace(gpu, status=_STATUS.get(problem, f"error {problem}"))


def _adapter_gpu(look: Look, adapter: Adapter) -> Gpu:
    nvidia = adapter.vendor == "nvidia"
    if nvidia:
        look.gap("gpus.compute_capability", "driver-does-not-tell", adapter.name)
    status: Maybe[str] = UNKNOWN
    if adapter.has_driver is False:
        status = "no-driver"
    elif adapter.problem is not None:
        status = _STATUS.get(adapter.problem, f"error {adapter.problem}")
    return Gpu(
        vendor=adapter.vendor,
        name=adapter.name,
        compute_capability=UNKNOWN if nvidia else None,
        memory_bytes=UNKNOWN if adapter.memory_bytes is None else adapter.memory_bytes,
        driver_model=UNKNOWN if nvidia else None,
        status=status,
    )


def _driver(look: Look, nvml: NvmlAnswer, smi: SmiAnswer, adapters: tuple[Adapter, ...]) -> Maybe[Driver | None]:
    """None: there is no NVIDIA driver. A driver that is there but does not answer has a `problem`."""
    installed = next((adapter for adapter in adapters if adapter.vendor == "nvidia" and adapter.has_driver), None)
    version = nvml.driver or smi.driver or _installed_version(look, installed)
    cuda = cuda_version(nvml.cuda) or smi.cuda
    if nvml.error is None:
        lost = next((_code_word(device.error) for device in nvml.devices if device.error is not None), None)
        return Driver(version=version or UNKNOWN, cuda=cuda or UNKNOWN, problem=lost if len(nvml.devices) == 1 else None)
    if nvml.error == LIBRARY_NOT_FOUND and installed is None and version is None and smi.problem in ("not-found", "not-asked"):
        return None
    if nvml.error == NO_ANSWER and smi.gpus:
        return Driver(version=version or UNKNOWN, cuda=cuda or UNKNOWN, problem=None)
    if nvml.error == NO_ANSWER and version is None:
        look.gap("driver", _code(nvml), nvml.message)
        return UNKNOWN
    problem = "library-not-found" if nvml.error == LIBRARY_NOT_FOUND else _code_word(nvml.error)
    if smi.problem not in (None, "not-found", "not-asked") and nvml.error in (LIBRARY_NOT_FOUND, NO_ANSWER):
        problem = smi.problem or problem
    return Driver(version=version or UNKNOWN, cuda=cuda or UNKNOWN, problem=None if smi.gpus else problem)


def _installed_version(look: Look, adapter: Adapter | None) -> str | None:
    if look.on_windows:
        return nvidia_version(adapter.driver_version) if adapter is not None and adapter.driver_version else None
    return kernel_module_version(look.text("/proc/driver/nvidia/version", 4096) or "")


def kernel_module_version(text: str) -> str | None:
    """The driver version in /proc/driver/nvidia/version: the first word of only digits and dots in its NVRM line."""
    line = next((line for line in text.splitlines() if line.startswith("NVRM version:")), "")
    return next((word for word in line.split()[2:] if word.replace(".", "").isdecimal() and "." in word), None)


def cuda_version(number: int | None) -> str | None:
    """NVML's number as text: 12090 is 12.9."""
    return None if number is None or number < 1000 else f"{number // 1000}.{number % 1000 // 10}"


def _code_word(error: int | None) -> str | None:
    return None if error is None else _PROBLEMS.get(error, "no-answer" if error == NO_ANSWER else f"nvml-error-{error}")


def _code(nvml: NvmlAnswer) -> str:
    if nvml.error != NO_ANSWER:
        return "failed"
    return "timed-out" if "no answer in" in (nvml.message or "") else "no-answer"


GPUS: Final = Probe("gpus", ("gpus", "driver"), look_at_gpus, timeout_s=30.0)
