"""The graphics card as the CUDA driver describes it, read through ctypes: the same answer with every torch."""

import ctypes
import os
import sys

# Numbers of CUdevice_attribute in NVIDIA's cuda.h.
_ATTRIBUTES = {
    "clock_khz": 13,
    "multiprocessors": 16,
    "integrated": 18,
    "tcc_driver": 35,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "compute_major": 75,
    "compute_minor": 76,
    "shared_memory_per_block_bytes": 97,
}


def _library():
    # The full path on Windows: a nvcuda.dll in the current folder must not be loaded.
    if sys.platform == "win32":
        return ctypes.WinDLL(os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "nvcuda.dll"))
    return ctypes.CDLL("libcuda.so.1")


def cuda_driver():
    """How many devices the driver has, its CUDA version, and what went wrong if nothing came."""
    try:
        cuda = _library()
    except OSError as error:
        return {"devices": 0, "cuda": None, "message": f"no NVIDIA driver library: {error}"}
    code = cuda.cuInit(0)
    if code != 0:
        return {"devices": 0, "cuda": None, "message": f"cuInit answered {code}"}
    number, count = ctypes.c_int(), ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(number))
    cuda.cuDeviceGetCount(ctypes.byref(count))
    return {"devices": count.value, "cuda": f"{number.value // 1000}.{number.value % 1000 // 10}", "message": ""}


def bus_id(index=0):
    """Address on the bus, such as b"0000:01:00.0", which names the same card to NVML; call cuda_driver() first."""
    cuda = _library()
    device, address = ctypes.c_int(), ctypes.create_string_buffer(32)
    cuda.cuDeviceGet(ctypes.byref(device), index)
    cuda.cuDeviceGetPCIBusId(address, len(address), device)
    return address.value


def describe_device(index=0):
    """Properties of a device, sizes in bytes, clocks in kHz; call cuda_driver() first."""
    cuda = _library()
    device = ctypes.c_int()
    cuda.cuDeviceGet(ctypes.byref(device), index)
    name = ctypes.create_string_buffer(256)
    cuda.cuDeviceGetName(name, len(name), device)
    total = ctypes.c_size_t()
    cuda.cuDeviceTotalMem_v2(ctypes.byref(total), device)
    facts = {"name": name.value.decode("utf-8", "replace"), "memory_bytes": total.value, "driver_cuda": cuda_driver()["cuda"]}
    for key, number in _ATTRIBUTES.items():
        value = ctypes.c_int()
        facts[key] = value.value if cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device) == 0 else None
    facts["compute_capability"] = f"{facts.pop('compute_major')}.{facts.pop('compute_minor')}"
    facts["integrated"] = bool(facts["integrated"])
    facts["tcc_driver"] = bool(facts["tcc_driver"])
    return facts
