"""CUDA Toolkits: registry, usual folders, variables; each with the parts that a build or Triton would miss."""

import json
import re
from typing import Final

from app.model.facts import Toolkit
from app.probes.look import Look
from app.probes.scanning import Probe

REGISTRY: Final = r"HKLM\SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA"
_WINDOWS_PARTS: Final = ("bin/nvcc.exe", "bin/ptxas.exe", "include/cuda.h", "lib/x64/cuda.lib")
_LINUX_PARTS: Final = ("bin/nvcc", "bin/ptxas", "include/cuda.h")
_FOLDER_VERSION: Final = re.compile(r"(?:^v|cuda-)(\d+\.\d+)$", re.IGNORECASE)
_TEXT_VERSION: Final = re.compile(r"CUDA Version (\d+(?:\.\d+)+)")


def look_at_toolkits(look: Look) -> None:
    toolkits = []
    seen = set()
    for folder in _folders(look):
        place = (look.resolve(folder) or folder) if not look.on_windows else folder
        key = look.same(place)
        names = look.names(place) if key not in seen else None
        seen.add(key)
        # A runtime of one DLL or headers alone is no toolkit, yet CUDA_PATH may lead there: then its parts are named.
        if not names or not {name.lower().rstrip("/") for name in names} & {"bin", "include", "version.json", "version.txt"}:
            continue
        version = _version(look, place)
        if version is None:
            look.gap("toolkits", "not-understood", place)
            continue
        parts = _WINDOWS_PARTS if look.on_windows else _LINUX_PARTS
        missing = tuple(part.replace("/", look.paths.sep) for part in parts if not look.exists(look.join(place, *part.split("/"))))
        toolkits.append(Toolkit(version=version, root=place, missing_parts=missing))
    look.put("toolkits", tuple(toolkits))


def _folders(look: Look) -> list[str]:
    folders = []
    for name in look.variables():
        if name.upper() in ("CUDA_PATH", "CUDA_HOME") or name.upper().startswith("CUDA_PATH_V"):
            folders.append(look.variables()[name])
    if look.on_windows:
        listed = look.registry(REGISTRY)
        for version in () if listed is None else listed.subkeys:
            folder = look.value(f"{REGISTRY}\\{version}", "InstallDir")
            if isinstance(folder, str) and folder:
                folders.append(folder)
        root = look.join(look.variable("ProgramFiles") or r"C:\Program Files", "NVIDIA GPU Computing Toolkit", "CUDA")
        folders += [look.join(root, name[:-1]) for name in look.names(root, "v*") or () if name.endswith("/")]
    else:
        folders += [look.join("/usr/local", name.rstrip("/")) for name in look.names("/usr/local", "cuda-*", "cuda") or ()]
    return [folder.strip().strip('"').rstrip("\\/") for folder in folders if folder.strip().strip('"')]


def _version(look: Look, folder: str) -> str | None:
    found = version_of_json(look.text(look.join(folder, "version.json"), 1 << 16) or "")
    if found is None:
        told = _TEXT_VERSION.search(look.text(look.join(folder, "version.txt"), 4096) or "")
        found = told[1] if told else None
    named = _FOLDER_VERSION.search(look.name(folder))
    return found or (named[1] if named else None)


def version_of_json(text: str) -> str | None:
    """The toolkit's version in its version.json: that of nvcc where it is named, else of the whole."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    for part in ("cuda_nvcc", "cuda"):
        entry = document.get(part) if isinstance(document, dict) else None
        version = entry.get("version") if isinstance(entry, dict) else None
        if isinstance(version, str) and re.fullmatch(r"\d+(\.\d+)+", version):
            return version
    return None


TOOLKITS: Final = Probe("toolkits", ("toolkits",), look_at_toolkits)
