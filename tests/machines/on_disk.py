"""Puts the files of a layout on a real disk, so that the real readings and the probes meet them."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.machines.layout import Layout
from tests.machines.small_program import small_pe


def move_paths(text: str, drives: Mapping[str, Path], escaped: bool = False) -> str:
    """The text with every path on one of the drives (`D:`) below its new folder; `escaped` as JSON writes paths."""

    def moved(found: re.Match[str]) -> str:
        folder = str(drives[found[1]])
        return folder.replace("\\", "\\\\") if escaped else folder

    return re.sub(rf"(?<!\w)({'|'.join(drives)})(?=\\)", moved, text)


def put_on_disk(layout: Layout, drives: Mapping[str, Path]) -> None:
    """The trees of these drives of a Windows layout, each below its new folder. Paths written inside files are moved along."""

    def moved(path: str) -> Path | None:
        drive, _, inner = path.partition("\\")
        return drives[drive].joinpath(*filter(None, inner.split("\\"))) if drive in drives else None

    for folder, names in layout.tree.items():
        if (target := moved(folder)) is not None:
            target.mkdir(parents=True, exist_ok=True)
            for name in names:
                if not name.endswith("/"):
                    (target / name).write_bytes(b"")
    for path, content in layout.files.items():
        if (target := moved(path)) is not None:
            target.write_bytes(move_paths(content.text, drives, escaped=path.endswith(".json")).encode(content.encoding))
    for path, program in layout.programs.items():
        if (target := moved(path)) is not None and program.alias_of is None:
            target.write_bytes(small_pe(program.arch or "x86_64", program.version))
