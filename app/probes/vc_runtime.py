"""The Visual C++ runtime that all programs share: the registry names it, the DLL in System32 proves it."""

import re
from typing import Final

from app.probes.look import Look
from app.probes.scanning import Probe

KEYS: Final = (
    r"HKLM\SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\{arch}",
    r"HKLM\SOFTWARE\Wow6432Node\Microsoft\VisualStudio\14.0\VC\Runtimes\{arch}",
)
_VERSION: Final = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?:\.(\d+))?")


def look_at_vc_runtime(look: Look) -> None:
    registered = _registered(look)
    system = look.join(look.variable("SystemRoot") or r"C:\Windows", "System32")
    # The C++ half decides: many programs bring vcruntime140.dll alone.
    library = look.program(look.join(system, "msvcp140.dll"))
    core = look.program(look.join(system, "vcruntime140.dll"))
    if library is None or core is None:
        if registered is not None:
            look.gap("vc_runtime", "files-missing", "registered, but its DLLs are not in System32")
        look.put("vc_runtime", None)
        return
    on_disk = [program.version for program in (library, core) if program.version]
    version = registered or min(on_disk, key=lambda text: [int(part) for part in text.split(".")], default=None)
    if version is None:
        look.gap("vc_runtime", "not-understood", "DLLs without a version")
    else:
        look.put("vc_runtime", version)


def _registered(look: Look) -> str | None:
    arch = "arm64" if look.system().arch == "arm64" else "x64"
    for pattern in KEYS:
        for name in dict.fromkeys((arch, "x64")):
            key = look.registry(pattern.format(arch=name), "Installed", "Version", "Major", "Minor", "Bld", "Rbld")
            if key is not None and key.values.get("Installed") == 1:
                found = registered_version(key.values.get("Version")) or _numbers(key.values.get("Major"), key.values.get("Minor"), key.values.get("Bld"))
                if found:
                    return found
    return None


def registered_version(value: object) -> str | None:
    """`v14.44.35211.00` as 14.44.35211.0: numbers, compared as numbers."""
    found = _VERSION.fullmatch(value.strip()) if isinstance(value, str) else None
    return ".".join(str(int(part or 0)) for part in found.groups()) if found else None


def _numbers(*parts: object) -> str | None:
    return ".".join(str(part) for part in parts) + ".0" if all(type(part) is int for part in parts) else None


VC_RUNTIME: Final = Probe("vc-runtime", ("vc_runtime",), look_at_vc_runtime, families=("windows",))
