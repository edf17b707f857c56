"""WSL's distributions: from the registry without starting any; the inside only of one that runs already."""

import dataclasses
import re
from typing import Final

from app.model.facts import Distro
from app.model.unknown import UNKNOWN
from app.probes.decoding import decode
from app.probes.look import Look
from app.probes.system import os_release_name

LXSS: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss"
_WSL2_FLAG: Final = 0x8
_INSTALLED: Final = 1
_TOOLS_OF_OTHERS: Final = re.compile(r"(docker-desktop|rancher-desktop|podman-)", re.IGNORECASE)
_INSIDE: Final = (
    "cat /etc/os-release 2>/dev/null; echo @@; python3 -V 2>&1; echo @@; ls /dev/dxg /usr/lib/wsl/lib/libcuda.so.1 2>/dev/null; echo @@; "
    "/sbin/ldconfig -p 2>/dev/null | grep 'libcuda\\.so\\.1'; echo @@; ls -d /usr/lib/*-linux-gnu/libcuda.so.* /usr/local/cuda*/compat/libcuda.so.* 2>/dev/null"
)
"""Reads, and nothing else; each answer ends with a line of @@."""

INSIDE_TIMEOUT_S: Final = 15.0


def registered_distros(look: Look) -> tuple[int | None, tuple[Distro, ...]]:
    """The default version for new ones, and all distributions of this person that are installed; those of other tools are left out."""
    key = look.registry(LXSS, "DefaultDistribution", "DefaultVersion")
    if key is None:
        return None, ()
    default = key.values.get("DefaultDistribution")
    distros = []
    for guid in key.subkeys:
        if not guid.startswith("{"):
            continue
        found = look.registry(f"{LXSS}\\{guid}", "DistributionName", "State", "Flags", "Flavor", "OsVersion")
        name = found.values.get("DistributionName") if found is not None else None
        if found is None or not isinstance(name, str) or _TOOLS_OF_OTHERS.match(name):
            continue
        if found.values.get("State", _INSTALLED) != _INSTALLED:
            look.gap("wsl.distros", "not-ready", f"{name}: state {found.values.get('State')!r}")
            continue
        flags = found.values.get("Flags")
        distros.append(
            Distro(
                name=name,
                # The value called Version is that of the file system; the flag tells WSL 1 from 2.
                wsl_version=(2 if flags & _WSL2_FLAG else 1) if isinstance(flags, int) else UNKNOWN,
                default=guid == default,
                release=_release(found.values.get("Flavor"), found.values.get("OsVersion")) or UNKNOWN,
            )
        )
    version = key.values.get("DefaultVersion")
    return (version if isinstance(version, int) else 2), tuple(distros)


def _release(flavor: object, version: object) -> str | None:
    if not isinstance(flavor, str) or not flavor:
        return None
    return " ".join(filter(None, (flavor.capitalize(), version if isinstance(version, str) else "")))


def look_into_distro(look: Look, program: str, distro: Distro) -> Distro:
    """Release, Python and GPU of a distribution that runs."""
    argv = (program, "--distribution", distro.name, "--user", "root", "--exec", "/bin/sh", "-c", _INSIDE)
    answer = look.query(*argv, timeout_s=INSIDE_TIMEOUT_S, environment={"WSL_UTF8": "1", "WSL_DISABLE_WARNINGS": "1"})
    parts = decode(answer.stdout).split("@@\n")
    if answer.failure is not None or len(parts) < 5:
        look.gap("wsl.distros.inside", answer.failure or "not-understood", distro.name)
        return distro
    return inside_distro(distro, parts)


def inside_distro(distro: Distro, parts: list[str]) -> Distro:
    """Fills in what the five answers from inside say."""
    release, python, devices, known, foreign = (part.strip() for part in parts[:5])
    version = re.match(r"Python (\d+\.\d+\.\d+\S*)", python)
    libraries = [line.rpartition("=> ")[2].strip() for line in known.splitlines() if "=>" in line]
    own = "/usr/lib/wsl/lib/libcuda.so.1"
    elsewhere = [path for path in (*libraries, *foreign.splitlines()) if path and not path.startswith("/usr/lib/wsl/")]
    return dataclasses.replace(
        distro,
        release=os_release_name(release) or distro.release,
        python=version[1] if version else None,
        gpu_visible="/dev/dxg" in devices and (own in devices or bool(libraries)),
        driver_in_distro=bool(elsewhere),
        libcuda=libraries[0] if libraries else (own if own in devices else None),
    )
