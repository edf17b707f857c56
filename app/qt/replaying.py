"""What the probes asked and were answered, for the pages: of this machine, or of the one whose report is open."""

import json
import threading
from typing import Final

from app.model.cancel import Cancel
from app.model.problem import Cancelled, Problem
from app.model.scan import ScanResult
from app.session import Session

MAX_BYTES: Final = 4 << 20
REPLAY_S: Final = 2.0
"""A recording comes from outside: one that is larger, or takes longer to play back, is not shown."""


def readings_of(session: Session) -> ScanResult | None:
    """None where nothing was recorded, or what was recorded cannot be used. A report's recording is played back once."""
    content, session.replayed_recording = session.replayed_recording, None
    if content is not None and len(content) <= MAX_BYTES:
        session.scan_result = _played_back(content)
    return session.scan_result


def _played_back(content: bytes) -> ScanResult | None:
    from app.host.recording import RecordedHost, load_recording
    from app.probes import scan

    cancel = Cancel()
    too_long = threading.Timer(REPLAY_S, cancel.set)
    too_long.daemon = True
    too_long.start()
    try:
        return scan(RecordedHost(load_recording(json.loads(content), "recording.json")), lambda _: None, cancel)
    except (Problem, Cancelled, ValueError, RecursionError):
        return None
    finally:
        too_long.cancel()
