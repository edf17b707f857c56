"""Where the apps on this machine keep the log of their last start."""

from pathlib import Path
from typing import Final

from app.model.facts import MachineFacts
from app.model.unknown import known

PLACES: Final = ("user/comfyui*.log", "comfyui*.log", "ComfyUI/user/comfyui*.log", "tmp/log.txt", "log.txt", "logs/*.log")
"""Below the folder of an app. ComfyUI writes user/comfyui.log since 2024, with the port in the name where it is not the usual one."""


def app_logs(facts: MachineFacts, executable: str | None = None) -> tuple[Path, ...]:
    """The logs that are there, newest first; with `executable` those of the app that this Python belongs to."""
    roots = {known(python.app_root, None) for python in known(facts.pythons, ()) if executable in (None, python.executable)}
    found = {path for root in roots if root for place in PLACES for path in Path(root).glob(place) if path.is_file()}
    return tuple(sorted(found, key=lambda path: path.stat().st_mtime, reverse=True))
