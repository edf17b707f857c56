"""Hypothesis strategies for whole machines: cards, drivers, Pythons, torch builds and gaps in all combinations."""

from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from app.model.facts import Driver, MachineFacts, Network, Python
from app.model.plan import Choice, Goal, RouteKind, TorchChange
from app.model.unknown import UNKNOWN
from tests.planning.build import REACHABLE, TABLES, arch_list, gpu, linux, machine, portable, python, with_os, wsl

CAPABILITIES = ("6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0", "12.1")
DRIVERS = ("472.12", "527.00", "528.33", "551.78", "566.36", "572.83", "576.02", "580.88", "591.44", "596.36", "616.58")
TORCHES = tuple(f"{patch}+{tag}" for row in TABLES.torch for patch in row.patches for tag in (*row.windows, "cpu"))
ODD_TORCHES = ("2.3.1+cu121", "2.16.0+cu140", "2.9.0.dev20250701+cu128", "2.10.0", "2.9.0+rocm7.10.0", "1.13.1+cu117", "not-a-version")
VERSIONS = ("3.8.20", "3.9.21", "3.10.11", "3.11.9", "3.12.10", "3.13.9", "3.14.2", "3.15.0")
SAGES = ("1.0.6", "2.2.0", *(row.version for row in TABLES.sage))
FAILURES = ("DLL load failed while importing libtriton: x", "DLL load failed while importing _fused: x", "[WinError 1114] c10.dll", "No module named 'x'")
APPS = (None, None, "comfyui", "comfyui-portable", "stability-matrix", "swarmui", "forge", "framepack", "unheard-of")


@st.composite
def pythons(draw: st.DrawFn, number: int = 0) -> Python:
    torch = draw(st.one_of(st.none(), st.sampled_from(TORCHES), st.sampled_from(ODD_TORCHES)))
    packages: dict[str, str] = {}
    if draw(st.booleans()):
        row = draw(st.sampled_from(TABLES.triton_windows))
        packages["triton-windows"] = draw(st.sampled_from(row.versions))
    if draw(st.integers(0, 5)) == 0:
        packages["triton"] = "3.1.0"
    if draw(st.booleans()):
        packages["sageattention"] = draw(st.sampled_from(SAGES))
    if torch and draw(st.booleans()):
        packages |= {"torchvision": "0.23.0+cu128", "torchaudio": "2.8.0+cu128"}
    app = draw(st.sampled_from(APPS))
    root = f"D:\\apps\\app{number}"
    if app == "comfyui-portable":
        one = portable(torch, packages=packages, version=draw(st.sampled_from(VERSIONS)))
        executable = f"{root}\\python_embeded\\python.exe"
    else:
        one = python(torch, packages=packages, version=draw(st.sampled_from(VERSIONS)), app=app)
        executable = f"{root}\\venv\\Scripts\\python.exe"
    changes: dict[str, Any] = {"executable": executable, "app_root": root if app else None}
    changes["kind"] = one.kind if app else draw(st.sampled_from(["venv", "venv", "conda", "system", "embedded", "uv", "store"]))
    changes["has_pip"] = draw(st.booleans())
    changes["has_headers"] = draw(st.booleans())
    changes["writable"] = draw(st.integers(0, 9)) > 0
    changes["in_use_by"] = ("app.exe (pid 7)",) if draw(st.integers(0, 9)) == 0 else ()
    if draw(st.integers(0, 5)) == 0:
        failing = draw(st.sampled_from(["triton", "sageattention", "torch"]))
        changes["imports"] = {"torch": "ok", "triton": "ok", "sageattention": "ok", failing: draw(st.sampled_from(FAILURES))}
    changes["bundled_vc_runtime"] = draw(st.sampled_from([None, "14.29.30133.0", "14.44.35211.0"]))
    return replace(one, **changes)


@st.composite
def windows(draw: st.DrawFn) -> MachineFacts:
    cards = tuple(gpu(draw(st.sampled_from(CAPABILITIES)), index=i) for i in range(draw(st.integers(1, 2))))
    found = tuple(draw(pythons(i)) for i in range(draw(st.integers(0, 3))))
    facts = machine(driver_version=draw(st.sampled_from(DRIVERS)), gpus=cards, vc_runtime=draw(st.sampled_from([None, "14.29.30139.0", "14.50.35719.0"])))
    facts = replace(facts, pythons=found, wsl=draw(st.sampled_from([None, wsl(), wsl(distros=()), wsl(kind="inbox", version=None)])))
    if draw(st.integers(0, 5)) == 0:
        facts = replace(facts, network=Network(online=True, reachable=REACHABLE | {"github.com": False, "download.pytorch.org": False}))
    if draw(st.integers(0, 5)) == 0:
        facts = with_os(facts, user_profile="C:\\Users\\王小明", temp="C:\\Users\\王小明\\Temp", long_paths=False)
    if draw(st.integers(0, 7)) == 0:
        facts = with_os(facts, arch="arm64")
    return facts


@st.composite
def linuxes(draw: st.DrawFn) -> MachineFacts:
    base = linux()
    torch = draw(st.sampled_from(["2.13.0+cpu", "2.13.0", "2.15.0+cu132", "2.8.0+cu128", None]))
    packages = {"torch": torch} if torch else {}
    if draw(st.booleans()):
        packages["triton"] = draw(st.sampled_from(["3.7.1", "3.9.0", "3.4.0"]))
    venv = Python("/home/u/venv/bin/python", "venv", "3.12.3", bits=64, arch="x86_64", packages=packages, torch_arch_list=arch_list(torch), writable=True)
    facts = replace(base, pythons=(*(base.pythons or ()), venv))
    if draw(st.booleans()):
        facts = replace(facts, gpus=(gpu(draw(st.sampled_from(CAPABILITIES))),), driver=Driver("595.58.03", "13.2", None))
    return facts


def machines() -> st.SearchStrategy[MachineFacts]:
    return st.one_of(windows(), windows(), linuxes())


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    goals = tuple(draw(st.lists(st.sampled_from(list(Goal)), min_size=1, max_size=3, unique=True)))
    route = draw(st.sampled_from([None, None, None, *RouteKind]))
    return Choice(
        goals=goals,
        route=route,
        torch_change=draw(st.sampled_from(list(TorchChange))),
        new_env=draw(st.sampled_from([None, None, "C:\\new-env"])),
        torch_version=draw(st.sampled_from([None, None, None, "2.10", "2.9.0+cu128", "2.15"])),
    )


MACHINE_FACTS = tuple(f.name for f in fields(MachineFacts) if f.default is UNKNOWN)
PYTHON_FACTS = tuple(f.name for f in fields(Python) if f.default is UNKNOWN)
