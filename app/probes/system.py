"""Linux and WSL: the system itself, processor and memory. Sources: os-release(5), proc(5)."""

import re
from typing import Final

from app.probes.look import Look
from app.probes.scanning import Probe

_VIRTUALIZATION: Final = re.compile(r"\b(vmx|svm|hypervisor)\b")


def look_at_linux(look: Look) -> None:
    values = look.system()
    look.put("os.family", look.family)
    look.put("os.version", values.version)
    if values.arch is not None:
        look.put("os.arch", values.arch)
    release = look.text("/etc/os-release") or look.text("/usr/lib/os-release") or ""
    if name := os_release_name(release):
        look.put("os.name", name)
    look.put("os.locale", next((value for value in map(look.variable, ("LC_ALL", "LC_CTYPE", "LANG")) if value), None))
    look.put("os.ansi_code_page", None)
    look.put("os.user_profile", look.variable("HOME"))
    look.put("os.temp", look.variable("TMPDIR") or "/tmp")  # noqa: S108 - the fact itself: where programs put temporary files
    look.put("os.edition", None)
    look.put("os.long_paths", True)
    look.put("os.pending_restart", look.exists("/run/reboot-required") or look.exists("/var/run/reboot-required"))
    look.put("os.app_control", None)
    look.put("os.antivirus", ())
    look.put("os.cloud_roots", ())
    if values.elevated is not None:
        look.put("os.elevated", values.elevated)
    _put_hardware(look)


def _put_hardware(look: Look) -> None:
    values = look.system()
    listed = look.text("/proc/cpuinfo", 1 << 16) or ""
    if name := cpu_name(listed):
        look.put("cpu.name", name)
    if values.cores is not None:
        look.put("cpu.cores", values.cores)
    if listed:
        # Asked for running WSL2; on Linux itself it only says whether virtual machines could run.
        look.put("cpu.virtualization", _VIRTUALIZATION.search(listed) is not None)
    if values.total_bytes is not None:
        look.put("memory.total_bytes", values.total_bytes)
    if values.commit_limit_bytes is not None:
        look.put("memory.commit_limit_bytes", values.commit_limit_bytes)


def os_release_name(text: str) -> str | None:
    """PRETTY_NAME of os-release(5), else NAME and VERSION_ID."""
    values = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            values[name.strip()] = value.strip().strip("\"'")
    return values.get("PRETTY_NAME") or " ".join(filter(None, (values.get("NAME"), values.get("VERSION_ID")))) or None


def cpu_name(cpuinfo: str) -> str | None:
    """The processor's name in /proc/cpuinfo; ARM machines name it otherwise or not at all."""
    for label in ("model name", "Model", "Hardware"):
        for line in cpuinfo.splitlines():
            name, colon, value = line.partition(":")
            if colon and name.strip() == label and value.strip():
                return " ".join(value.split())
    return None


LINUX_SYSTEM: Final = Probe(
    "system",
    (
        *(f"os.{name}" for name in ("family", "version", "arch", "name", "locale", "elevated", "user_profile")),
        *("cpu.name", "cpu.cores", "cpu.virtualization", "memory.total_bytes", "memory.commit_limit_bytes"),
    ),
    look_at_linux,
    families=("linux", "wsl"),
)
