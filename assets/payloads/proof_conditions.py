"""Under which conditions something was measured: clocks, power, temperature, limits, other users, power source.

Read from NVML through ctypes, because the target Python has no package for it. What the card or the driver
does not tell is left out: not known is not zero.
"""

import ctypes
import functools
import os
import sys

import proof_device

# Reasons for lowered clocks, from NVIDIA's nvml.h.
_REASONS = {
    "power_capped": 0x4,
    "hardware_slowdown": 0x8,
    "thermal_slowdown": 0x20 | 0x40,
    "power_brake": 0x80,
}
_GRAPHICS, _SM, _MEMORY = 0, 1, 2


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


@functools.lru_cache(maxsize=1)
def _nvml():
    """The library and a handle of the device that torch uses, or None."""
    try:
        if sys.platform == "win32":
            nvml = ctypes.WinDLL(os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvml.dll"))
        else:
            nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    handle = ctypes.c_void_p()
    # NVML counts all cards, CUDA only the visible ones: the address on the bus names the same card to both.
    if not proof_device.cuda_driver()["devices"] or nvml.nvmlInit_v2() != 0:
        return None
    if nvml.nvmlDeviceGetHandleByPciBusId_v2(proof_device.bus_id(), ctypes.byref(handle)) != 0:
        return None
    return nvml, handle


def _number(function, *arguments, kind=ctypes.c_uint):
    nvml, handle = _nvml()
    value = kind()
    try:
        code = getattr(nvml, function)(handle, *arguments, ctypes.byref(value))
    except AttributeError:  # an older driver
        return None
    return value.value if code == 0 else None


def now():
    """Clocks in MHz, power in W, temperature in degrees Celsius at this moment."""
    found = {"on_battery": on_battery()}
    if _nvml() is not None:
        found.update(
            sm_clock_mhz=_number("nvmlDeviceGetClockInfo", _SM),
            memory_clock_mhz=_number("nvmlDeviceGetClockInfo", _MEMORY),
            temperature_c=_number("nvmlDeviceGetTemperature", 0),
            power_w=_watts(_number("nvmlDeviceGetPowerUsage")),
        )
        reasons = _number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong)
        if reasons is not None:
            found.update({name: bool(reasons & bits) for name, bits in _REASONS.items()})
    return {name: value for name, value in found.items() if value is not None}


def limits():
    """What does not change while measuring: highest clocks, power limits, PCIe link, other programs on the card."""
    found = {}
    if _nvml() is not None:
        found.update(
            max_sm_clock_mhz=_number("nvmlDeviceGetMaxClockInfo", _SM),
            max_memory_clock_mhz=_number("nvmlDeviceGetMaxClockInfo", _MEMORY),
            power_limit_w=_watts(_number("nvmlDeviceGetEnforcedPowerLimit")),
            default_power_limit_w=_watts(_number("nvmlDeviceGetPowerManagementDefaultLimit")),
            pcie_generation=_number("nvmlDeviceGetCurrPcieLinkGeneration"),
            max_pcie_generation=_number("nvmlDeviceGetMaxPcieLinkGeneration"),
            pcie_width=_number("nvmlDeviceGetCurrPcieLinkWidth"),
            max_pcie_width=_number("nvmlDeviceGetMaxPcieLinkWidth"),
            busy_before_percent=_busy(),
        )
    return {name: value for name, value in found.items() if value is not None}


def _busy():
    # Asked before our own work begins: whatever keeps the card busy then is another program.
    nvml, handle = _nvml()
    value = _Utilization()
    return value.gpu if nvml.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(value)) == 0 else None


def _watts(milliwatts):
    return None if milliwatts is None else round(milliwatts / 1000, 1)


def on_battery():
    """True while a laptop runs on its battery, None where that is not known."""
    if sys.platform == "win32":
        status = (ctypes.c_ubyte * 12)()
        return status[0] == 0 if ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)) and status[0] in (0, 1) else None
    folder = "/sys/class/power_supply"
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name, "online")
        if os.path.isfile(path) and name.upper().startswith(("AC", "ADP")):
            with open(path) as file:
                return file.read().strip() == "0"
    return None
