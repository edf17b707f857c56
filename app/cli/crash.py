"""A bug of ours: its traceback goes to a file on this machine, never anywhere else."""

import traceback
from collections.abc import Mapping
from datetime import UTC, datetime

from app.host.places import places
from app.model.text import Text


def save_crash(error: BaseException, environment: Mapping[str, str]) -> Text:
    """Writes the traceback and says where; if even that fails, says the error itself."""
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}.log"
    target = places(environment.get("TRITON_SETUP_HOME")).logs / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return Text("cli.crashed-unsaved", {"error": f"{type(error).__name__}: {error}"})
    return Text("cli.crashed", {"error": f"{type(error).__name__}: {error}"[:200], "file": str(target)})
