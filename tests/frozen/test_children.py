"""Nothing of the packaged program reaches the Pythons it starts.

A real foreign Python, of another minor version where this machine has one, notes its environment, module path and loaded
libraries at start. What may leak, and how: PyInstaller manual, "Launching External Programs from the Frozen Application".
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frozen.conftest import Program

pytestmark = [pytest.mark.frozen, pytest.mark.timeout(600)]

# Runs at the start of the foreign Python, before any payload.
WITNESS = """
import json, os, sys
def libraries():
    if sys.platform != "win32":
        with open("/proc/self/maps") as maps:
            return sorted({line.split(None, 5)[5].strip() for line in maps if line.count("/")})
    import ctypes
    from ctypes import wintypes
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.GetCurrentProcess.restype = wintypes.HANDLE
    kernel.K32EnumProcessModules.argtypes = [wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD, ctypes.POINTER(wintypes.DWORD)]
    kernel.GetModuleFileNameW.argtypes = [wintypes.HMODULE, wintypes.LPWSTR, wintypes.DWORD]
    modules, needed = (wintypes.HMODULE * 1024)(), wintypes.DWORD()
    kernel.K32EnumProcessModules(kernel.GetCurrentProcess(), modules, ctypes.sizeof(modules), ctypes.byref(needed))
    names, name = [], ctypes.create_unicode_buffer(1024)
    for module in modules[: needed.value // ctypes.sizeof(wintypes.HMODULE)]:
        kernel.GetModuleFileNameW(module, name, 1024)
        names.append(name.value)
    directory = ctypes.create_unicode_buffer(1024)
    kernel.GetDllDirectoryW(1024, directory)
    return names + ["DLL directory: " + directory.value]
import ssl, ctypes, hashlib
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "witness.jsonl"), "a") as file:
    seen = {"environment": dict(os.environ), "path": sys.path, "libraries": libraries(), "version": sys.version_info[:2], "cwd": os.getcwd()}
    file.write(json.dumps(seen) + "\\n")
"""


def foreign_python() -> str:
    """A Python of another minor version than ours, where there is one; else another copy of the same."""
    names = [f"python3.{minor}" for minor in range(9, 16)]
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    found = [path for name in names for folder in folders if (path := shutil.which(name, path=folder)) and "shims" not in path]
    others = [path for path in found if not path.endswith(f"python3.{sys.version_info[1]}")]
    return (others or found or [sys._base_executable])[0]


@pytest.fixture
def foreign(program: Program, tmp_path: Path) -> Path:
    """A venv with the witness in it; under Wine, of the Windows Python there."""
    folder = tmp_path / "foreign"
    maker = [*program.argv[:-1], "python.exe"] if program.is_wine else [foreign_python()]
    subprocess.run([*maker, "-m", "venv", "--without-pip", program.path(folder)], check=True, stdin=subprocess.DEVNULL, timeout=120)
    packages = next(folder.rglob("site-packages"))
    (packages / "witness.py").write_text(WITNESS)
    (packages / "witness.pth").write_text("import witness\n")
    return folder


def test_a_foreign_python_sees_nothing_of_ours(program: Program, foreign: Path) -> None:
    python = next(path for path in (foreign / "bin" / "python", foreign / "Scripts" / "python.exe") if path.exists())
    poison = {"PYTHONPATH": program.path(foreign), "PYTHONHOME": "nowhere", "PYTHONSTARTUP": "x.py"} if program.is_wine is False else {}
    done = program("prove", "--python", program.path(python), "--level", "import", "--json", env=poison)
    assert json.loads(done.stdout)["schema"] == "proof/1", done.stderr.decode(errors="replace")
    witnesses = [json.loads(line) for line in next(foreign.rglob("witness.jsonl")).read_text().splitlines()]
    assert witnesses, "the foreign Python was never started"
    print(f"ours {sys.version_info[:2]}, foreign {witnesses[0]['version']}, starts {len(witnesses)}")
    for witness in witnesses:
        names = {name.upper() for name in witness["environment"]}
        leaked = {name for name in names if name.startswith(("_PYI", "_MEI", "QT_PLUGIN", "QML")) or name in {"PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP"}}
        assert not leaked
        everything = json.dumps([witness["path"], witness["libraries"], witness["environment"].get("PATH", ""), witness["cwd"]])
        everything += witness["environment"].get("LD_LIBRARY_PATH", "")
        assert "_MEI" not in everything
        assert "TritonSetup-folder" not in everything
        assert not [name for name in witness["libraries"] if "Qt6" in name]
