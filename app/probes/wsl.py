"""WSL, without starting it: registry and files say whether it is there; wsl.exe is asked only where it is more than a stub.

On a machine without WSL some calls of wsl.exe begin to download it; no call here is made then. Distributions are
looked into only while they run anyway. Sources: Microsoft's WSL repository and documentation.
"""

import re
from typing import Final, Literal

from app.model.facts import Distro, Wsl
from app.model.unknown import UNKNOWN, Maybe
from app.probes.decoding import decode
from app.probes.ini import settings_of
from app.probes.look import Look
from app.probes.scanning import Probe
from app.probes.windows_system import INSTALL_STATUS
from app.probes.wsl_distros import look_into_distro, registered_distros

LXSS_MACHINE: Final = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Lxss\MSI"
SERVICES: Final = r"HKLM\SYSTEM\CurrentControlSet\Services"
POLICIES: Final = r"HKLM\Software\Policies\WSL"
FIRST_WITH_VFPEXT: Final = 22621
TIMEOUT_S: Final = 8.0
ENVIRONMENT: Final = {"WSL_UTF8": "1", "WSL_DISABLE_WARNINGS": "1"}
WSLCONFIG_KEYS: Final = ("memory", "swap", "processors", "gpusupport", "networkingmode", "kernel", "safemode", "nestedvirtualization")

_ERROR_CODE: Final = re.compile(r"\b(?:Wsl(?:/[A-Za-z]+)*/)?(0x[0-9a-fA-F]{8}|(?:WSL|HCS|HNS|ERROR|E|REGDB_E|TRUST_E|WININET_E|HTTP_E)_[A-Z0-9_]{4,60})\b")
_VERSION: Final = re.compile(r"\d+(?:\.\d+){2,3}(?:-\d+)?")
_MARKERS: Final = (
    ("aka.ms/enablevirtualization", "virtualization-off"),
    ("aka.ms/wsl2kernel", "kernel-missing"),
    ("aka.ms/wslinstall", "not-installed"),
)
"""Addresses that stand in the messages of every language."""


def look_at_wsl(look: Look) -> None:
    kind = wsl_kind(look)
    if kind is None:
        look.put("wsl", None)
        return
    restart = look.registry(INSTALL_STATUS) is not None
    platform = _platform_enabled(look)
    config = _wslconfig(look)
    if kind == "stub":
        look.put("wsl", None if not restart else Wsl(version=None, platform_enabled=platform, kind="stub", restart_pending=True, distros=(), wslconfig=config))
        return
    program = look.join(look.variable("SystemRoot") or r"C:\Windows", "System32", "wsl.exe")
    version, kernel, problem = _versions(look, program) if kind == "package" else (None, _inbox_kernel(look), None)
    default_version, distros = registered_distros(look)
    # One call that stalls is enough: nothing more is asked then.
    asks = problem != "timed-out" and any(distro.wsl_version == 2 for distro in distros)
    running = _running(look, program) if asks else frozenset()
    if kind == "package" and problem is None:
        problem = _status_problem(look, program)
    look.put(
        "wsl",
        Wsl(
            version=version,
            kernel=kernel,
            default_version=default_version,
            platform_enabled=platform,
            problem=problem,
            distros=tuple(look_into_distro(look, program, distro) if distro.name in running else _closed(look, distro) for distro in distros),
            kind=kind,
            restart_pending=restart,
            wslconfig=config,
        ),
    )


def wsl_kind(look: Look) -> Literal["stub", "inbox", "package"] | None:
    """What lies behind wsl.exe, by registry and files only. None: this Windows has no wsl.exe at all."""
    place = look.value(LXSS_MACHINE, "InstallLocation")
    if isinstance(place, str) and place:
        return "package"
    if look.registry(rf"{SERVICES}\LxssManager") is not None:
        return "inbox"
    program = look.join(look.variable("SystemRoot") or r"C:\Windows", "System32", "wsl.exe")
    return "stub" if look.exists(program) else None


def _platform_enabled(look: Look) -> bool:
    """WSL's own test for the Virtual Machine Platform: its services are there."""
    build = look.system().version.rpartition(".")[2]
    services = ["vmcompute", "HNS"] + (["vfpext"] if build.isdecimal() and int(build) >= FIRST_WITH_VFPEXT else [])
    return all(look.registry(rf"{SERVICES}\{name}") is not None for name in services)


def _versions(look: Look, program: str) -> tuple[Maybe[str | None], Maybe[str | None], str | None]:
    """WSL's and the kernel's version, and the error code where it answers with one."""
    answer = look.query(program, "--version", timeout_s=TIMEOUT_S, environment=ENVIRONMENT)
    said = decode(answer.stdout, _code_page(look)) + decode(answer.stderr, _code_page(look))
    if answer.failure is not None:
        look.gap("wsl.version", answer.failure)
        return UNKNOWN, UNKNOWN, answer.failure if answer.failure == "timed-out" else None
    versions = parse_versions(said)
    if answer.exit_code != 0 or not versions:
        problem = error_code(said)
        look.gap("wsl.version", "not-understood" if problem is None else "failed", said.strip()[:200] or f"exit code {answer.exit_code}")
        return UNKNOWN, UNKNOWN, problem or f"exit code {answer.exit_code}"
    return versions[0], versions[1] if len(versions) > 1 else UNKNOWN, None


def parse_versions(said: str) -> list[str]:
    """`wsl --version` by the order of its lines: WSL first, then the kernel. Labels are translated, order and numbers are not."""
    found = []
    for line in said.splitlines():
        match = _VERSION.search(line.replace("\uff1a", ":").rpartition(":")[2])
        if match and ":" in line.replace("\uff1a", ":"):
            found.append(match[0])
    return found


def error_code(said: str) -> str | None:
    """The code of an error as printed: the label around it is translated, the code is not."""
    found = _ERROR_CODE.search(said)
    if found:
        return found[1]
    return next((word for address, word in _MARKERS if address in said.lower()), None)


def _status_problem(look: Look, program: str) -> str | None:
    """`wsl --status` ends with 0 also where WSL2 cannot start; only the address in its warning tells."""
    answer = look.query(program, "--status", timeout_s=TIMEOUT_S, environment=ENVIRONMENT)
    if answer.failure is not None:
        look.gap("wsl.problem", answer.failure)
        return None
    return error_code(decode(answer.stdout, _code_page(look)) + decode(answer.stderr, _code_page(look)))


def _inbox_kernel(look: Look) -> str | None:
    """The kernel of the inbox WSL is a file of its own, absent until its package is installed; its header names the version."""
    kernel = look.program(look.join(look.variable("SystemRoot") or r"C:\Windows", "System32", "lxss", "tools", "kernel"))
    return None if kernel is None or kernel.version is None else kernel.version.partition("-microsoft")[0]


def _running(look: Look, program: str) -> frozenset[str]:
    """Names of the distributions that run now; asking starts none."""
    answer = look.query(program, "--list", "--running", "--quiet", timeout_s=TIMEOUT_S, environment=ENVIRONMENT)
    if answer.exit_code != 0:
        return frozenset()
    return frozenset(line.strip() for line in decode(answer.stdout, _code_page(look)).splitlines() if line.strip())


def _closed(look: Look, distro: Distro) -> Distro:
    if distro.wsl_version == 2:
        look.gap("wsl.distros.inside", "not-running", distro.name)
    return distro


def _wslconfig(look: Look) -> dict[str, str] | None:
    home = look.variable("USERPROFILE")
    text = look.text(look.join(home, ".wslconfig"), 1 << 16) if home else None
    return None if text is None else parse_wslconfig(text)


def parse_wslconfig(text: str) -> dict[str, str]:
    """The keys that matter, in lower case, of all sections; a file that is none gives nothing."""
    return {key: value for section, key, value in settings_of(text) if section and value and key in WSLCONFIG_KEYS}


def _code_page(look: Look) -> int | None:
    return look.system().oem_code_page


WSL: Final = Probe("wsl", ("wsl",), look_at_wsl, timeout_s=60.0, families=("windows",))
