"""What the window asks about the system it runs on."""

import sys
from typing import Final, Literal

TEXT_SIZE_KEY: Final = r"HKCU\Software\Microsoft\Accessibility"


def own_family() -> Literal["windows", "linux"]:
    """The family of this system, before any probe has run."""
    return "windows" if sys.platform == "win32" else "linux"


def text_scale() -> float:
    """The text size that the person set in Windows, 1.0 to 2.25. Qt follows the scale of the screen, but not this one."""
    if sys.platform == "win32":
        from app.host.live_readings import LiveReadings

        key = LiveReadings().registry(TEXT_SIZE_KEY)
        percent = key.values.get("TextScaleFactor") if key is not None else None
        return percent / 100 if isinstance(percent, int) else 1.0
    return 1.0
