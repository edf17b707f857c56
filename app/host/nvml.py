"""NVML through nvidia-ml-py: the GPUs as the driver itself knows them, with old drivers' call variants.

Called in the process, so a driver that hangs is waited for in a thread of its own and then left alone.
"""

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from app.host.answers import NvmlAnswer, NvmlDevice

NO_ANSWER: Final = -1

_T = TypeVar("_T")


def read_nvml(timeout_s: float) -> NvmlAnswer:
    """Never raises. Errors of one GPU stay with that GPU; what an old driver lacks is None."""
    answers: list[NvmlAnswer] = []
    reader = threading.Thread(target=lambda: answers.append(_read()), name="nvml", daemon=True)
    reader.start()
    reader.join(timeout_s)
    return answers[0] if answers else NvmlAnswer(error=NO_ANSWER, message=f"no answer in {timeout_s:g} s")


def _read() -> NvmlAnswer:
    try:
        import pynvml
    except ImportError as error:
        return NvmlAnswer(error=NO_ANSWER, message=str(error))
    try:
        _start(pynvml)
    except pynvml.NVMLError as error:
        return NvmlAnswer(error=int(error.value), message=str(error))
    except Exception as error:  # a damaged or foreign library can raise anything ctypes knows
        return NvmlAnswer(error=NO_ANSWER, message=str(error)[:200])
    try:
        return _read_started(pynvml)
    except Exception as error:
        return NvmlAnswer(error=int(getattr(error, "value", NO_ANSWER)), message=str(error)[:200])
    finally:
        _ask(pynvml, pynvml.nvmlShutdown)


def _start(pynvml: Any) -> None:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        # Drivers before 384 know only the plain call.
        if error.value != pynvml.NVML_ERROR_FUNCTION_NOT_FOUND:
            raise
        pynvml._nvmlCheckReturn(pynvml._nvmlGetFunctionPointer("nvmlInit_v2")())


def _read_started(pynvml: Any) -> NvmlAnswer:
    driver = _ask(pynvml, pynvml.nvmlSystemGetDriverVersion)
    cuda = _ask(pynvml, pynvml.nvmlSystemGetCudaDriverVersion_v2) or _ask(pynvml, pynvml.nvmlSystemGetCudaDriverVersion)
    try:
        count = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError as error:
        return NvmlAnswer(error=int(error.value), message=str(error), driver=_text(driver), cuda=cuda)
    devices = tuple(_read_device(pynvml, index) for index in range(count))
    return NvmlAnswer(driver=_text(driver), cuda=cuda, devices=devices)


def _read_device(pynvml: Any, index: int) -> NvmlDevice:
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    except pynvml.NVMLError as error:
        return NvmlDevice(index, error=int(error.value))
    memory = _ask(pynvml, pynvml.nvmlDeviceGetMemoryInfo, handle)
    model = _ask(pynvml, pynvml.nvmlDeviceGetDriverModel, handle) or _ask(pynvml, pynvml.nvmlDeviceGetDriverModel_v1, handle)
    active = _ask(pynvml, pynvml.nvmlDeviceGetDisplayActive, handle)
    capability = _ask(pynvml, pynvml.nvmlDeviceGetCudaComputeCapability, handle)
    bus = _ask(pynvml, pynvml.nvmlDeviceGetPciInfo, handle)
    return NvmlDevice(
        index=index,
        name=_text(_ask(pynvml, pynvml.nvmlDeviceGetName, handle)),
        compute_capability=None if capability is None else (int(capability[0]), int(capability[1])),
        memory_bytes=None if memory is None else int(memory.total),
        driver_model=None if model is None else int(model[0]),
        display_active=None if active is None else bool(active),
        bus=None if bus is None else _text(bus.busId),
        error=None if memory is not None or capability is not None else _error_of(pynvml, pynvml.nvmlDeviceGetMemoryInfo, handle),
    )


def _ask(pynvml: Any, call: Callable[..., _T], *arguments: Any) -> _T | None:
    try:
        return call(*arguments)
    except (pynvml.NVMLError, AttributeError, UnicodeDecodeError):
        return None


def _error_of(pynvml: Any, call: Callable[..., Any], *arguments: Any) -> int | None:
    try:
        call(*arguments)
    except pynvml.NVMLError as error:
        return int(error.value)
    return None


def _text(value: Any) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
