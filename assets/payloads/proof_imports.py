"""First of all: do torch and Triton load in this Python, and does torch see the graphics card?"""

import importlib.metadata
import os
import time

import proof_device
import proof_events


def import_torch():
    """The package, its build and the file of its native part."""
    began = time.perf_counter()
    import torch

    seconds = time.perf_counter() - began
    return f"torch {torch.__version__}", {
        "torch": torch.__version__,
        "torch_cuda": torch.version.cuda,
        "import_s": round(seconds, 3),
        "torch_path": os.path.dirname(torch.__file__),
    }


def import_triton():
    """The package and its native module: the compiler itself, the part that a missing runtime DLL breaks."""
    began = time.perf_counter()
    import triton
    import triton.language
    from triton._C import libtriton

    seconds = time.perf_counter() - began
    found = {name: version(name) for name in ("triton", "triton-windows")}
    return f"triton {triton.__version__}", {
        "triton": triton.__version__,
        "package": ", ".join(f"{name} {number}" for name, number in found.items() if number),
        "import_s": round(seconds, 3),
        "native_module": libtriton.__file__,
    }


def torch_sees_gpu():
    """Asks the driver itself first, so that a card which torch cannot use is told from no card at all."""
    import torch

    driver = proof_device.cuda_driver()
    if torch.cuda.is_available():
        facts = proof_device.describe_device()
        return facts["name"], {"name": facts["name"], "compute_capability": facts["compute_capability"]}
    if driver["devices"]:
        if torch.version.cuda is None:
            raise RuntimeError("this torch is built for the CPU only, and the driver sees a graphics card")
        torch.cuda.init()
    raise proof_events.Skipped("no-gpu", driver_message=driver["message"])


def version(package):
    """The installed version of a distribution, None if it is not there."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


CHECKS = {"import-torch": import_torch, "import-triton": import_triton, "torch-sees-gpu": torch_sees_gpu}
