"""Machines for tests, made from words: a plain Windows PC that each test changes in one thing."""

from dataclasses import replace
from typing import Any

from app.diagnosis import find_causes
from app.model.facts import Cpu, Disk, Distro, Driver, Gpu, MachineFacts, Memory, Network, OperatingSystem, Python, Wsl
from app.model.plan import Choice, Goal, Plan
from app.planning import make_plan
from app.tables import load_tables
from app.tables.builds import torch_build
from app.tables.fits import cuda_row

TABLES = load_tables()
REACHABLE = dict.fromkeys(("python-index", "python-index-files", "download.pytorch.org", "github.com", "raw.githubusercontent.com"), True)
NAMES = {"6.1": "GTX 1080", "7.0": "TITAN V", "7.5": "RTX 2080", "8.6": "RTX 3090", "8.9": "RTX 4090", "9.0": "H100", "12.0": "RTX 5090", "12.1": "GB10"}


def gpu(capability: str | None = "8.9", vendor: str = "nvidia", **changes: Any) -> Gpu:
    name = f"NVIDIA {NAMES.get(capability or '', 'card')}" if vendor == "nvidia" else f"{vendor} card"
    return Gpu(
        **{"vendor": vendor, "name": name, "index": 0, "compute_capability": capability, "memory_bytes": 24_000_000_000, "driver_model": "WDDM"} | changes
    )


def arch_list(torch: str | None) -> tuple[str, ...]:
    build = torch_build(torch) if torch else None
    row = cuda_row(TABLES, build.cuda) if build else None
    return tuple(f"sm_{text.replace('.', '')}" for text in row.gpus) if row else ()


def python(torch: str | None = "2.10.0+cu128", executable: str = "D:\\work\\venv\\Scripts\\python.exe", **changes: Any) -> Python:
    """A venv with pip, headers and a torch; `packages` adds others."""
    more = changes.pop("packages", {})
    values: dict[str, Any] = {
        "executable": executable,
        "kind": "venv",
        "version": "3.12.10",
        "bits": 64,
        "arch": "x86_64",
        "free_threaded": False,
        "app": None,
        "app_root": None,
        "writable": True,
        "in_use_by": (),
        "has_pip": True,
        "has_headers": True,
        "bundled_vc_runtime": None,
        "user_site": False,
        "in_wsl": None,
        "packages": {"pip": "25.3", **({"torch": torch} if torch else {}), **more},
        "torch_arch_list": arch_list(torch),
    }
    return Python(**values | changes)


def portable(torch: str | None = "2.13.0+cu130", **changes: Any) -> Python:
    root = "D:\\ComfyUI_windows_portable"
    values = {
        "kind": "embedded",
        "version": "3.13.9",
        "has_headers": False,
        "app": "comfyui-portable",
        "app_root": root,
        "bundled_vc_runtime": "14.44.35211.0",
    }
    return python(torch, f"{root}\\python_embeded\\python.exe", **values | changes)


def machine(*pythons: Python, **changes: Any) -> MachineFacts:
    """Windows 11, RTX 4090, a current driver, room, network. `capability`, `driver` and any fact by its name change that."""
    capability = changes.pop("capability", "8.9")
    driver = changes.pop("driver_version", "591.44")
    values: dict[str, Any] = {
        "schema": "machine/1",
        "os": OperatingSystem(
            "windows",
            "10.0.26100",
            "x86_64",
            name="Windows 11 Pro",
            locale="en-US",
            ansi_code_page=1252,
            long_paths=True,
            elevated=False,
            pending_restart=False,
            user_profile="C:\\Users\\user",
            temp="C:\\Users\\user\\AppData\\Local\\Temp",
            app_control="off",
            cloud_roots=(),
        ),
        "cpu": Cpu(name="cpu", cores=8, virtualization=True),
        "memory": Memory(32_000_000_000, 48_000_000_000),
        "disks": (Disk("C:\\", 500_000_000_000), Disk("D:\\", 500_000_000_000)),
        "gpus": (gpu(capability),),
        "driver": Driver(driver, "13.1", None),
        "toolkits": (),
        "compilers": (),
        "vc_runtime": "14.50.35719.0",
        "tools": {"git": "2.50", "uv": None},
        "wsl": None,
        "network": Network(online=True, proxy=None, index_url=None, reachable=REACHABLE),
        "pythons": pythons or (python(),),
        "environment_variables": {},
    }
    return MachineFacts(**values | changes)


def with_os(facts: MachineFacts, **changes: Any) -> MachineFacts:
    return replace(facts, os=replace(facts.os, **changes))


def linux(*pythons: Python, **changes: Any) -> MachineFacts:
    """Debian without a graphics card."""
    values: dict[str, Any] = {
        "schema": "machine/1",
        "os": OperatingSystem("linux", "6.1.0", "x86_64", name="Debian GNU/Linux 12", user_profile="/root", elevated=True),
        "gpus": (),
        "driver": None,
        "disks": (Disk("/", 100_000_000_000),),
        "network": Network(online=True, proxy=None, index_url=None, reachable=REACHABLE),
        "pythons": pythons or (Python("/usr/bin/python3", "system", "3.11.2", bits=64, arch="x86_64", externally_managed=True, packages={"pip": "23.0"}),),
        "compilers": (),
        "environment_variables": {},
    }
    return MachineFacts(**values | changes)


def wsl(**changes: Any) -> Wsl:
    distro = Distro("Ubuntu-24.04", wsl_version=2, default=True, release="Ubuntu 24.04.3 LTS", python="3.12.3", gpu_visible=True)
    values: dict[str, Any] = {
        "version": "2.6.3.0",
        "kernel": "6.6.87.2-1",
        "default_version": 2,
        "platform_enabled": True,
        "problem": None,
        "distros": (distro,),
    }
    return Wsl(**values | changes)


def plan(facts: MachineFacts, *goals: Goal, **choice: Any) -> Plan:
    wanted = Choice(goals=goals or (Goal.TRITON,), **choice)
    return make_plan(facts, find_causes(facts, TABLES, wanted), wanted, TABLES)


def codes(result: Plan) -> set[str]:
    return {finding.code for finding in result.findings}


def kinds(result: Plan) -> list[str]:
    return [step.kind for step in result.steps]
