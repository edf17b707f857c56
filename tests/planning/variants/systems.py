"""The system around the Pythons, and the apps they belong to."""

from dataclasses import replace

from app.model.facts import Disk, Network, Toolkit
from app.model.plan import Attention, Goal
from app.model.unknown import UNKNOWN
from tests.planning.build import REACHABLE, machine, portable, python, with_os
from tests.planning.variants.row import ACT, BLOCKED, COMFY, NEW, READY, RIGHT, VENV, Row, bare, has, system

SYSTEMS = (
    Row("no runtime under an embedded Python", machine(portable(bundled_vc_runtime=None), vc_runtime=None), READY, {}, has=("vc-runtime-missing",)),
    Row("an old runtime", machine(vc_runtime="14.42.34438.0"), READY, {}, has=("vc-runtime-missing",)),
    Row(
        "an old runtime beside the base",
        machine(python(bundled_vc_runtime="14.29.30139.0", base_executable="C:\\Python312\\python.exe")),
        READY,
        {},
        has=("vc-runtime-stale",),
    ),
    Row("the card hidden by a variable", machine(environment_variables={"CUDA_VISIBLE_DEVICES": "3"}), READY, {}, has=("gpu-hidden",)),
    Row("the card named by a variable", machine(environment_variables={"CUDA_VISIBLE_DEVICES": "0"}), READY, {}, lacks=("gpu-hidden",)),
    Row("the interpreter switched on", machine(environment_variables={"TRITON_INTERPRET": "1"}), READY, {}, has=("gpu-hidden",)),
    Row("PYTHONPATH", machine(environment_variables={"PYTHONPATH": "C:\\old"}), READY, {}, has=("wrong-python",)),
    Row("CUDA_PATH to a folder that is gone", machine(environment_variables={"CUDA_PATH": "C:\\CUDA"}), READY, {}, has=("cuda-path-misconfigured",)),
    Row(
        "CUDA_PATH to a whole toolkit",
        machine(environment_variables={"CUDA_PATH": "C:\\CUDA"}, toolkits=(Toolkit("12.8", "C:\\CUDA", ()),)),
        READY,
        {},
        lacks=("cuda-path-misconfigured",),
    ),
    Row("CC that names a folder", machine(environment_variables={"CC": "C:\\VS\\bin\\;"}), READY, {}, has=("compiler-misconfigured",)),
    Row("Smart App Control", with_os(machine(), app_control="enforced"), READY, {}, has=("app-control-blocked",)),
    Row(
        "no room for the environment", machine(disks=(Disk("C:\\", 500_000_000_000), Disk("D:\\", 200_000_000))), ACT, {}, has=("disk-full",), keeps=("torch",)
    ),
    Row(
        "offline, and nothing to fetch",
        machine(has("2.9.1+cu130", **{"triton_windows": "3.5.1.post24"}), network=Network(online=False)),
        READY,
        {},
        goals=(Goal.TRITON,),
        steps=(),
    ),
    Row("offline", machine(network=Network(online=False)), ACT, {}, has=("network-failed",)),
    Row("a dead proxy", machine(network=Network(online=True, proxy="http://p:8", reachable=dict.fromkeys(REACHABLE, False))), ACT, {}, has=("proxy-failed",)),
    Row(
        "only SageAttention's host blocked",
        machine(network=Network(online=True, reachable=REACHABLE | {"github.com": False})),
        ACT,
        {},
        has=("network-failed",),
    ),
    Row(
        "the same host where it is not needed",
        machine(network=Network(online=True, reachable=REACHABLE | {"github.com": False})),
        READY,
        {},
        goals=(Goal.TRITON,),
        lacks=("network-failed",),
    ),
    Row(
        "a wrong clock behind an inspecting proxy",
        machine(network=Network(online=True, tls_inspected=True, clock_skew_seconds=90_000.0)),
        READY,
        {},
        has=("certificate-expired", "tls-inspection"),
    ),
    Row(
        "an app on a path with other letters",
        machine(python("2.8.0+cu129", "D:\\秋叶\\pack\\python\\python.exe", app="aki", app_root="D:\\秋叶\\pack")),
        READY,
        {},
        has=("non-ascii-path",),
        goals=COMFY,
    ),
)

FOLDERS = (
    Row(
        "a new environment in a cloud folder",
        with_os(machine(), cloud_roots=("C:\\Users\\user\\OneDrive",)),
        READY,
        {},
        has=("onedrive-path",),
        choice={"new_env": "C:\\Users\\user\\OneDrive\\t"},
        python=NEW,
    ),
    Row("a new environment on a path with other letters", machine(), READY, {}, has=("non-ascii-path",), choice={"new_env": "D:\\绘图\\t"}, python=NEW),
    Row(
        "a new environment too deep",
        with_os(machine(), long_paths=False),
        READY,
        {},
        has=("long-path",),
        choice={"new_env": "C:\\" + "deep\\" * 24 + "t"},
        python=NEW,
    ),
    Row(
        "a new environment in a good place",
        machine(),
        READY,
        {},
        lacks=("onedrive-path", "non-ascii-path", "long-path"),
        choice={"new_env": "C:\\t"},
        python=NEW,
    ),
    Row(
        "two environments, one in a cloud folder",
        with_os(
            machine(python("2.8.0+cu128", "C:\\Users\\user\\OneDrive\\v\\Scripts\\python.exe"), python("2.8.0+cu128")),
            cloud_roots=("C:\\Users\\user\\OneDrive",),
        ),
        READY,
        {},
        lacks=("onedrive-path",),
        python=VENV,
    ),
    Row("32-bit Windows", with_os(machine(system(bits=32, arch="x86")), arch="x86"), BLOCKED, {}, has=("route-not-possible",)),
)


APPS = (
    Row("the running portable", machine(portable(in_use_by=("python.exe (pid 4)",))), ACT, {}, has=("file-locked",), keeps=("torch",)),
    Row(
        "the running portable that is right",
        machine(portable("2.9.1+cu130", packages=RIGHT, has_headers=True, in_use_by=("python.exe (pid 4)",))),
        READY,
        {},
        steps=(),
    ),
    Row(
        "a broken ComfyUI beside a portable",
        machine(python(base_ok=False, app="comfyui", app_root="D:\\work"), portable()),
        READY,
        {},
        goals=COMFY,
        python="D:\\ComfyUI_windows_portable\\python_embeded\\python.exe",
    ),
    Row("ComfyUI wanted, none there", bare(), ACT, {"torch": "2.13.0+cu130"}, goals=COMFY, options=("new-environment",)),
    Row("a folder that is no ComfyUI", machine(portable()), ACT, {}, goals=COMFY, choice={"comfyui": "F:\\nothing"}, steps=(), options=("new-environment",)),
    Row(
        "the folder inside a portable", machine(portable()), READY, {}, goals=COMFY, choice={"comfyui": "d:/comfyui_windows_portable/ComfyUI"}, keeps=("torch",)
    ),
    Row(
        "a portable whose packages are not known",
        machine(replace(portable(), packages=UNKNOWN)),
        ACT,
        {"triton-windows": None},
        goals=COMFY,
        lacks=("torch-missing",),
        steps=(),
    ),
    Row(
        "ComfyUI's own attention alone",
        machine(portable(packages={"comfy-kitchen": "0.2.40"})),
        READY,
        {"triton-windows": None},
        goals=(Goal.COMFYUI,),
        choice={"attention": Attention.INT8},
        lacks=("triton-missing", "python-headers-missing"),
        steps=("write-launcher",),
    ),
    Row(
        "the environment that needs least of six",
        machine(
            *(
                python(t, f"E:\\e{i}\\Scripts\\python.exe")
                for i, t in enumerate(["2.3.1+cu121", "2.9.1+cpu", "2.15.0+cu130", "2.8.0+cu128", "2.10.0+cu130", None])
            )
        ),
        READY,
        {},
        python="E:\\e3\\Scripts\\python.exe",
        keeps=("torch",),
    ),
)
