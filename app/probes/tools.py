"""Command-line tools by their versions: a registry value or a file where one tells, else `--version`."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from app.probes.decoding import decode
from app.probes.look import Look
from app.probes.scanning import Probe

TIMEOUT_S: Final = 5.0
_PATTERNS: Final = {
    "git": re.compile(r"git version (\d[\w.+-]*)"),
    "cmake": re.compile(r"cmake version (\d[\w.+-]*)"),
    "ninja": re.compile(r"^(\d+\.\d+[\w.+-]*)", re.MULTILINE),
    "uv": re.compile(r"^uv (\d[\w.+-]*)", re.MULTILINE),
    "nvcc": re.compile(r"release \d+\.\d+, V(\d[\d.]*)"),
    "winget": re.compile(r"v?(\d+\.\d+\.\d+)"),
}


def look_at_tools(look: Look) -> None:
    names = [name for name in _PATTERNS if look.on_windows or name != "winget"]
    found: dict[str, str | None] = {}
    with ThreadPoolExecutor(len(names), thread_name_prefix="tool") as pool:
        for name, (known, version) in zip(names, pool.map(lambda name: _version(look, name), names), strict=True):
            if known:
                found[name] = version
                look.put("tools", dict(found))


def _version(look: Look, name: str) -> tuple[bool, str | None]:
    """Whether it is known, and the version; None: it is not there."""
    program = look.program_on_path(name) or _usual_place(look, name)
    if program is None:
        return True, None
    answer = look.query(program, "--version", timeout_s=TIMEOUT_S)
    version = tool_version(name, decode(answer.stdout) + decode(answer.stderr))
    if answer.failure == "not-found":
        return True, None
    if version is None:
        look.gap(f"tools.{name}", answer.failure or "not-understood", decode(answer.stdout)[:80] or f"exit code {answer.exit_code}")
    return version is not None, version


def tool_version(name: str, said: str) -> str | None:
    """The version in what `name --version` prints."""
    found = _PATTERNS[name].search(said)
    return found[1].rstrip(".") if found else None


def _usual_place(look: Look, name: str) -> str | None:
    """Where installers put a tool that PATH does not name."""
    if not look.on_windows:
        places = {"uv": ("~/.local/bin/uv", "~/.cargo/bin/uv"), "nvcc": ("/usr/local/cuda/bin/nvcc",)}.get(name, ())
        home = look.variable("HOME") or ""
        return next((path for place in places if look.exists(path := place.replace("~", home))), None)
    if name == "git":
        for root in ("HKLM", "HKCU"):
            folder = look.value(rf"{root}\SOFTWARE\GitForWindows", "InstallPath")
            if isinstance(folder, str) and look.exists(look.join(folder, "cmd", "git.exe")):
                return look.join(folder, "cmd", "git.exe")
    places = {
        "uv": (r"%USERPROFILE%\.local\bin\uv.exe", r"%USERPROFILE%\.cargo\bin\uv.exe", r"%LOCALAPPDATA%\Microsoft\WinGet\Links\uv.exe"),
        "cmake": (r"%ProgramFiles%\CMake\bin\cmake.exe",),
        "nvcc": (r"%CUDA_PATH%\bin\nvcc.exe",),
        "winget": (r"%LOCALAPPDATA%\Microsoft\WindowsApps\winget.exe",),
    }.get(name, ())
    return next((path for place in places if "%" not in (path := look.expanded(place)) and look.exists(path)), None)


TOOLS: Final = Probe("tools", ("tools",), look_at_tools)
