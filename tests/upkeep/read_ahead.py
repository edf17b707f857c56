"""Writes `assets/tables/read_ahead.json`: the tables as a plan reads them, without the time that TOML takes. `python3 dev.py docs`."""

import json
import tomllib
from pathlib import Path

from app.resources import assets
from app.tables.check import FILES
from app.tables.load import READ_AHEAD, checksum_of

NAMES = (*FILES, "wsl_errors")


def read_ahead(folder: Path) -> str:
    """One line a file: its checksum and what it holds."""
    contents = {name: (folder / f"{name}.toml").read_bytes() for name in sorted(NAMES)}
    read = {name: [checksum_of(content), tomllib.loads(content.decode("utf-8"))] for name, content in contents.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False, separators=(',', ':'))}" for name, entry in read.items())
    return f"{{\n{lines}\n}}\n"


def write_read_ahead() -> Path:
    folder = assets() / "tables"
    file = folder / READ_AHEAD
    file.write_text(read_ahead(folder), encoding="utf-8", newline="\n")
    return file


if __name__ == "__main__":
    print(write_read_ahead())
