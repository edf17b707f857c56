"""Keeps the folder of logs from growing without end."""

from pathlib import Path
from typing import Final

MOST_FILES: Final = 100
MOST_BYTES: Final = 200_000_000


def trim_logs(folder: Path, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
    """Deletes the oldest logs beyond either limit. The newest always stays; one that is in use or already gone is passed over."""
    logs = []
    for path in folder.glob("*.log"):
        try:
            status = path.stat()
        except OSError:
            continue
        logs.append((status.st_mtime, status.st_size, path))
    kept_bytes = 0
    for number, (_, size, path) in enumerate(sorted(logs, reverse=True)):
        kept_bytes += size
        if number and (number >= most_files or kept_bytes > most_bytes):
            try:
                path.unlink()
            except OSError:
                continue
