"""Pythons of every kind and the layouts of AI applications, whole ones and broken ones."""

import ntpath

from app.host.answers import RunningPython
from tests.machines.layout import GIB, Windows
from tests.machines.machine import Machine

TORCH = {"pip": "25.3", "torch": "2.8.0+cu128", "numpy": "2.2.6"}
BASE = r"C:\Users\user\AppData\Local\Programs\Python\Python312"


def windows(**options) -> Windows:
    machine = Windows(**options)
    machine.drive("D:\\", 200 * GIB, 900 * GIB)
    return machine


def portable_generations() -> Machine:
    machine = windows()
    new, old = r"D:\AI\ComfyUI_windows_portable", r"D:\ComfyUI_old"
    for pack, version, python in ((new, "0.34.0", "3.13.9"), (old, None, "3.12.10")):
        machine.embedded(rf"{pack}\python_embeded", python, {**TORCH, "torch": "2.9.1+cu130"}, runtime="14.44.35211.0")
        machine.comfyui(rf"{pack}\ComfyUI", version)
        machine.folder(rf"{pack}\update")
    bat = ".\\python_embeded\\python.exe -s ComfyUI\\main.py --windows-standalone-build{}\r\npause\r\n"
    machine.file(rf"{new}\run_nvidia_gpu.bat", bat.format(" --use-sage-attention"))
    machine.file(rf"{new}\run_cpu.bat", bat.format(" --cpu"))
    machine.file(rf"{old}\run_nvidia_gpu.bat", "REM " + bat.format(" --use-flash-attention") + bat.format(""))
    machine.file(rf"{new}\ComfyUI\.comfy_environment", "local-portable")
    machine.running.append(RunningPython(4711, "python.exe", rf"{new}\python_embeded\python.exe", r"ComfyUI\main.py"))
    machine.running.append(RunningPython(4712, "python.exe", r"D:\elsewhere\python.exe", "x.py"))
    return Machine(
        "comfyui-portables",
        "two generations of the portable, one running, one with a commented option",
        machine,
        {
            "pythons": [
                {
                    "executable": rf"{new}\python_embeded\python.exe",
                    "kind": "embedded",
                    "version": "3.13.9",
                    "app": "comfyui-portable",
                    "app_root": new,
                    "app_version": "0.34.0",
                    "isolated": True,
                    "has_headers": False,
                    "has_pip": True,
                    "bundled_vc_runtime": "14.44.35211.0",
                    "attention_flags": ["--use-sage-attention"],
                    "in_use_by": [r"python.exe ComfyUI\main.py (pid 4711)"],
                    "packages": {"torch": "2.9.1+cu130"},
                },
                {"executable": rf"{old}\python_embeded\python.exe", "app": "comfyui-portable", "app_version": None, "attention_flags": [], "in_use_by": []},
            ]
        },
    )


def aki_packs() -> Machine:
    machine = windows(locale="zh-CN", ansi=936, oem=936, user="小明")
    first, third = r"D:\绘图\ComfyUI-aki-v1.3", r"D:\ComfyUI-aki-v3"
    machine.comfyui(first)
    machine.file(rf"{first}\A绘世启动器.exe")
    machine.installed(rf"{first}\python", "3.10.11", {"torch": "2.1.2+cu121"})
    machine.comfyui(rf"{third}\ComfyUI", "0.30.1")
    machine.file(rf"{third}\绘世启动器.exe")
    machine.installed(rf"{third}\python", "3.13.2", {"torch": "2.13.0+cu130"})
    return Machine(
        "aki-packs",
        "packs of two generations, in Chinese folders",
        machine,
        {
            "pythons": [
                {"executable": rf"{first}\python\python.exe", "kind": "system", "app": "aki", "app_root": first, "version": "3.10.11", "has_headers": True},
                {"executable": rf"{third}\python\python.exe", "app": "aki", "app_root": rf"{third}\ComfyUI", "app_version": "0.30.1"},
            ]
        },
    )


def desktops() -> Machine:
    machine = windows()
    old, new = r"D:\Meine KI\ComfyUI", rf"{machine.home}\AppData\Local\Comfy-Desktop\ComfyUI-Installs\main"
    machine.file(rf"{machine.home}\AppData\Roaming\ComfyUI\config.json", '{"installState": "installed", "basePath": "D:\\\\Meine KI\\\\ComfyUI"}')
    for name in ("custom_nodes", "models", "user"):
        machine.folder(rf"{old}\{name}")
    machine.file(rf"{old}\user\default\comfy.settings.json", '{"Comfy.Server.LaunchArgs": {"use-sage-attention": "", "port": "8001"}}')
    machine.venv(
        rf"{old}\.venv",
        "3.12.11",
        {"torch": "2.10.0+cu130", "pip": "25.3"},
        rf"{machine.home}\AppData\Roaming\uv\python\cpython-3.12.11-windows-x86_64-none",
        uv="0.9.0",
    )
    machine.comfyui(rf"{new}\ComfyUI", "0.35.0")
    machine.installed(rf"{new}\standalone-env", "3.12.12")
    machine.venv(rf"{new}\ComfyUI\.venv", "3.12.12", TORCH, rf"{new}\standalone-env", uv="0.13.9")
    return Machine(
        "comfyui-desktops",
        "the older and the newer Desktop",
        machine,
        {
            "pythons": [
                {
                    "executable": rf"{old}\.venv\Scripts\python.exe",
                    "app": "comfyui-desktop",
                    "app_root": old,
                    "version": "3.12.11",
                    "base_ok": False,
                    "attention_flags": ["--use-sage-attention"],
                },
                {
                    "executable": rf"{new}\ComfyUI\.venv\Scripts\python.exe",
                    "app": "comfyui-desktop",
                    "app_root": rf"{new}\ComfyUI",
                    "base_ok": True,
                    "has_headers": True,
                },
                {"executable": rf"{new}\standalone-env\python.exe", "app": "comfyui-desktop"},
            ]
        },
    )


def collections() -> Machine:
    """StabilityMatrix, Pinokio and SwarmUI: programs that hold other programs."""
    machine = windows()
    matrix, pinokio, swarm = r"D:\StabilityMatrix\Data", r"D:\pinokio", r"D:\SwarmUI"
    machine.file(rf"{matrix}\.sm-portable")
    machine.folder(rf"{matrix}\Assets\Python310")
    for package in ("ComfyUI", "Stable Diffusion WebUI Forge"):
        machine.venv(rf"{matrix}\Packages\{package}\venv", "3.10.11", TORCH, rf"{matrix}\Assets\Python310")
    machine.comfyui(rf"{matrix}\Packages\ComfyUI", "0.33.0")
    machine.folder(rf"{pinokio}\bin\miniforge")
    machine.folder(rf"{pinokio}\cache")
    machine.comfyui(rf"{pinokio}\api\comfy.git\app")
    machine.venv(rf"{pinokio}\api\comfy.git\app\env", "3.10.16", {"torch": "2.7.0+cu128", "triton-windows": "3.3.1.post19"}, None)
    machine.file(rf"{swarm}\SwarmUI.sln")
    machine.embedded(rf"{swarm}\dlbackend\comfy\python_embeded", "3.12.10", TORCH)
    machine.comfyui(rf"{swarm}\dlbackend\comfy\ComfyUI", "0.3.75")
    return Machine(
        "collections",
        "StabilityMatrix, Pinokio, SwarmUI",
        machine,
        {
            "pythons": [
                {
                    "executable": rf"{matrix}\Packages\ComfyUI\venv\Scripts\python.exe",
                    "app": "stability-matrix",
                    "app_root": rf"{matrix}\Packages\ComfyUI",
                    "app_version": "0.33.0",
                },
                {
                    "executable": rf"{matrix}\Packages\Stable Diffusion WebUI Forge\venv\Scripts\python.exe",
                    "app": "stability-matrix",
                    "app_root": rf"{matrix}\Packages\Stable Diffusion WebUI Forge",
                },
                {
                    "executable": rf"{pinokio}\api\comfy.git\app\env\Scripts\python.exe",
                    "app": "pinokio",
                    "app_root": rf"{pinokio}\api\comfy.git\app",
                    "has_pip": False,
                    "packages": {"triton-windows": "3.3.1.post19"},
                },
                {
                    "executable": rf"{swarm}\dlbackend\comfy\python_embeded\python.exe",
                    "app": "swarmui",
                    "app_root": rf"{swarm}\dlbackend\comfy",
                    "app_version": "0.3.75",
                },
            ]
        },
    )


def webuis() -> Machine:
    machine = windows()
    rows = {
        "stable-diffusion-webui": ("a1111", ("webui.py", "modules/x.py")),
        "webui-forge-git": ("forge", ("webui.py", "modules/x.py", "modules_forge/x.py", "backend/x.py")),
        "reforge": ("reforge", ("webui.py", "modules/x.py", "modules_forge/x.py", "ldm_patched/x.py")),
        "sdnext": ("sdnext", ("webui.py", "installer.py", "modules/x.py")),
        "Wan2GP": ("wan2gp", ("wgp.py",)),
        "FramePack": ("framepack", ("demo_gradio_f1.py", "diffusers_helper/x.py")),
        "musubi-tuner": ("musubi-tuner", ("wan_train_network.py",)),
        "invokeai": ("invokeai", ("invokeai.yaml",)),
        "kohya_ss": ("kohya", ("kohya_gui.py",)),
        "plain": ("comfyui", ("main.py", "comfy/x.py")),
    }
    expected = []
    machine.installed(BASE, "3.12.10")
    for folder, (app, files) in rows.items():
        root = rf"D:\apps\{folder}"
        for file in files:
            machine.file(ntpath.join(root, *file.split("/")))
        venv = ".venv" if folder == "invokeai" else "venv"
        executable = machine.venv(rf"{root}\{venv}", "3.12.10", TORCH, BASE)
        expected.append({"executable": executable, "app": app, "app_root": root, "kind": "venv", "base_ok": True, "has_headers": True})
    machine.file(r"D:\apps\stable-diffusion-webui\webui-user.bat", "@echo off\r\nset COMMANDLINE_ARGS=--xformers --api\r\n")
    expected[0]["attention_flags"] = ["--xformers"]
    return Machine("webuis-and-trainers", "ten applications with a venv of their own", machine, {"pythons": expected})


def one_click() -> Machine:
    machine = windows()
    forge, frame, fooocus = r"D:\webui_forge_cu121_torch231", r"D:\framepack_cu126_torch26", r"D:\Fooocus_win64_2-5-0"
    for pack, files in ((forge, ("webui.py", r"modules_forge\x.py", r"backend\x.py")), (frame, ("demo_gradio.py", r"diffusers_helper\x.py"))):
        machine.embedded(rf"{pack}\system\python", "3.10.6", TORCH)
        for file in files:
            machine.file(rf"{pack}\webui\{file}")
    machine.embedded(rf"{fooocus}\python_embeded", "3.10.9", TORCH, site=False)
    machine.file(rf"{fooocus}\Fooocus\entry_with_update.py")
    machine.file(rf"{fooocus}\Fooocus\fooocus_version.py", "version = '2.5.5'\n")
    return Machine(
        "one-click-packages",
        "Forge, FramePack and Fooocus as unpacked from their archives",
        machine,
        {
            "pythons": [
                {"executable": rf"{forge}\system\python\python.exe", "app": "forge", "app_root": rf"{forge}\webui", "kind": "embedded"},
                {"executable": rf"{frame}\system\python\python.exe", "app": "framepack", "app_root": frame},
                {"executable": rf"{fooocus}\python_embeded\python.exe", "app": "fooocus", "app_version": "2.5.5", "user_site": False},
            ]
        },
    )


def registered() -> Machine:
    machine = windows()
    local = rf"{machine.home}\AppData\Local"
    machine.installed(BASE, "3.12.10")
    machine.register("3.12", BASE)
    machine.register("3.11", r"C:\Python311-gone", "HKLM")
    machine.installed(r"E:\Tools\Python310-32", "3.10.11", arch="x86")
    machine.register("3.10-32", r"E:\Tools\Python310-32", "HKLM", view=32)
    machine.installed(rf"{local}\Python\pythoncore-3.14-64", "3.14.0")
    machine.key(r"HKCU\Software\Python\PyLauncher", {"x": 1})
    managed = rf"{machine.home}\AppData\Roaming\uv\python\cpython-3.13.5-windows-x86_64-none"
    machine.installed(managed, "3.13.5")
    machine.file(rf"{managed}\Lib\EXTERNALLY-MANAGED")
    machine.installed(rf"{machine.home}\.pyenv\pyenv-win\versions\3.9.13", "3.9.13")
    store = r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.12_3.12.2800.0_x64__qbz5n2kfra8p0\python.exe"
    machine.program(rf"{local}\Microsoft\WindowsApps\python.exe", alias_of=store)
    return Machine(
        "registered-pythons",
        "python.org, 32 bits, the install manager, uv, pyenv, the Store; one entry is stale",
        machine,
        {
            "pythons": [
                {"executable": rf"{BASE}\python.exe", "kind": "system", "version": "3.12.10", "bits": 64, "externally_managed": False},
                {"executable": r"E:\Tools\Python310-32\python.exe", "kind": "system", "bits": 32, "arch": "x86"},
                {"executable": rf"{local}\Python\pythoncore-3.14-64\python.exe", "kind": "system", "version": "3.14.0"},
                {"executable": rf"{managed}\python.exe", "kind": "uv", "version": "3.13.5", "externally_managed": True},
                {"executable": rf"{machine.home}\.pyenv\pyenv-win\versions\3.9.13\python.exe", "kind": "pyenv", "version": "3.9.13"},
                {"executable": rf"{local}\Microsoft\WindowsApps\python.exe", "kind": "store", "version": "3.12.10"},
            ]
        },
    )


def alias() -> Machine:
    machine = windows()
    local = rf"{machine.home}\AppData\Local\Microsoft\WindowsApps"
    target = r"C:\Program Files\WindowsApps\Microsoft.DesktopAppInstaller_1.26.430.0_x64__8wekyb3d8bbwe\AppInstallerPythonRedirector.exe"
    for name in ("python.exe", "python3.exe"):
        machine.program(rf"{local}\{name}", alias_of=target)
    machine.variables["PATH"] += rf";{local}"
    return Machine(
        "store-alias",
        "only the alias that opens the Store: it must not be started",
        machine,
        {"pythons": [{"executable": rf"{local}\python.exe", "kind": "store-alias", "version": ""}]},
    )


def condas() -> Machine:
    machine = windows()
    base = rf"{machine.home}\miniconda3"
    machine.conda(base, "3.12.4", {"pip": "24.2"})
    machine.conda(rf"{base}\envs\ai", "3.11.11", {"torch": "2.5.1", "pip": "25.0"})
    machine.file(rf"{base}\envs\ai\Lib\site-packages\torch\version.py", "__version__ = '2.5.1'\ncuda: Optional[str] = '12.4'\n")
    machine.conda(r"D:\envs\flux", "3.10.14", {})
    machine.conda(r"E:\only in the list", "3.9.19", {})
    machine.file(rf"{machine.home}\.condarc", "channels:\n  - conda-forge  # fast\nenvs_dirs:\n  - D:\\envs\n  - ~/more\nauto_activate_base: false\n")
    machine.file(rf"{machine.home}\.conda\environments.txt", "C:\\gone\\env\r\nE:\\only in the list\r\n\r\n")
    return Machine(
        "condas",
        "base, named, listed and stale environments",
        machine,
        {
            "pythons": [
                {"executable": rf"{base}\python.exe", "kind": "conda", "version": "3.12.4"},
                {"executable": rf"{base}\envs\ai\python.exe", "kind": "conda", "version": "3.11.11", "packages": {"torch": "2.5.1+cu124"}},
                {"executable": r"D:\envs\flux\python.exe", "kind": "conda", "version": "3.10.14", "has_pip": False},
                {"executable": r"E:\only in the list\python.exe", "kind": "conda", "version": "3.9.19"},
            ]
        },
    )


def broken() -> Machine:
    machine = windows()
    gone = machine.venv(r"D:\work\a\venv", "3.11.9", TORCH, r"C:\Python311")
    machine.file(r"D:\work\b\venv\pyvenv.cfg", "home = C:\\Pyth")
    machine.program(r"D:\work\b\venv\Scripts\python.exe", None)
    machine.file(r"D:\work\c\.venv\pyvenv.cfg", "\x00\x00\x01")
    messy = machine.venv(r"D:\work\d\venv", "3.12.10", {**TORCH, "sageattention": "1.0.6"}, BASE)
    machine.installed(BASE, "3.12.10")
    site = r"D:\work\d\venv\Lib\site-packages"
    for folder in ("~orch", "~orch-2.7.0.dist-info", "triton", "sageattention"):
        machine.folder(rf"{site}\{folder}")
    machine.file(rf"{site}\odd.egg-info", "Metadata-Version: 1.0\nName: Odd_Thing\nVersion: 0.1\n")
    machine.file(rf"{site}\blank.egg-info", b"\xff\xfe\x00")
    machine.no_writing.add(site)
    return Machine(
        "broken-environments",
        "bases gone, files cut off, leftovers of broken installs",
        machine,
        {
            "pythons": [
                {
                    "executable": gone,
                    "base_ok": False,
                    "base_executable": r"C:\Python311\python.exe",
                    "has_headers": False,
                    "packages": {"torch": "2.8.0+cu128"},
                },
                {"executable": r"D:\work\b\venv\Scripts\python.exe", "kind": "venv", "version": "", "base_ok": False},
                {
                    "executable": messy,
                    "writable": False,
                    "leftovers": ["triton", "~orch", "~orch-2.7.0.dist-info"],
                    "packages": {"odd-thing": "0.1", "sageattention": "1.0.6"},
                    "base_ok": True,
                },
            ]
        },
        [["pythons.packages", "not-understood"], ["pythons.packages", "not-found"]],
        ["pythons[0].imports"],
    )


def shadows() -> Machine:
    machine = windows()
    machine.embedded(r"D:\ComfyUI_windows_portable\python_embeded", "3.12.10", TORCH, runtime="14.29.30133.0", headers=True)
    machine.comfyui(r"D:\ComfyUI_windows_portable\ComfyUI", "0.3.75")
    machine.packages(r"C:\Users\user\AppData\Roaming\Python\Python312\site-packages", {"torch": "2.3.0+cpu", "triton": "3.0.0"})
    venv = machine.venv(r"D:\work\venv", "3.12.10", TORCH, BASE)
    machine.installed(BASE, "3.12.10")
    return Machine(
        "user-site-shadows",
        "packages of the person's own folder are seen by the embedded Python, not by the venv",
        machine,
        {
            "pythons": [
                {
                    "executable": r"D:\ComfyUI_windows_portable\python_embeded\python.exe",
                    "user_site": True,
                    "user_site_packages": {"torch": "2.3.0+cpu", "triton": "3.0.0"},
                    "bundled_vc_runtime": "14.29.30133.0",
                    "has_headers": True,
                },
                {"executable": venv, "user_site": False, "user_site_packages": {}},
            ]
        },
    )


APPS = tuple(make() for make in (portable_generations, aki_packs, desktops, collections, webuis, one_click, registered, alias, condas, broken, shadows))
