"""A folder of small files that is kept as a whole: there with all of them, or not at all."""

import shutil
from collections.abc import Mapping
from pathlib import Path


def stamp(file: Path) -> int | None:
    """When a file was last written, in nanoseconds; None where there is none."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


def read_kept(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name; empty where it is not there or cannot be read."""
    try:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    except OSError:
        return {}


def keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """Puts `files` in the place of all that is in `folder`. OSError where that fails; what was there then stays."""
    made, old = folder.with_name(f"{folder.name}.new"), folder.with_name(f"{folder.name}.old")
    for leftover in (made, old):
        shutil.rmtree(leftover, ignore_errors=True)
    made.mkdir(parents=True)
    for name, content in files.items():
        (made / name).write_bytes(content)
    if folder.exists():
        folder.replace(old)
    made.replace(folder)
    shutil.rmtree(old, ignore_errors=True)


def forget(folder: Path) -> bool:
    """Removes a folder with all that is in it; whether it was there. OSError where it cannot."""
    if not folder.exists():
        return False
    shutil.rmtree(folder)
    return True
