"""Runs early in the packaged one-file program where some libraries travel in a denser packing: unpacks them when they are first imported.

On Linux, so that the one file stays below 45 MB. What a command does not import is never unpacked at all. The files lie where PyInstaller
would have put them, in the program's own temporary folder, which its starter removes at the end.
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

PACKED = {"PySide6": "qt", "shiboken6": "qt", "cryptography": "cryptography", "zxingcpp": "zxingcpp"}
"""Which archives (`late-NAME-NUMBER.tar.xz`) an import waits for."""


class Unpacker(MetaPathFinder):
    """Finds nothing itself: the first question for a package waits until its libraries are there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if archive := PACKED.get(name):
            with self._lock:
                unpack(sorted(self._folder.glob(f"late-{archive}-*.tar.xz")))


def unpack(archives: list[Path]) -> None:
    """Side by side, because decoding takes nearly all the time and holds no lock of the interpreter."""
    if not archives:
        return
    with ThreadPoolExecutor(len(archives)) as threads:
        list(threads.map(_unpack, archives))
    for archive in archives:
        archive.unlink()


def _unpack(archive: Path) -> None:
    with lzma.open(archive) as packed, tarfile.open(fileobj=packed, mode="r|") as files:
        # As an attribute, since Python 3.11.0 to 3.11.3 do not know the argument.
        files.extraction_filter = getattr(tarfile, "fully_trusted_filter", lambda member, path: member)
        files.extractall(archive.parent)


if sys.platform == "linux" and list(Path(sys._MEIPASS).glob("late-*.tar.xz")):
    sys.meta_path.insert(0, Unpacker(Path(sys._MEIPASS)))
