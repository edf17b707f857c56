"""C and C++ compilers. Linux: gcc and clang on PATH. Windows: Visual Studio by vswhere and by files, clang by its files."""

import re
from typing import Final

from app.model.facts import Compiler
from app.model.unknown import UNKNOWN
from app.probes.decoding import decode
from app.probes.look import Look
from app.probes.scanning import Probe
from app.probes.visual_studio import visual_studios

TIMEOUT_S: Final = 5.0
_GCC: Final = re.compile(r"\b(\d+\.\d+\.\d+)(?:\s|$)")
_CLANG: Final = re.compile(r"clang version (\d+\.\d+\.\d+)")


def look_at_compilers(look: Look) -> None:
    compilers = list(visual_studios(look)) if look.on_windows else []
    for kind in ("gcc", "clang"):
        program = look.program_on_path(kind) or (_llvm(look) if kind == "clang" and look.on_windows else None)
        if program is None:
            continue
        answer = look.query(program, "--version", timeout_s=TIMEOUT_S)
        version = compiler_version(kind, decode(answer.stdout))
        if version is None:
            look.gap("compilers", answer.failure or "not-understood", program)
        compilers.append(Compiler(kind="gcc" if kind == "gcc" else "clang", version=version or UNKNOWN, root=program))
    look.put("compilers", tuple(compilers))


def compiler_version(kind: str, said: str) -> str | None:
    """The version in the first line of `gcc --version` or `clang --version`; distributions put their own words around it."""
    first = said.splitlines()[0] if said.strip() else ""
    if kind == "clang":
        found = _CLANG.search(said)
        return found[1] if found else None
    numbers = _GCC.findall(first)
    return numbers[-1] if numbers else None


def _llvm(look: Look) -> str | None:
    folder = look.value(r"HKLM\SOFTWARE\LLVM\LLVM", "", 32) or look.value(r"HKLM\SOFTWARE\LLVM\LLVM", "")
    places = [look.join(folder, "bin", "clang.exe")] if isinstance(folder, str) and folder else []
    places.append(look.expanded(r"%ProgramFiles%\LLVM\bin\clang.exe"))
    return next((place for place in places if look.exists(place)), None)


COMPILERS: Final = Probe("compilers", ("compilers",), look_at_compilers, timeout_s=30.0)
