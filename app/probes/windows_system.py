"""Windows itself: build and edition, locale, rights, pending restart, app control, cloud folders; processor and memory.

Where Windows keeps each: see the constants. ProductName is not read as it stands: Windows 11 still calls itself 10 there.
"""

from typing import Final, Literal

from app.probes.look import Look
from app.probes.scanning import Probe

CURRENT_VERSION: Final = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion"
PROCESSOR: Final = r"HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0"
FILE_SYSTEM: Final = r"HKLM\SYSTEM\CurrentControlSet\Control\FileSystem"
CODE_INTEGRITY: Final = r"HKLM\SYSTEM\CurrentControlSet\Control\CI\Policy"
RESTART_KEYS: Final = (
    r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending",
    r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\PackagesPending",
    r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired",
)
"""Their presence says that Windows must restart. PendingFileRenameOperations is left out: browsers set it every day."""

INSTALL_STATUS: Final = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss\InstallStatus"

_EDITIONS: Final = {
    "Core": "Home",
    "CoreN": "Home N",
    "CoreSingleLanguage": "Home Single Language",
    "CoreCountrySpecific": "Home China",
    "Professional": "Pro",
    "ProfessionalN": "Pro N",
    "ProfessionalWorkstation": "Pro for Workstations",
    "ProfessionalEducation": "Pro Education",
    "Enterprise": "Enterprise",
    "EnterpriseS": "Enterprise LTSC",
    "IoTEnterprise": "IoT Enterprise",
    "IoTEnterpriseS": "IoT Enterprise LTSC",
    "Education": "Education",
    "ServerStandard": "Standard",
    "ServerDatacenter": "Datacenter",
    "ServerTurbine": "Datacenter: Azure Edition",
}
_SERVERS: Final = ((26100, "2025"), (20348, "2022"), (17763, "2019"), (14393, "2016"))
FIRST_WINDOWS_11: Final = 22000


def look_at_windows(look: Look) -> None:
    values = look.system()
    look.put("os.family", "windows")
    key = look.registry(CURRENT_VERSION, "CurrentBuildNumber", "EditionID", "DisplayVersion", "ReleaseId", "InstallationType")
    stored = {} if key is None else {name: str(value) for name, value in key.values.items()}
    build = stored.get("CurrentBuildNumber") or values.version.rpartition(".")[2]
    if build.isdecimal():
        look.put("os.version", f"10.0.{build}")
        look.put("os.name", windows_name(int(build), stored))
    if values.arch is not None:
        look.put("os.arch", values.arch)
    look.put("os.edition", stored.get("EditionID"))
    if values.locale:
        look.put("os.locale", values.locale)
    look.put("os.ansi_code_page", values.ansi_code_page)
    look.put("os.long_paths", look.value(FILE_SYSTEM, "LongPathsEnabled") == 1)
    if values.elevated is not None:
        look.put("os.elevated", values.elevated)
    look.put("os.pending_restart", any(look.registry(name) is not None for name in (*RESTART_KEYS, INSTALL_STATUS)))
    look.put("os.user_profile", look.variable("USERPROFILE"))
    look.put("os.temp", look.variable("TEMP") or look.variable("TMP"))
    look.put("os.app_control", _app_control(look))
    look.put("os.cloud_roots", _cloud_roots(look))
    _put_hardware(look)


def windows_name(build: int, stored: dict[str, str]) -> str:
    """Such as `Windows 11 Pro 24H2` or `Windows Server 2022 Datacenter`, from build and EditionID."""
    edition = stored.get("EditionID", "")
    word = _EDITIONS.get(edition, edition)
    if stored.get("InstallationType", "").startswith("Server"):
        year = next((year for first, year in _SERVERS if build >= first), "")
        return " ".join(filter(None, ("Windows Server", year, word)))
    release = stored.get("DisplayVersion") or stored.get("ReleaseId") or ""
    return " ".join(filter(None, ("Windows 11" if build >= FIRST_WINDOWS_11 else "Windows 10", word, release)))


def _app_control(look: Look) -> Literal["off", "evaluation", "enforced"] | None:
    """Smart App Control: 0 off, 1 enforced, 2 evaluation; absent before Windows 11 22H2."""
    state = look.value(CODE_INTEGRITY, "VerifiedAndReputablePolicyState")
    states: dict[object, Literal["off", "evaluation", "enforced"]] = {0: "off", 1: "enforced", 2: "evaluation"}
    return states.get(state)


def _cloud_roots(look: Look) -> tuple[str, ...]:
    """Folders a cloud program mirrors: OneDrive's variables and accounts, Dropbox's and Google Drive's usual folders."""
    roots = [folder for name in ("OneDriveCommercial", "OneDriveConsumer", "OneDrive") if (folder := look.variable(name))]
    accounts = r"HKCU\Software\Microsoft\OneDrive\Accounts"
    listed = look.registry(accounts)
    for account in () if listed is None else listed.subkeys:
        place = look.value(f"{accounts}\\{account}", "UserFolder")
        if isinstance(place, str) and place:
            roots.append(place)
    home = look.variable("USERPROFILE")
    if home:
        roots += [usual for name in ("Dropbox", "Google Drive", "iCloudDrive", "Nextcloud") if look.exists(usual := look.join(home, name))]
    return tuple({look.same(root): root for root in roots}.values())


def _put_hardware(look: Look) -> None:
    values = look.system()
    name = look.value(PROCESSOR, "ProcessorNameString")
    if isinstance(name, str) and name.strip():
        look.put("cpu.name", " ".join(name.split()))
    if values.cores is not None:
        look.put("cpu.cores", values.cores)
    if values.total_bytes is not None:
        look.put("memory.total_bytes", values.total_bytes)
    if values.commit_limit_bytes is not None:
        look.put("memory.commit_limit_bytes", values.commit_limit_bytes)


WINDOWS_SYSTEM: Final = Probe(
    "system",
    (
        *(f"os.{name}" for name in ("family", "version", "arch", "name", "locale", "ansi_code_page", "long_paths", "elevated", "pending_restart")),
        *(f"os.{name}" for name in ("user_profile", "temp", "edition", "app_control", "cloud_roots")),
        *("cpu.name", "cpu.cores", "memory.total_bytes", "memory.commit_limit_bytes"),
    ),
    look_at_windows,
    families=("windows",),
)
