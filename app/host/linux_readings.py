"""Calls that only Linux answers."""

import os
import shutil
from typing import Final, Literal

import psutil

from app.host.answers import Drive

_NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "sshfs", "fuse.sshfs", "afs", "ceph", "glusterfs", "fuse.rclone"})
_NAMELESS: Final = frozenset({"tmpfs", "zfs"})
"""File systems for people's files that are mounted from no device below /dev."""

_SYSTEM: Final = ("/dev", "/proc", "/run", "/sys")


def list_drives() -> tuple[Drive, ...]:
    """Volumes a person can put files on. Network mounts are listed without asking their server, which may be gone."""
    drives = []
    seen = set()
    for part in psutil.disk_partitions(all=True):
        network = part.fstype in _NETWORK
        # Inside WSL the Windows drives are mounted by 9p below /mnt.
        windows_drive = part.fstype in ("9p", "drvfs") and part.mountpoint.startswith("/mnt/")
        nameless = part.fstype in _NAMELESS and not part.mountpoint.startswith(_SYSTEM)
        if part.mountpoint in seen or not (part.device.startswith("/dev/") or network or windows_drive or nameless or part.mountpoint == "/"):
            continue
        if not network and not os.path.isdir(part.mountpoint):  # noqa: PTH112 - a mount of one file (containers) is no volume
            continue
        seen.add(part.mountpoint)
        free, total = (None, None) if network else _usage(part.mountpoint)
        drives.append(Drive(part.mountpoint, _kind(part.device, network), part.fstype or None, free, total))
    if "/" not in seen:
        # A root that was entered by chroot is no mount of its own.
        drives.insert(0, Drive("/", "fixed", None, *_usage("/")))
    return tuple(drives)


def _usage(mountpoint: str) -> tuple[int | None, int | None]:
    try:
        usage = shutil.disk_usage(mountpoint)
    except OSError:
        return None, None
    return usage.free, usage.total


def _kind(device: str, network: bool) -> Literal["fixed", "removable", "network"]:
    if network:
        return "network"
    name = device.rsplit("/", 1)[-1].rstrip("0123456789")
    try:
        with open(f"/sys/block/{name}/removable", encoding="ascii") as file:  # noqa: PTH123 - one line of sysfs
            return "removable" if file.read().strip() == "1" else "fixed"
    except OSError:
        return "fixed"
