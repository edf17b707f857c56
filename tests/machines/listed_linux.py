"""Linux, with and without GPUs, and the inside of WSL."""

import dataclasses

from app.host.answers import NvmlAnswer, NvmlDevice
from tests.machines.layout import GIB, Linux
from tests.machines.machine import Machine


def h200() -> Machine:
    machine = Linux()
    machine.nvml = NvmlAnswer(driver="580.95.05", cuda=13000, devices=(NvmlDevice(0, "NVIDIA H200", (9, 0), 139 * GIB, None, False, "00000000:1B:00.0"),))
    machine.card("0000:1b:00.0", "0x10de", "0x2335", True)
    machine.tool("gcc", "gcc (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0\nCopyright (C) 2023 Free Software Foundation, Inc.\n", "/usr/bin")
    machine.tool("clang", "Ubuntu clang version 18.1.3 (1ubuntu1)\nTarget: x86_64-pc-linux-gnu\n", "/usr/bin")
    machine.system_python("3.12.3", {"pip": "24.0"})
    machine.venv("/home/user/venv", "3.12.3", {"torch": "2.13.0", "triton": "3.7.1", "pip": "24.0"})
    machine.file("/home/user/venv/lib/python3.12/site-packages/torch/version.py", "__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\n")
    return Machine(
        "linux-h200",
        "a server with one H200",
        machine,
        {
            "os": {"family": "linux", "name": "Ubuntu 24.04.3 LTS", "version": "6.8.0-88-generic"},
            "gpus": [{"name": "NVIDIA H200", "compute_capability": "9.0", "driver_model": None, "status": "ok"}],
            "driver": {"version": "580.95.05", "cuda": "13.0", "problem": None},
            "compilers": [{"kind": "gcc", "version": "13.3.0"}, {"kind": "clang", "version": "18.1.3"}],
            "pythons": [
                {
                    "executable": "/home/user/venv/bin/python",
                    "kind": "venv",
                    "packages": {"torch": "2.13.0+cu130", "triton": "3.7.1", "pip": "24.0"},
                    "has_headers": True,
                },
                {"executable": "/usr/bin/python3", "kind": "system", "version": "3.12.3", "externally_managed": True, "packages": {"pip": "24.0"}},
            ],
        },
        [["pythons.torch_cuda_available", "not-asked"]],
    )


def without_driver() -> Machine:
    machine = Linux(release="Debian GNU/Linux 12 (bookworm)")
    machine.card("0000:01:00.0", "0x10de", "0x2684", False)
    machine.card("0000:00:02.0", "0x8086", "0x4680", True)
    return Machine(
        "linux-card-without-driver",
        "an NVIDIA card that no driver serves",
        machine,
        {
            "gpus": [{"vendor": "nvidia", "name": "NVIDIA GPU (PCI 10DE:2684)", "status": "no-driver"}, {"vendor": "intel", "compute_capability": None}],
            "driver": None,
        },
    )


def module_only() -> Machine:
    machine = Linux()
    machine.nvml = NvmlAnswer(error=18, message="Driver/library version mismatch")
    machine.card("0000:01:00.0", "0x10de", "0x2684", True)
    machine.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build\nGCC version: gcc 13\n")
    machine.file("/usr/bin/nvidia-smi")
    machine.says(
        (
            "/usr/bin/nvidia-smi",
            "--query-gpu=index,name,pci.bus_id,driver_version,memory.total,compute_cap,driver_model.current,display_active",
            "--format=csv,noheader,nounits",
        ),
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.65\n",
        18,
    )
    return Machine("linux-driver-mismatch", "kernel module and library differ", machine, {"driver": {"version": "575.57.08", "problem": "library-mismatch"}})


def inside_wsl() -> Machine:
    machine = Linux("wsl", "Ubuntu 22.04.5 LTS", "6.6.87.2-microsoft-standard-WSL2")
    machine.nvml = NvmlAnswer(driver="596.36", cuda=13020, devices=(NvmlDevice(0, "NVIDIA GeForce RTX 4070", (8, 9), 12 * GIB, 0, True, "00000000:01:00.0"),))
    machine.variables["WSL_DISTRO_NAME"] = "Ubuntu"
    return Machine(
        "inside-wsl",
        "the inside of WSL: the driver is Windows' own",
        machine,
        {"os": {"family": "wsl"}, "gpus": [{"compute_capability": "8.9"}], "driver": {"version": "596.36", "cuda": "13.2"}, "wsl": None},
    )


def managers() -> Machine:
    machine = Linux()
    for path in (".pyenv/versions/3.11.9", ".local/share/uv/python/cpython-3.13.5-linux-x86_64-gnu"):
        root = f"/home/user/{path}"
        minor = "3.11" if "3.11" in path else "3.13"
        machine.program(f"{root}/bin/python3")
        machine.links[f"{root}/bin/python3"] = f"{root}/bin/python{minor}"
        machine.folder(f"{root}/lib/python{minor}/site-packages/pip-25.3.dist-info")
    machine.file("/home/user/.local/share/uv/python/cpython-3.13.5-linux-x86_64-gnu/lib/python3.13/EXTERNALLY-MANAGED")
    machine.file("/home/user/.conda/environments.txt", "/opt/gone\n/home/user/miniforge3/envs/ai\n")
    machine.program("/home/user/miniforge3/envs/ai/bin/python")
    machine.links["/home/user/miniforge3/envs/ai/bin/python"] = "/home/user/miniforge3/envs/ai/bin/python3.10"
    machine.file("/home/user/miniforge3/envs/ai/conda-meta/python-3.10.14-hd12c33a_0_cpython.json")
    machine.file("/home/user/miniforge3/envs/ai/lib/python3.10/site-packages/torch-2.4.1.dist-info/RECORD")
    machine.system = dataclasses.replace(machine.system, cores=None)
    return Machine(
        "linux-managers",
        "pyenv, uv and conda side by side; a stale line in conda's list",
        machine,
        {
            "pythons": [
                {"executable": "/home/user/.pyenv/versions/3.11.9/bin/python3", "kind": "pyenv", "version": "3.11.9"},
                {
                    "executable": "/home/user/.local/share/uv/python/cpython-3.13.5-linux-x86_64-gnu/bin/python3",
                    "kind": "uv",
                    "version": "3.13.5",
                    "externally_managed": True,
                },
                {"executable": "/home/user/miniforge3/envs/ai/bin/python", "kind": "conda", "version": "3.10.14", "packages": {"torch": "2.4.1"}},
            ]
        },
        [["cpu.cores", "no-answer"]],
    )


LINUX_MACHINES = tuple(make() for make in (h200, without_driver, module_only, inside_wsl, managers))
