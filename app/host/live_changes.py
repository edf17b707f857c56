"""Real changes to the machine this program runs on."""

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from app import __version__
from app.host import file_changes, programs, secrets_store
from app.host.answers import Holder
from app.host.child_environment import child_environment
from app.host.downloads import Downloader
from app.host.holders import find_holders
from app.host.own import own_environment
from app.host.protocol import Encoding, OutputLine
from app.host.proxies import proxy_variables
from app.model.cancel import Cancel


class LiveChanges:
    """Acts. Failures raise Problem, a set token raises Cancelled."""

    def __init__(self) -> None:
        self._downloader = Downloader(f"triton-setup/{__version__}")

    def execute(
        self,
        argv: Sequence[str],
        on_line: Callable[[OutputLine], None],
        cancel: Cancel,
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        encoding: Encoding = "utf-8",
    ) -> int:
        """`environment` is added to the cleaned environment of this program; see child_environment."""
        full = child_environment(own_environment(), getattr(sys, "_MEIPASS", None), {**proxy_variables(), **(environment or {})})
        return programs.execute(argv, on_line, cancel, cwd=cwd, environment=full, timeout_s=timeout_s, encoding=encoding)

    def download(
        self,
        url: str,
        target: str,
        *,
        sha256: str | None,
        size_bytes: int | None,
        on_progress: Callable[[int, int | None], None],
        cancel: Cancel,
    ) -> None:
        self._downloader.download(url, target, sha256=sha256, size_bytes=size_bytes, on_progress=on_progress, cancel=cancel)

    def expect_downloads(self) -> None:
        """Loads what downloads need in the background, as it takes a moment."""
        threading.Thread(target=self._downloader.prepare, name="prepare", daemon=True).start()

    def silence(self, url: str, timeout_s: float) -> str | None:
        """Why nothing useful answers at `url`; None if something does."""
        return self._downloader.silence(url, timeout_s)

    def text(self, url: str, timeout_s: float = 15.0) -> str | None:
        """A small document behind an address; None if it cannot be had."""
        return self._downloader.text(url, timeout_s)

    def trust(self, certificates: str) -> None:
        """Counts the authorities in a PEM file as trusted too."""
        self._downloader.trust(certificates)

    def disconnect(self) -> None:
        """Ends idle connections to servers; later calls make new ones."""
        self._downloader.close()

    def write_file(self, path: str, content: bytes) -> None:
        file_changes.write_file(path, content)

    def remove(self, path: str) -> None:
        file_changes.remove(path)

    def rename(self, source: str, target: str) -> None:
        file_changes.rename(source, target)

    def flush_files(self, root: str, files: Iterable[str]) -> None:
        """Brings `files`, which lie below `root`, to the disk."""
        file_changes.flush_files(root, files)

    def find_holders(self, folder: str, files: Iterable[str] = ()) -> tuple[Holder, ...]:
        """Programs that run from `folder` or hold one of `files`."""
        return find_holders(folder, files)

    def read_secret(self, name: str) -> str | None:
        return secrets_store.read_secret(name)

    def keep_secret(self, name: str, value: str | None) -> None:
        secrets_store.keep_secret(name, value)
