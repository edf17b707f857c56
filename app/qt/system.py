"""What the window asks about the system it runs on."""

import sys
from typing import Literal


def own_family() -> Literal["windows", "linux"]:
    """The family of this system, before any probe has run."""
    return "windows" if sys.platform == "win32" else "linux"
