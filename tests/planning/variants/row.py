"""A machine and the plan that an expert would make for it, and words to make such machines."""

from dataclasses import dataclass
from typing import Any

from app.model.facts import Compiler, Driver, Gpu, MachineFacts, Python
from app.model.plan import Goal, Plan, Verdict
from tests.planning.build import gpu, linux, machine, plan, python, with_os

SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
COMFY = (*SAGE, Goal.COMFYUI)
READY, ACT, BLOCKED = Verdict.READY, Verdict.NEEDS_ACTION, Verdict.BLOCKED
VENV = "D:\\work\\venv\\Scripts\\python.exe"
POST6 = "2.2.0+cu130torch2.10.0andhigher.post6"
RIGHT = {"triton-windows": "3.5.1.post24", "sageattention": "2.2.0+cu130torch2.9.1.post6"}
NEW = "new"
"""As expected Python: one in a new environment."""


@dataclass(frozen=True)
class Row:
    """`packages` names planned versions (None: not planned); `has` and `lacks` are codes of findings; `keeps` what must stay."""

    name: str
    facts: MachineFacts
    verdict: Verdict
    packages: dict[str, str | None]
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    goals: tuple[Goal, ...] = SAGE
    python: str | None = None
    keeps: tuple[str, ...] = ()
    steps: tuple[str, ...] | None = None
    choice: dict[str, Any] | None = None
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def plan(self) -> Plan:
        return plan(self.facts, *self.goals, **(self.choice or {}))


def system(version: str = "3.12.10", torch: str | None = None, **changes: Any) -> Python:
    return python(torch, f"C:\\Pythons\\{version}\\python.exe", version=version, kind="system", **changes)


def bare(**changes: Any) -> MachineFacts:
    """Only a system Python: what is needed goes into a new environment."""
    return machine(system(), **changes)


def has(torch: str, **packages: str) -> Python:
    return python(torch, packages={name.replace("_", "-"): version for name, version in packages.items()})


def arm(*pythons: Python) -> MachineFacts:
    return with_os(machine(*pythons, capability="12.1", driver_version="616.58"), arch="arm64")


def on_linux(torch: str | None, gpus: tuple[Gpu, ...] = (gpu("8.9"),), **changes: Any) -> MachineFacts:
    packages = changes.pop("packages", {}) | ({"torch": torch} if torch else {})
    lists = ("sm_80", "sm_86", "sm_90", "sm_120")
    one = Python("/home/u/v/bin/python", "venv", "3.12.3", bits=64, arch="x86_64", packages=packages, torch_arch_list=lists, writable=True, has_headers=True)
    values = {"gpus": gpus, "driver": Driver("580.95.05", "13.0", None), "compilers": (Compiler("gcc", version="13"),)}
    return linux(one, **values | changes)
