"""Pythons in the less usual places: other managers, renamed folders, environments apart from what they serve. Each machine lists all of its Pythons."""

import ntpath
from typing import Any

from tests.machines.layout import GIB, Windows
from tests.machines.listed_apps import TORCH, windows
from tests.machines.machine import Machine

GONE = r"C:\gone"


def place(machine: Windows, root: str, *files: str) -> str:
    """A project with these files, folders with a trailing `/`."""
    for file in files:
        path = ntpath.join(root, *file.rstrip("/").split("/"))
        machine.folder(path) if file.endswith("/") else machine.file(path)
    return root


def python(executable: str, kind: str, version: str, app: str | None = None, root: str | None = None, **more: Any) -> dict[str, Any]:
    return {"executable": executable, "kind": kind, "version": version, "app": app, "app_root": root, **more}


def managers() -> Machine:
    machine = windows()
    local, roaming = rf"{machine.home}\AppData\Local", rf"{machine.home}\AppData\Roaming"
    installed = machine.installed(rf"{local}\Python\pythoncore-3.14-64", "3.14.0")
    for name in ("python", "python3", "python3.14"):
        machine.program(rf"{local}\Python\bin\{name}.exe", version="3.14.150.1013")
    machine.program(r"C:\ProgramData\chocolatey\bin\python.exe", version="0.13.0.0")
    machine.program(rf"{machine.home}\scoop\shims\python.exe")
    machine.variables["PATH"] += rf";{local}\Python\bin;C:\ProgramData\chocolatey\bin;{machine.home}\scoop\shims"
    uv, scoop = rf"{roaming}\uv\python", rf"{machine.home}\scoop\apps\python"
    newest, current = machine.installed(rf"{uv}\cpython-3.12.11-windows-x86_64-none", "3.12.11"), machine.installed(rf"{scoop}\current", "3.13.1")
    for link, version, target in ((rf"{uv}\cpython-3.12-windows-x86_64-none", "3.12.11", newest), (rf"{scoop}\3.13.1", "3.13.1", current)):
        machine.links[machine.installed(link, version)] = target
    machine.variables["PYENV_ROOT"] = "D:\\pe\\"
    pyenv = machine.installed(r"D:\pe\versions\3.11.9", "3.11.9")
    small = machine.installed(r"D:\pe\versions\3.10.11-win32", "3.10.11", arch="x86")
    conda = machine.conda(rf"{roaming}\mamba", "3.11.9", {})
    sd = machine.conda(rf"{roaming}\mamba\envs\sd", "3.10.14", TORCH)
    pixi = machine.conda(ntpath.join(place(machine, r"D:\work\flows", "main.py", "comfy/", "pixi.toml"), r".pixi\envs\default"), "3.12.7", TORCH)
    poetry = machine.venv(rf"{local}\pypoetry\Cache\virtualenvs\flows-x1-py3.12", "3.12.10", TORCH, GONE)
    wrapped = machine.venv(rf"{machine.home}\Envs\w", "3.12.10", {}, GONE)
    return Machine(
        "other-managers",
        "install manager, uv, Scoop, pyenv, micromamba, pixi, Poetry; starters and junctions are no second Python",
        machine,
        {
            "pythons": [
                python(installed, "system", "3.14.0", has_headers=True),
                python(rf"{uv}\cpython-3.12-windows-x86_64-none\python.exe", "uv", "3.12.11"),
                python(rf"{scoop}\3.13.1\python.exe", "system", "3.13.1"),
                python(pyenv, "pyenv", "3.11.9", bits=64),
                python(small, "pyenv", "3.10.11", bits=32, arch="x86"),
                python(conda, "conda", "3.11.9", has_pip=False),
                python(sd, "conda", "3.10.14", packages={"torch": "2.8.0+cu128"}),
                python(pixi, "conda", "3.12.7", "comfyui", r"D:\work\flows"),
                python(poetry, "venv", "3.12.10"),
                python(wrapped, "venv", "3.12.10", base_ok=False, has_pip=False),
            ]
        },
    )


def neighbours() -> Machine:
    """What lies beside a Python is its application only where it serves that one."""
    machine = windows()
    base = machine.installed(r"D:\AI\Python312", "3.12.10")
    machine.comfyui(r"D:\AI\ComfyUI", "0.33.0")
    own = machine.venv(r"D:\AI\ComfyUI\python_venv", "3.12.10", TORCH, r"D:\AI\Python312")
    machine.venv(r"D:\AI\ComfyUI\venv", "3.12.10", TORCH, r"D:\AI\Python312")
    other = machine.venv(r"D:\AI\env", "3.12.10", TORCH, r"D:\AI\Python312")
    machine.comfyui(r"D:\one\ComfyUI-master", "0.33.0")
    beside = machine.venv(r"D:\one\venv", "3.12.10", TORCH, r"D:\AI\Python312")
    machine.comfyui(r"D:\two\ComfyUI", "0.33.0")
    place(machine, r"D:\two\Wan2GP", "wgp.py")
    shared = machine.venv(r"D:\two\venv", "3.12.10", TORCH, r"D:\AI\Python312")
    root_base, root_venv = machine.installed(r"C:\Python311", "3.11.9"), machine.venv(r"C:\venv", "3.11.9", TORCH, r"C:\Python311")
    machine.comfyui(r"C:\ComfyUI", "0.33.0")
    return Machine(
        "neighbours",
        "a base Python beside ComfyUI, an environment between two projects, and both at the root of a drive",
        machine,
        {
            "pythons": [
                python(base, "system", "3.12.10"),
                python(own, "venv", "3.12.10", "comfyui", r"D:\AI\ComfyUI", base_ok=True),
                python(r"D:\AI\ComfyUI\venv\Scripts\python.exe", "venv", "3.12.10", "comfyui", r"D:\AI\ComfyUI", app_version="0.33.0"),
                python(other, "venv", "3.12.10"),
                python(beside, "venv", "3.12.10", "comfyui", r"D:\one", app_version="0.33.0"),
                python(shared, "venv", "3.12.10"),
                python(root_base, "system", "3.11.9"),
                python(root_venv, "venv", "3.11.9", "comfyui", r"C:\ComfyUI"),
            ]
        },
    )


def odd_places() -> Machine:
    """Applications where their settings put them, freshly installed or renamed."""
    machine = windows(locale="zh-CN", ansi=936, oem=936, user="小明")
    machine.drive("E:\\", 200 * GIB, 900 * GIB)
    roaming = rf"{machine.home}\AppData\Roaming"
    machine.file(rf"{roaming}\StabilityMatrix\library.json", '{"LibraryPath": "E:\\\\Modelle"}')
    managed = machine.installed(r"E:\Modelle\Assets\Python\cpython-3.12.10-windows-x86_64-none", "3.12.10")
    machine.comfyui(r"E:\Modelle\Packages\ComfyUI", "0.33.0")
    matrix = machine.venv(r"E:\Modelle\Packages\ComfyUI\venv", "3.12.10", TORCH, ntpath.dirname(managed))
    machine.file(rf"{roaming}\Pinokio\config.json", '{"home": "E:\\\\ki"}')
    mini = machine.conda(r"E:\ki\bin\miniforge", "3.10.14", {})
    pinokio = machine.venv(ntpath.join(place(machine, r"E:\ki\api\wan.git\app", "wgp.py"), r"env"), "3.10.16", TORCH, ntpath.dirname(mini))
    machine.file(rf"{roaming}\ComfyUI\config.json", '{"installState": "installed", "basePath": "D:\\\\我的"}')
    desktop = machine.venv(ntpath.join(place(machine, r"D:\我的", "models/", "custom_nodes/"), r".venv"), "3.12.11", TORCH, GONE, uv="0.9.0")
    second = machine.installed(r"D:\Comfy-Desktop\二\standalone-env", "3.12.12", TORCH)
    machine.comfyui(r"D:\Comfy-Desktop\二\ComfyUI", "0.35.0")
    pack, web = r"E:\AI绘画\我的包", r"E:\软件\sd-webui-aki-v4.11"
    machine.file(rf"{pack}\绘世启动器.exe")
    machine.comfyui(rf"{pack}\ComfyUI", "0.30.1")
    aki = machine.embedded(rf"{pack}\python_embeded", "3.12.10", TORCH)
    aki_web = machine.installed(rf"{place(machine, web, 'A绘世启动器.exe', 'webui.py', 'modules/')}\python", "3.10.11", {"torch": "2.6.0+cu124"})
    swarm = place(machine, r"D:\tools\img\SwarmUI-master", "launch-windows.bat", "src/Core/")
    machine.comfyui(rf"{swarm}\dlbackend\comfy\ComfyUI", "0.33.0")
    swarm_python = machine.embedded(rf"{swarm}\dlbackend\comfy\python_embeded", "3.13.9", TORCH)
    invoke = machine.venv(r"D:\画图\.venv", "3.12.9", {"invokeai": "6.9.0"}, GONE, uv="0.9.0")
    machine.file(r"D:\画图\.venv\Scripts\invokeai-web.exe")
    studio = machine.venv(ntpath.join(place(machine, r"D:\FramePack-Studio", "studio.py", "diffusers_helper/"), r"venv"), "3.10.11", TORCH, GONE)
    musubi = machine.venv(ntpath.join(place(machine, r"D:\train\mt", "src/musubi_tuner/", "pyproject.toml"), r"venv"), "3.10.11", TORCH, GONE)
    wan = machine.embedded(ntpath.join(place(machine, r"D:\Wan2GP-win", "Wan2GP/wgp.py"), "python"), "3.10.11", TORCH)
    machine.file(
        ntpath.join(place(machine, r"D:\sdw", "webui.py", "modules/"), r"webui-user.bat"), "set VENV_DIR=E:\\envs\\sd\r\nset COMMANDLINE_ARGS=--xformers\r\n"
    )
    apart = machine.venv(r"E:\envs\sd", "3.10.11", TORCH, GONE)
    return Machine(
        "apps-in-odd-places",
        "libraries and homes named in settings, renamed packs, first starts not yet made, an environment named in a start script",
        machine,
        {
            "pythons": [
                python(managed, "uv", "3.12.10"),
                python(matrix, "venv", "3.12.10", "stability-matrix", r"E:\Modelle\Packages\ComfyUI", app_version="0.33.0", base_ok=True, has_headers=True),
                python(mini, "conda", "3.10.14"),
                python(pinokio, "venv", "3.10.16", "pinokio", r"E:\ki\api\wan.git\app"),
                python(desktop, "venv", "3.12.11", "comfyui-desktop", r"D:\我的", base_ok=False),
                python(second, "system", "3.12.12", "comfyui-desktop", r"D:\Comfy-Desktop\二\ComfyUI", app_version="0.35.0"),
                python(aki, "embedded", "3.12.10", "aki", rf"{pack}\ComfyUI", app_version="0.30.1"),
                python(aki_web, "system", "3.10.11", "aki", web),
                python(swarm_python, "embedded", "3.13.9", "swarmui", rf"{swarm}\dlbackend\comfy", app_version="0.33.0"),
                python(invoke, "venv", "3.12.9", "invokeai", r"D:\画图", has_pip=False),
                python(studio, "venv", "3.10.11", "framepack", r"D:\FramePack-Studio"),
                python(musubi, "venv", "3.10.11", "musubi-tuner", r"D:\train\mt"),
                python(wan, "embedded", "3.10.11", "wan2gp", r"D:\Wan2GP-win"),
                python(apart, "venv", "3.10.11", "a1111", r"D:\sdw", attention_flags=["--xformers"]),
            ]
        },
    )


PLACES = tuple(make() for make in (managers, neighbours, odd_places))
