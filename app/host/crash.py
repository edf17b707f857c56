"""A bug of ours: its traceback goes to a file on this machine, never anywhere else."""

import platform
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime

from app import __version__
from app.host.log_room import trim_logs
from app.host.places import places
from app.model.text import Text


def save_crash(error: BaseException, environment: Mapping[str, str]) -> Text:
    """Writes the traceback and says where; if even that fails, says the error itself."""
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}.log"
    target = places(environment.get("TRITON_SETUP_HOME")).logs / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(crash_text(error), encoding="utf-8")
        trim_logs(target.parent)
    except OSError:
        return Text("cli.crashed-unsaved", {"error": f"{type(error).__name__}: {error}"})
    return Text("cli.crashed", {"error": f"{type(error).__name__}: {error}"[:200], "file": str(target)})


def crash_text(error: BaseException) -> str:
    """What was going on: program, system and traceback."""
    head = f"triton-setup {__version__}, Python {platform.python_version()}, {platform.platform()}, packaged: {getattr(sys, 'frozen', False)}"
    return head + "\n\n" + "".join(traceback.format_exception(error))
