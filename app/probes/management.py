"""What only Windows' management service tells: antivirus products by name, and whether a hypervisor runs.

One start of PowerShell for both; it takes a second, so it runs beside everything else. Antivirus exclusions are not asked.
"""

import json
from dataclasses import dataclass
from typing import Final

from app.probes.decoding import decode
from app.probes.look import Look
from app.probes.scanning import Probe

SCRIPT: Final = (
    "[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);"
    "$av=try{,@(Get-CimInstance -Namespace root/SecurityCenter2 -ClassName AntiVirusProduct -ErrorAction Stop|"
    "Select-Object displayName,productState)}catch{$null};"
    "@{hypervisor=(Get-CimInstance Win32_ComputerSystem).HypervisorPresent;antivirus=$av}|ConvertTo-Json -Compress -Depth 3"
)
TIMEOUT_S: Final = 12.0
_ON: Final = 0x1000


@dataclass(frozen=True, slots=True)
class ManagementAnswer:
    """None: not told. Servers have no list of antivirus products."""

    hypervisor: bool | None = None
    antivirus: tuple[str, ...] | None = None


def look_at_management(look: Look) -> None:
    values = look.system()
    if values.virtualization_firmware or values.hypervisor_present:
        look.put("cpu.virtualization", True)
    program = look.join(look.variable("SystemRoot") or r"C:\Windows", "System32", "WindowsPowerShell", "v1.0", "powershell.exe")
    answer = look.query(program, "-NoProfile", "-NonInteractive", "-Command", SCRIPT, timeout_s=TIMEOUT_S)
    told = parse_management(answer.stdout)
    why = answer.failure or ("no-answer" if not answer.stdout.strip() else "not-understood")
    if told.antivirus is None:
        look.gap("os.antivirus", why if told.hypervisor is None else "not-supported")
    else:
        look.put("os.antivirus", told.antivirus)
    if told.hypervisor is None:
        look.gap("wsl.hypervisor_running", why)
    else:
        look.put("wsl.hypervisor_running", told.hypervisor)
    if values.virtualization_firmware or values.hypervisor_present:
        return
    if told.hypervisor:
        look.put("cpu.virtualization", True)
    elif told.hypervisor is False and values.virtualization_firmware is False:
        # Without a hypervisor nothing hides the firmware's flag.
        look.put("cpu.virtualization", False)
    else:
        look.gap("cpu.virtualization", why)


def parse_management(answer: bytes) -> ManagementAnswer:
    """The script's one line of JSON; of a list with one entry PowerShell may make the entry itself."""
    try:
        document = json.loads(decode(answer))
    except (ValueError, RecursionError):
        return ManagementAnswer()
    if not isinstance(document, dict):
        return ManagementAnswer()
    hypervisor, listed = document.get("hypervisor"), document.get("antivirus")
    if isinstance(listed, dict):
        listed = listed.get("value", [listed]) if "displayName" not in listed else [listed]
    names = None
    if isinstance(listed, list):
        rows = [row for row in listed if isinstance(row, dict) and isinstance(row.get("displayName"), str)]
        names = tuple(dict.fromkeys(row["displayName"] for row in rows if _is_on(row.get("productState"))))
    return ManagementAnswer(hypervisor if isinstance(hypervisor, bool) else None, names)


def _is_on(state: object) -> bool:
    """`productState` is not documented; 0x1000 in it is taken for on, and what is no number for on too."""
    return type(state) is not int or state & 0xF000 == _ON


MANAGEMENT: Final = Probe("management", ("os.antivirus", "cpu.virtualization"), look_at_management, families=("windows",))
