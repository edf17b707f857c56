"""Calls that only Windows answers: registry, volumes, device tree, access checks. Nothing is written or started.

Sources: Microsoft Learn, pages of each function named below.
"""

import ctypes
import sys
import threading
import winreg
from collections.abc import Iterator, Mapping
from ctypes import wintypes
from typing import Final, Literal

import psutil

from app.host.answers import DisplayDevice, Drive, RegistryKey, SystemValues
from app.model.facts import Arch

assert sys.platform == "win32"

_ROOTS: Final = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER, "HKCR": winreg.HKEY_CLASSES_ROOT, "HKU": winreg.HKEY_USERS}
MAX_VALUES: Final = 2000

_Value = str | int | bytes | tuple[str, ...]

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)


def read_key(key: str, view: Literal[32, 64], names: tuple[str, ...] | None) -> RegistryKey | None:
    """None: no such key, or no right to read it."""
    root, _, path = key.partition("\\")
    if root not in _ROOTS:
        return None
    access = winreg.KEY_READ | (winreg.KEY_WOW64_64KEY if view == 64 else winreg.KEY_WOW64_32KEY)
    try:
        with winreg.OpenKey(_ROOTS[root], path, 0, access) as handle:
            values = _values(handle) if names is None else _named_values(handle, names)
            return RegistryKey(dict(values), tuple(_subkeys(handle)))
    except OSError:
        return None


def _values(handle: winreg.HKEYType) -> Iterator[tuple[str, _Value]]:
    for index in range(MAX_VALUES):
        try:
            name, value, _ = winreg.EnumValue(handle, index)
        except OSError:
            return
        yield from _as_value(name, value)


def _named_values(handle: winreg.HKEYType, names: tuple[str, ...]) -> Iterator[tuple[str, _Value]]:
    for name in names:
        try:
            value, _ = winreg.QueryValueEx(handle, name)
        except OSError:
            continue
        yield from _as_value(name, value)


def _as_value(name: str, value: object) -> Iterator[tuple[str, _Value]]:
    if isinstance(value, list):
        yield name, tuple(str(item) for item in value)
    elif isinstance(value, (str, int, bytes)):
        yield name, value
    elif value is None:
        yield name, b""


def _subkeys(handle: winreg.HKEYType) -> Iterator[str]:
    for index in range(MAX_VALUES):
        try:
            yield winreg.EnumKey(handle, index)
        except OSError:
            return


def may_add_files(folder: str) -> bool:
    """Opens the folder with the right to add files, which the system grants or refuses by its access list; nothing is added (CreateFileW)."""
    add_file, share_all, open_existing, backup_semantics = 0x0002, 0x7, 3, 0x02000000
    create = _kernel32.CreateFileW
    create.restype = wintypes.HANDLE
    create.argtypes = [wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE]
    handle = create(folder, add_file, share_all, None, open_existing, backup_semantics, None)
    if handle in (None, wintypes.HANDLE(-1).value):
        return False
    _kernel32.CloseHandle(wintypes.HANDLE(handle))
    return True


def image_path(pid: int) -> str | None:
    """The program a process runs (QueryFullProcessImageNameW with PROCESS_QUERY_LIMITED_INFORMATION)."""
    _kernel32.OpenProcess.restype = wintypes.HANDLE
    handle = _kernel32.OpenProcess(0x1000, False, pid)
    if not handle:
        return None
    buffer, length = ctypes.create_unicode_buffer(32768), wintypes.DWORD(32768)
    try:
        found = _kernel32.QueryFullProcessImageNameW(wintypes.HANDLE(handle), 0, buffer, ctypes.byref(length))
    finally:
        _kernel32.CloseHandle(wintypes.HANDLE(handle))
    return buffer.value if found else None


def alias_target(path: str) -> str | None:
    """Where an app execution alias leads (reparse tag IO_REPARSE_TAG_APPEXECLINK); None: it is no such alias."""
    open_reparse_point, backup_semantics, get_reparse_point, tag = 0x00200000, 0x02000000, 0x000900A8, 0x8000001B
    create = _kernel32.CreateFileW
    create.restype = wintypes.HANDLE
    create.argtypes = [wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE]
    handle = create(path, 0, 0x7, None, 3, open_reparse_point | backup_semantics, None)
    if handle in (None, wintypes.HANDLE(-1).value):
        return None
    buffer, read = ctypes.create_string_buffer(16384), wintypes.DWORD()
    try:
        found = _kernel32.DeviceIoControl(wintypes.HANDLE(handle), get_reparse_point, None, 0, buffer, len(buffer), ctypes.byref(read), None)
    finally:
        _kernel32.CloseHandle(wintypes.HANDLE(handle))
    if not found or int.from_bytes(buffer.raw[:4], "little") != tag:
        return None
    # After the header of 8 bytes: a version, then texts that end in zeros: package id, entry point, target, kind.
    texts = buffer.raw[12 : read.value].decode("utf-16-le", "replace").split("\0")
    return texts[2] if len(texts) > 2 else None


_DRIVE_KINDS: Final[Mapping[int, Literal["fixed", "removable", "network"]]] = {2: "removable", 3: "fixed", 4: "network", 6: "fixed"}


def list_drives() -> tuple[Drive, ...]:
    """By drive letters. Each is asked in a thread of its own: a sleeping server or card reader must not hold up the others."""
    buffer = ctypes.create_unicode_buffer(1024)
    length = _kernel32.GetLogicalDriveStringsW(len(buffer), buffer)
    roots = [root for root in ctypes.wstring_at(ctypes.addressof(buffer), length).split("\0") if root]
    answers: dict[str, Drive] = {}
    threads = [threading.Thread(target=lambda root=root: answers.update({root: _drive(root)}), name="drive", daemon=True) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(1.5)
    late = {root: Drive(root, _DRIVE_KINDS.get(_kernel32.GetDriveTypeW(root)), None, None, None) for root in roots if root not in answers}
    return tuple(drive for root in roots if (drive := answers.get(root) or late[root]).kind is not None)


def _drive(root: str) -> Drive:
    # SEM_FAILCRITICALERRORS: no window about a card reader without a card.
    _kernel32.SetThreadErrorMode(0x0001, None)
    kind = _DRIVE_KINDS.get(_kernel32.GetDriveTypeW(root))
    if kind is None:
        return Drive(root, None, None, None, None)
    free, total = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    if not _kernel32.GetDiskFreeSpaceExW(root, ctypes.byref(free), ctypes.byref(total), None):
        return Drive(root, kind, None, None, None)
    name = ctypes.create_unicode_buffer(64)
    known = _kernel32.GetVolumeInformationW(root, None, 0, None, None, None, name, len(name))
    return Drive(root, kind, name.value if known and name.value else None, free.value, total.value)


class _MemoryStatus(ctypes.Structure):
    _fields_ = (
        ("dwLength", wintypes.DWORD),
        ("dwMemoryLoad", wintypes.DWORD),
        ("ullTotalPhys", ctypes.c_ulonglong),
        ("ullAvailPhys", ctypes.c_ulonglong),
        ("ullTotalPageFile", ctypes.c_ulonglong),
        ("ullAvailPageFile", ctypes.c_ulonglong),
        ("ullTotalVirtual", ctypes.c_ulonglong),
        ("ullAvailVirtual", ctypes.c_ulonglong),
        ("ullAvailExtendedVirtual", ctypes.c_ulonglong),
    )


def system_values() -> SystemValues:
    """GlobalMemoryStatusEx, IsWow64Process2, GetACP, GetUserDefaultLocaleName, IsUserAnAdmin, IsProcessorFeaturePresent."""
    version = sys.getwindowsversion()
    memory = _MemoryStatus(dwLength=ctypes.sizeof(_MemoryStatus))
    has_memory = bool(_kernel32.GlobalMemoryStatusEx(ctypes.byref(memory)))
    locale = ctypes.create_unicode_buffer(85)
    has_locale = _kernel32.GetUserDefaultLocaleName(locale, len(locale)) > 0
    # `platform_version` is the true build also where the program's manifest hides it.
    major, minor, build = version.platform_version
    return SystemValues(
        version=f"{major}.{minor}.{build}",
        arch=_native_arch(),
        cores=psutil.cpu_count(logical=False) or psutil.cpu_count(),
        total_bytes=memory.ullTotalPhys if has_memory else None,
        commit_limit_bytes=memory.ullTotalPageFile if has_memory else None,
        locale=locale.value if has_locale else None,
        ansi_code_page=_kernel32.GetACP(),
        oem_code_page=_kernel32.GetOEMCP(),
        elevated=_is_elevated(),
        virtualization_firmware=bool(_kernel32.IsProcessorFeaturePresent(21)),
        display_devices=_display_devices(),
    )


def _native_arch() -> Arch | None:
    """The machine's own, also when this program is emulated (IsWow64Process2, Windows 10 1511 and later)."""
    machines: Mapping[int, Arch] = {0x8664: "x86_64", 0xAA64: "arm64", 0x14C: "x86"}
    ask = getattr(_kernel32, "IsWow64Process2", None)
    if ask is not None:
        process, native = wintypes.USHORT(), wintypes.USHORT()
        _kernel32.GetCurrentProcess.restype = wintypes.HANDLE
        if ask(wintypes.HANDLE(_kernel32.GetCurrentProcess()), ctypes.byref(process), ctypes.byref(native)):
            return machines.get(native.value)
    return "x86_64" if sys.maxsize > 1 << 32 else None


def _is_elevated() -> bool | None:
    try:
        return bool(ctypes.WinDLL("shell32").IsUserAnAdmin())
    except OSError:
        return None


def _display_devices() -> tuple[DisplayDevice, ...] | None:
    """Present graphics devices: those of the display class, and PCI display controllers without a driver (CM_Get_Device_ID_ListW)."""
    try:
        manager = ctypes.WinDLL("cfgmgr32")
        by_class = _instances(manager, "{4d36e968-e325-11ce-bfc1-08002be10318}", 0x00000200 | 0x00000100)
        on_bus = _instances(manager, "PCI", 0x00000001 | 0x00000100)
    except (OSError, AttributeError):
        return None
    if by_class is None and on_bus is None:
        return None
    bare = [instance for instance in on_bus or () if instance not in (by_class or ()) and _is_display_controller(instance)]
    return tuple(DisplayDevice(instance, _problem(manager, instance)) for instance in [*(by_class or ()), *bare])


def _instances(manager: ctypes.WinDLL, wanted: str, flags: int) -> list[str] | None:
    size = wintypes.ULONG()
    if manager.CM_Get_Device_ID_List_SizeW(ctypes.byref(size), wanted, flags) or size.value < 2:
        return None
    buffer = ctypes.create_unicode_buffer(size.value)
    if manager.CM_Get_Device_ID_ListW(wanted, buffer, size.value, flags):
        return None
    return [instance for instance in ctypes.wstring_at(ctypes.addressof(buffer), size.value).split("\0") if instance]


def _is_display_controller(instance: str) -> bool:
    key = read_key(rf"HKLM\SYSTEM\CurrentControlSet\Enum\{instance}", 64, ("CompatibleIDs",))
    ids = () if key is None else key.values.get("CompatibleIDs", ())
    return isinstance(ids, tuple) and any("CC_03" in item.upper() for item in ids)


def _problem(manager: ctypes.WinDLL, instance: str) -> int | None:
    node, status, problem = wintypes.DWORD(), wintypes.ULONG(), wintypes.ULONG()
    if manager.CM_Locate_DevNodeW(ctypes.byref(node), instance, 0):
        return None
    if manager.CM_Get_DevNode_Status(ctypes.byref(status), ctypes.byref(problem), node, 0):
        return None
    # DN_HAS_PROBLEM; without it the number means nothing.
    return problem.value if status.value & 0x00000400 else 0
