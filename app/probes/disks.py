"""Volumes and their room."""

from typing import Final

from app.model.facts import Disk
from app.model.unknown import UNKNOWN
from app.probes.look import Look
from app.probes.scanning import Probe


def look_at_disks(look: Look) -> None:
    disks = []
    for drive in look.drives():
        if drive.free_bytes is None:
            # A card reader without a card, or a network drive that does not answer: nobody can install there.
            look.gap("disks", "no-answer", drive.root)
            continue
        disks.append(
            Disk(
                root=drive.root,
                free_bytes=drive.free_bytes,
                total_bytes=UNKNOWN if drive.total_bytes is None else drive.total_bytes,
                file_system=drive.file_system,
                kind=drive.kind,
            )
        )
    if disks:
        look.put("disks", tuple(disks))


DISKS: Final = Probe("disks", ("disks",), look_at_disks)
