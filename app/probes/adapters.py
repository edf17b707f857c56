"""Graphics adapters without the NVIDIA driver's help: Windows' device tree and display class, Win32_VideoController, Linux' sysfs.

The 32-bit AdapterRAM is never read: it wraps at 4 GiB.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.host.protocol import DisplayDevice
from app.model.facts import Vendor
from app.probes.decoding import decode
from app.probes.look import Look

CLASS_KEY: Final = r"HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
ENUM_KEY: Final = r"HKLM\SYSTEM\CurrentControlSet\Enum"
VIDEO_CONTROLLERS: Final = (
    "[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);"
    "Get-CimInstance Win32_VideoController | Select-Object Name,PNPDeviceID,DriverVersion,ConfigManagerErrorCode | ConvertTo-Json -Compress"
)

_CLASS_VALUES: Final = ("DriverDesc", "DriverVersion", "MatchingDeviceId", "HardwareInformation.qwMemorySize")
_VENDORS: Final[dict[str, Vendor]] = {"10de": "nvidia", "1002": "amd", "1022": "amd", "8086": "intel"}
_VENDOR_NAMES: Final[dict[Vendor, str]] = {"nvidia": "NVIDIA GPU", "amd": "AMD GPU", "intel": "Intel GPU", "other": "GPU"}
_PCI_NUMBER: Final = re.compile(r"ven_([0-9a-f]{4})&dev_([0-9a-f]{4})", re.IGNORECASE)
_PCI_VENDOR: Final = re.compile(r"ven_([0-9a-f]{4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Adapter:
    """`present` None: listed, but it may be a card that was taken out. `problem` is the Configuration Manager code."""

    name: str
    vendor: Vendor
    memory_bytes: int | None = None
    driver_version: str | None = None
    problem: int | None = None
    has_driver: bool | None = None
    present: bool | None = None


def windows_adapters(look: Look) -> tuple[Adapter, ...]:
    """By the device tree where Windows tells it; else the display class, checked against Win32_VideoController."""
    devices = look.system().display_devices
    if devices:
        return tuple(filter(None, (_device_adapter(look, device) for device in devices)))
    listed = tuple(_class_adapters(look))
    present = _video_controllers(look)
    return listed if present is None else present


def _device_adapter(look: Look, device: DisplayDevice) -> Adapter | None:
    key = look.registry(f"{ENUM_KEY}\\{device.instance}", "Driver", "FriendlyName", "DeviceDesc")
    values = {} if key is None else key.values
    driver_key = values.get("Driver")
    driver = look.registry(f"{CLASS_KEY.rpartition(chr(92))[0]}\\{driver_key}", *_CLASS_VALUES) if isinstance(driver_key, str) else None
    described = "" if driver is None else str(driver.values.get("DriverDesc") or "")
    # The description stands behind a reference into the .inf file: "@oem12.inf,%x%;NVIDIA GeForce RTX 4090".
    name = described or str(values.get("FriendlyName") or values.get("DeviceDesc") or "").rpartition(";")[2] or device.instance
    vendor, number = vendor_of(device.instance), _PCI_NUMBER.search(device.instance)
    basic = "basic display" in name.lower() or str((driver.values if driver else {}).get("MatchingDeviceId", "")).lower().startswith("pci\\cc_03")
    if (basic or driver is None) and number is not None:
        # "Microsoft Basic Display Adapter" says nothing of the card under it.
        name = f"{_VENDOR_NAMES[vendor]} (PCI {number[1].upper()}:{number[2].upper()})"
    return Adapter(
        name=name,
        vendor=vendor,
        memory_bytes=None if driver is None else registry_memory(driver.values.get("HardwareInformation.qwMemorySize")),
        driver_version=None if driver is None or basic else _text(driver.values.get("DriverVersion")),
        problem=device.problem,
        has_driver=driver is not None and not basic,
        present=True,
    )


def _class_adapters(look: Look) -> Iterator[Adapter]:
    listed = look.registry(CLASS_KEY)
    for number in () if listed is None else listed.subkeys:
        if not re.fullmatch(r"\d{4}", number):
            continue
        key = look.registry(f"{CLASS_KEY}\\{number}", *_CLASS_VALUES)
        name = _text(key.values.get("DriverDesc")) if key is not None else None
        if key is None or not name:
            continue
        matched = str(key.values.get("MatchingDeviceId") or "")
        yield Adapter(
            name=name,
            vendor=vendor_of(matched),
            memory_bytes=registry_memory(key.values.get("HardwareInformation.qwMemorySize")),
            driver_version=_text(key.values.get("DriverVersion")),
            has_driver="basic display" not in name.lower(),
        )


def _video_controllers(look: Look) -> tuple[Adapter, ...] | None:
    program = look.join(look.variable("SystemRoot") or r"C:\Windows", r"System32\WindowsPowerShell\v1.0\powershell.exe")
    answer = look.query(program, "-NoProfile", "-NonInteractive", "-Command", VIDEO_CONTROLLERS, timeout_s=8.0)
    return parse_video_controllers(answer.stdout) if answer.exit_code == 0 else None


def parse_video_controllers(answer: bytes) -> tuple[Adapter, ...] | None:
    """Rows of Win32_VideoController as ConvertTo-Json writes them: one object, or a list. None: no such answer."""
    try:
        rows = json.loads(decode(answer))
    except (ValueError, RecursionError):
        return None
    adapters = []
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, dict) or not isinstance(row.get("Name"), str):
            continue
        code = row.get("ConfigManagerErrorCode")
        basic = "basic display" in row["Name"].lower()
        adapters.append(
            Adapter(
                name=row["Name"],
                vendor=vendor_of(str(row.get("PNPDeviceID") or "")),
                driver_version=None if basic else _text(row.get("DriverVersion")),
                problem=code if type(code) is int else None,
                has_driver=not basic and code != 28,
                present=True,
            )
        )
    return tuple(adapters) or None


def linux_adapters(look: Look) -> tuple[Adapter, ...] | None:
    """Display controllers on the PCI bus, by number; None where there is no such bus."""
    root = "/sys/bus/pci/devices"
    slots = look.names(root)
    if slots is None:
        return None
    adapters = []
    for slot in slots:
        folder = look.join(root, slot.rstrip("/"))
        if not (look.read(look.join(folder, "class"), 16) or b"").startswith(b"0x03"):
            continue
        vendor, device = (_number(look.read(look.join(folder, name), 16)) for name in ("vendor", "device"))
        maker = _VENDORS.get(vendor, "other")
        bound = look.resolve(look.join(folder, "driver"))
        adapters.append(Adapter(f"{_VENDOR_NAMES[maker]} (PCI {vendor.upper()}:{device.upper()})", maker, has_driver=bound is not None, present=True))
    return tuple(adapters)


def vendor_of(hardware_id: str) -> Vendor:
    """By the PCI vendor number in a Windows hardware id."""
    found = _PCI_VENDOR.search(hardware_id)
    return _VENDORS.get(found[1].lower(), "other") if found else "other"


def registry_memory(value: object) -> int | None:
    """`HardwareInformation.qwMemorySize`: a 64-bit number, or its bytes."""
    if isinstance(value, bytes):
        return int.from_bytes(value[:8], "little") or None
    return value if type(value) is int and value > 0 else None


def nvidia_version(windows_version: str) -> str | None:
    """The version NVIDIA prints, from the Windows one: 32.0.15.7652 is 576.52."""
    digits = "".join(windows_version.split("."))
    if len(windows_version.split(".")) != 4 or not digits.isdecimal() or len(digits) < 6:
        return None
    return f"{digits[-5:-2]}.{digits[-2:]}"


def _number(raw: bytes | None) -> str:
    return (raw or b"").decode("ascii", "replace").strip().removeprefix("0x")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
