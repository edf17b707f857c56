"""What this very program was started with: its environment and how it is called."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def own_environment() -> Mapping[str, str]:
    """A copy of the environment this program was started with."""
    return dict(os.environ)


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window can be opened: Windows always; elsewhere with a display, or a Qt platform named on purpose."""
    return sys.platform == "win32" or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def program_command(environment: Mapping[str, str]) -> str:
    """How a person starts this program again, for hints: the exe's name, or what the starter said of itself."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).name
    return environment.get("TRITON_SETUP_COMMAND") or "triton-setup"


def speaks_chinese() -> bool:
    """Whether this system's own language is Chinese."""
    if sys.platform == "win32":
        import ctypes

        return int(ctypes.windll.kernel32.GetUserDefaultUILanguage()) & 0x3FF == 0x04
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return locale.lower().startswith("zh")


def release_address(environment: Mapping[str, str]) -> str | None:
    """Where releases are announced: the administrator's own place, else the one this build was given; None: nobody is asked."""
    if named := environment.get("TRITON_SETUP_RELEASES"):
        return named
    bundle = getattr(sys, "_MEIPASS", None)
    file = Path(bundle or "") / "release.url"
    return file.read_text(encoding="ascii").strip() if bundle and file.is_file() else None
