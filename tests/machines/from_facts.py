"""Lays out the machine that a facts document describes, so that a scan of the recording must find the same facts again."""

import json
import ntpath
from typing import Any

from app.host.answers import NvmlAnswer, RunningPython
from tests.machines.layout import SERVICES, WSL_EXE, Windows

EDITIONS = {
    "Home": "Core",
    "Pro": "Professional",
    "Enterprise LTSC": "EnterpriseS",
    "Standard": "ServerStandard",
    "Datacenter": "ServerDatacenter",
}
NOT_READ = ("in_wsl",)
"""Facts of a Python that do not apply."""

SAID = {
    "git": "git version {}\n",
    "cmake": "cmake version {}\n\nCMake suite maintained and supported by Kitware (kitware.com/cmake).\n",
    "ninja": "{}\n",
    "uv": "uv {} (0ba432459 2026-11-10)\n",
    "nvcc": "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025 NVIDIA Corporation\nCuda compilation tools, release 0.0, V{}\n",
    "winget": "v{}\n",
}


def lay_out(facts: dict[str, Any]) -> Windows:
    """A machine of which a scan must give these facts."""
    os = facts["os"]
    words = os["name"].split()
    server = words[1] == "Server"
    edition = words[-1] if server else " ".join(words[2:-1])
    machine = Windows(
        build=int(os["version"].split(".")[2]),
        edition=EDITIONS[edition],
        display="" if server else words[-1],
        arch=os["arch"],
        locale=os["locale"],
        ansi=os["ansi_code_page"],
        user=ntpath.basename(os["user_profile"]),
        ram_bytes=facts["memory"]["total_bytes"],
        commit_bytes=facts["memory"]["commit_limit_bytes"],
        cores=facts["cpu"]["cores"],
        cpu=facts["cpu"]["name"],
        server=server,
        elevated=os["elevated"],
        virtualization=facts["cpu"]["virtualization"],
        long_paths=os["long_paths"],
    )
    for disk in facts["disks"]:
        machine.drive(disk["root"], disk["free_bytes"], disk.get("total_bytes"))
    if os.get("app_control"):
        states = {"off": 0, "enforced": 1, "evaluation": 2}
        machine.key(r"HKLM\SYSTEM\CurrentControlSet\Control\CI\Policy", {"VerifiedAndReputablePolicyState": states[os["app_control"]]})
    for root in os.get("cloud_roots", ()):
        machine.key(r"HKCU\Software\Microsoft\OneDrive\Accounts\Business1", {"UserFolder": root})
    _graphics(machine, facts)
    machine.vc_runtime(facts["vc_runtime"])
    for name, version in facts["tools"].items():
        if version is not None:
            folder = rf"{machine.home}\AppData\Local\Microsoft\WindowsApps" if name == "winget" else rf"C:\Tools\{name}"
            machine.tool(name, SAID[name].format(version), folder)
    for toolkit in facts["toolkits"]:
        machine.toolkit(toolkit["root"], toolkit["version"])
    for compiler in facts["compilers"]:
        _compiler(machine, compiler)
    _wsl(machine, facts["wsl"])
    _network(machine, facts["network"])
    machine.variables |= facts["environment_variables"]
    for python in facts["pythons"]:
        _python(machine, python)
    return machine


def _graphics(machine: Windows, facts: dict[str, Any]) -> None:
    if "gpus" not in facts:
        machine.nvml = NvmlAnswer(error=-1, message="no answer in 8 s")
        return
    nvidia = [gpu for gpu in facts["gpus"] if gpu["vendor"] == "nvidia"]
    models = {"WDDM": 0, "TCC": 1, "MCDM": 2, None: None}
    driver = facts.get("driver")
    if driver and nvidia:
        major, minor = driver["cuda"].split(".")
        gpus = [(gpu["name"], tuple(map(int, gpu["compute_capability"].split("."))), gpu["memory_bytes"]) for gpu in nvidia]
        machine.nvidia(driver["version"], int(major) * 1000 + int(minor) * 10, *gpus, model=models[nvidia[0]["driver_model"]])
    else:
        for number, _ in enumerate(nvidia):
            machine.adapter("Microsoft Basic Display Adapter", rf"PCI\VEN_10DE&DEV_2786&SUBSYS_0&REV_A1\4&{number}", 0, "10.0.26100.1")
        machine.nvml = NvmlAnswer(error=12, message="NVML Shared Library Not Found")
    for number, gpu in enumerate(gpu for gpu in facts["gpus"] if gpu["vendor"] != "nvidia"):
        vendor = {"amd": "1002", "intel": "8086", "other": "1414"}[gpu["vendor"]]
        machine.adapter(gpu["name"], rf"PCI\VEN_{vendor}&DEV_164E&SUBSYS_0&REV_C9\5&{number}", 0, "32.0.21030.2001", gpu.get("memory_bytes"))


def _compiler(machine: Windows, compiler: dict[str, Any]) -> None:
    row = {
        "instanceId": "70e7f2b1",
        "installationPath": compiler["root"],
        "installationVersion": "17.14.36616.10",
        "productId": "Microsoft.VisualStudio.Product.BuildTools",
        "isComplete": True,
        "displayName": "Visual Studio Build Tools 2022",
        "catalog": {"productDisplayVersion": compiler["version"], "productLineVersion": "2022"},
    }
    machine.visual_studio(compiler["root"], compiler["toolset"], listed=json.dumps([row]), sdk=compiler["windows_sdk"])


def _wsl(machine: Windows, wsl: dict[str, Any] | None) -> None:
    if wsl is None:
        machine.file(WSL_EXE)
        return
    if wsl["version"] is not None:
        machine.wsl_package(wsl["version"], wsl["kernel"])
    else:
        machine.file(WSL_EXE)
        machine.key(rf"{SERVICES}\LxssManager", {"Start": 3})
        machine.wsl_platform()
        if wsl["kernel"]:
            machine.program(r"C:\Windows\System32\lxss\tools\kernel", None, f"{wsl['kernel']}-microsoft-standard-WSL2")
    machine.key(r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss", {"DefaultVersion": wsl["default_version"]})
    if not wsl["platform_enabled"]:
        for name in ("vmcompute", "HNS", "vfpext"):
            del machine.keys[rf"64:{SERVICES}\{name}"]
    for number, distro in enumerate(wsl["distros"]):
        machine.distro(distro["name"], f"{{0000000{number}-0000-0000-0000-000000000000}}", default=distro["default"])
        machine.runs_distros(distro["name"])
        _inside(machine, distro)


def _inside(machine: Windows, distro: dict[str, Any]) -> None:
    from app.probes.wsl_distros import _INSIDE

    devices = "/dev/dxg\n" + ("/usr/lib/wsl/lib/libcuda.so.1\n" if distro["gpu_visible"] else "")
    devices = devices if distro["gpu_visible"] else ""
    library = distro.get("libcuda")
    known = f"\tlibcuda.so.1 (libc6,x86-64) => {library}\n" if library else ""
    said = f'NAME="Ubuntu"\nPRETTY_NAME="{distro["release"]}"\n@@\nPython {distro["python"]}\n@@\n{devices}@@\n{known}@@\n'
    machine.says((WSL_EXE, "--distribution", distro["name"], "--user", "root", "--exec", "/bin/sh", "-c", _INSIDE), said)


def _network(machine: Windows, network: dict[str, Any]) -> None:
    if network["index_url"]:
        machine.file(rf"{machine.home}\AppData\Roaming\pip\pip.ini", f"[global]\nindex-url = {network['index_url']}\n")


def _python(machine: Windows, python: dict[str, Any]) -> None:
    executable, version, packages = python["executable"], python["version"], python.get("packages", {})
    folder = ntpath.dirname(executable)
    if python["kind"] == "store-alias":
        machine.program(
            executable, alias_of=r"C:\Program Files\WindowsApps\Microsoft.DesktopAppInstaller_1.26.430.0_x64__8wekyb3d8bbwe\AppInstallerPythonRedirector.exe"
        )
        return
    if python["kind"] == "embedded":
        machine.embedded(folder, version, packages, headers=python.get("has_headers", False), runtime=python.get("bundled_vc_runtime"))
    elif python["kind"] == "venv":
        minor = version.rpartition(".")[0].replace(".", "")
        base = rf"{machine.home}\AppData\Local\Programs\Python\Python{minor}"
        if ntpath.join(base, "python.exe") not in machine.programs:
            machine.installed(base, version, runtime=python.get("bundled_vc_runtime"))
        machine.venv(ntpath.dirname(folder), version, packages, base)
    elif python["kind"] == "conda":
        machine.conda(folder, version, packages)
    else:
        machine.installed(folder, version, packages, arch=python["arch"])
    if python.get("torch_arch_list") and "torch" in packages:
        site = ntpath.join(ntpath.dirname(folder) if python["kind"] == "venv" else folder, "Lib", "site-packages")
        machine.packages(site, packages, tuple(python["torch_arch_list"]))
    _application(machine, python)
    if not python.get("writable", True):
        machine.no_writing.add(ntpath.join(ntpath.dirname(folder) if python["kind"] == "venv" else folder, "Lib", "site-packages"))
    for user in python.get("in_use_by", ()):
        name, script, _, pid = user.replace("(", "").replace(")", "").split()
        machine.running.append(RunningPython(int(pid), name, executable, script))
    for name, own in (python.get("user_site_packages") or {}).items():
        tag = "".join(version.split(".")[:2])
        machine.packages(rf"{machine.home}\AppData\Roaming\Python\Python{tag}\site-packages", {name: own})


def _application(machine: Windows, python: dict[str, Any]) -> None:
    app, root, version = python.get("app"), python.get("app_root"), python.get("app_version")
    if app in ("comfyui-portable", "swarmui"):
        machine.comfyui(ntpath.join(root, "ComfyUI"), version)
    if app == "swarmui":
        machine.file(ntpath.join(ntpath.dirname(ntpath.dirname(root)), "SwarmUI.sln"))
    elif app == "aki":
        machine.comfyui(root, version)
        machine.file(ntpath.join(ntpath.dirname(root), "绘世启动器.exe"))
    elif app == "comfyui":
        machine.comfyui(root, version)
    elif app == "comfyui-desktop":
        for name in ("custom_nodes", "models", "user"):
            machine.folder(ntpath.join(root, name))
        if version:
            machine.file(ntpath.join(root, "pyproject.toml"), f'[project]\nname = "ComfyUI"\nversion = "{version}"\n')
    elif app == "stability-matrix":
        library = ntpath.dirname(ntpath.dirname(root))
        machine.file(ntpath.join(library, ".sm-portable"))
        machine.folder(ntpath.join(library, "Assets"))
        machine.comfyui(root, version)
    elif app == "pinokio":
        home = root.lower().partition("\\api\\")[0]
        machine.folder(root[: len(home)] + r"\bin")
        machine.folder(root[: len(home)] + r"\cache")
    elif app == "forge":
        machine.file(ntpath.join(root, "webui.py"))
        machine.folder(ntpath.join(root, "modules_forge"))
        machine.folder(ntpath.join(root, "backend"))
    elif app == "framepack":
        machine.file(ntpath.join(root, "webui", "demo_gradio.py"))
        machine.folder(ntpath.join(root, "webui", "diffusers_helper"))
