"""A run that was interrupted: a crash, a power cut, a restart of the machine."""

from typing import TYPE_CHECKING

from app.session import Session

if TYPE_CHECKING:
    from app.running import RunRecord

__all__ = ["RunRecord", "interrupted_run"]


def interrupted_run(session: Session) -> "RunRecord | None":
    """The newest run that is neither kept nor put back; None where every run has ended, and in a replay.

    `unfinished` can go on or be put back; `failed` could not be put back whole the last time, and only that is left to try.
    """
    return next((run for run in session.runs() if run.state in {"unfinished", "failed"}), None)
