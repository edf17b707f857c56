"""Puts the files of a layout on a real disk, so that the real readings and the probes meet them."""

import ntpath
from pathlib import Path

from tests.machines.layout import Layout
from tests.machines.small_program import small_elf, small_pe


def put_on_disk(layout: Layout, source: str, target: Path) -> None:
    """The tree below `source` of the layout, below `target`. Paths written inside files are moved along."""
    windows = layout.family == "windows"

    def moved(path: str) -> Path:
        inner = path[len(source) :].strip("\\/")
        return target.joinpath(*inner.replace("\\", "/").split("/")) if inner else target

    def below(path: str) -> bool:
        return path.lower().startswith(source.lower())

    for folder, names in layout.tree.items():
        if below(folder):
            moved(folder).mkdir(parents=True, exist_ok=True)
            for name in names:
                if not name.endswith("/"):
                    moved(ntpath.join(folder, name) if windows else f"{folder}/{name}").write_bytes(b"")
    for path, content in layout.files.items():
        if below(path):
            moved(path).write_bytes(content.text.replace(source, str(target)).encode(content.encoding))
    for path, program in layout.programs.items():
        if below(path) and program.alias_of is None:
            moved(path).write_bytes(small_pe(program.arch or "x86_64", program.version) if windows else small_elf())
