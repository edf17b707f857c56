"""Runs early in the packaged one-file program where Qt travels in a denser packing: unpacks it when Qt is first imported.

On Linux Qt's libraries would take 22 MB as PyInstaller packs them, in this form 14. A command in the terminal never unpacks them at all.
The files lie where PyInstaller would have put them, in the program's own temporary folder, which its starter removes at the end.
"""

import lzma
import sys
import tarfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType

PACKED = "late-*.tar.xz"
OF_QT = ("PySide6", "shiboken6")


class Unpacker(MetaPathFinder):
    """Finds nothing itself: the first question for Qt waits until Qt is there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name in OF_QT:
            with self._lock:
                unpack(self._folder)


def unpack(folder: Path) -> None:
    """Unpacks what is still packed; side by side, because decoding takes nearly all the time and holds no lock of the interpreter."""
    archives = sorted(folder.glob(PACKED))
    if not archives:
        return
    with ThreadPoolExecutor(len(archives)) as threads:
        list(threads.map(_unpack, archives))
    for archive in archives:
        archive.unlink()


def _unpack(archive: Path) -> None:
    with lzma.open(archive) as packed, tarfile.open(fileobj=packed, mode="r|") as files:
        files.extractall(archive.parent, filter="fully_trusted")


if sys.platform == "linux" and list(Path(sys._MEIPASS).glob(PACKED)):
    sys.meta_path.insert(0, Unpacker(Path(sys._MEIPASS)))
