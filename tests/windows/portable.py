"""A folder laid out like ComfyUI portable, made from the Windows Python that runs the tests.

Runs there, and, as every file costs milliseconds under Wine, on the Linux side too (tests/wine.py), which takes seconds.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from app.running.tools import find_uv

TORCH = "torch==2.10.0"
OLD_RUNTIME = "msvc-runtime==14.34.31931"


def make_portable(folder: Path, source: Path = Path(sys.prefix)) -> Path:
    """`folder`/python_embeded with torch and nothing to build with, `folder`/ComfyUI beside it. Returns the python.exe.

    `source` is the folder of the Windows Python. torch's index build has no CUDA; its version is rewritten to what a person with a
    card has, so that the planner lets it stay.
    """
    embedded = folder / "python_embeded"
    packages = embedded / "Lib" / "site-packages"
    packages.mkdir(parents=True)
    for name in ("python.exe", "pythonw.exe", "python3.dll", "python311.dll"):
        shutil.copy2(source / name, embedded / name)
    shutil.copytree(source / "DLLs", embedded / "DLLs")
    for entry in (source / "Lib").iterdir():
        if entry.name in ("site-packages", "test", "__pycache__", "idlelib", "turtledemo", "ensurepip", "lib2to3"):
            continue
        if entry.is_dir():
            shutil.copytree(entry, embedded / "Lib" / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(entry, embedded / "Lib" / entry.name)
    (embedded / "python311._pth").write_text("python311.zip\n.\nDLLs\nLib\nLib\\site-packages\n../ComfyUI\nimport site\n")
    put_torch(packages, source.parent / "torch")
    call_it_cuda(packages)
    put_old_runtime(embedded)
    comfy = folder / "ComfyUI"
    for part in ("comfy", "custom_nodes", "models"):
        (comfy / part).mkdir(parents=True)
    (comfy / "main.py").write_text("# starts ComfyUI\n")
    (comfy / "comfyui_version.py").write_text('__version__ = "0.3.75"\n')
    (folder / "run_nvidia_gpu.bat").write_text(".\\python_embeded\\python.exe -s ComfyUI\\main.py --windows-standalone-build\r\npause\r\n")
    return embedded / "python.exe"


def put_torch(packages: Path, prepared: Path) -> None:
    """From what the Linux side has unpacked beside the kit, else from the index."""
    if not prepared.is_dir():
        install(packages, TORCH, "numpy<2.4")
        return
    shutil.copytree(prepared, packages, dirs_exist_ok=True, copy_function=link_or_copy, ignore=shutil.ignore_patterns("bin", "*.lib", "include"))


def link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def install(target: Path, *requirements: str) -> None:
    uv = find_uv()
    assert uv
    argv = [uv, "--no-config", "pip", "install", "--quiet", "--link-mode", "copy", "--python", sys.executable, "--target", str(target), *requirements]
    if sys.platform != "win32":
        argv += ["--python-platform", "x86_64-pc-windows-msvc", "--python-version", "3.11", "--only-binary", ":all:"]
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=400)


def call_it_cuda(packages: Path) -> None:
    (info,) = packages.glob("torch-*.dist-info")
    renamed = packages / "torch-2.10.0+cu130.dist-info"
    info.rename(renamed)
    rewrite(renamed / "METADATA", lambda text: re.sub(r"(?m)^Version: .*$", "Version: 2.10.0+cu130", text))
    rewrite(renamed / "RECORD", lambda text: text.replace(f"{info.name}/", f"{renamed.name}/"))
    told = "cuda: Optional[str] = "
    rewrite(packages / "torch" / "version.py", lambda text: text.replace("2.10.0+cpu", "2.10.0+cu130").replace(f"{told}None", f"{told}'13.0'"))


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    text = change(path.read_text(encoding="utf-8"))
    # Another file under the same name: the old one may be shared with what it was made from.
    path.unlink()
    path.write_text(text, encoding="utf-8")


def put_old_runtime(embedded: Path) -> None:
    unpacked = embedded.parent / "old-runtime"
    install(unpacked, OLD_RUNTIME)
    (old,) = [path for path in unpacked.rglob("msvcp140.dll") if path.parent.name != "Scripts"] or [next(unpacked.rglob("msvcp140.dll"))]
    shutil.copy2(old, embedded / "msvcp140.dll")
    shutil.rmtree(unpacked)
