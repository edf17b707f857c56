"""Where the files of `assets/` lie: beside the source, or inside the packaged program."""

import sys
from functools import cache
from pathlib import Path


@cache
def assets() -> Path:
    """The folder `assets`, in the source tree or in the unpacked exe."""
    base = getattr(sys, "_MEIPASS", None)
    return (Path(base) if base else Path(__file__).resolve().parent.parent) / "assets"
