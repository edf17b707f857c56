"""The code to read aloud for what is shown now, and the picture to photograph.

The modules behind them are loaded after the first page is painted, so that it comes at once.
"""

import sys

from app.session import Session

_CODE = "app.report.code"


def is_loaded() -> bool:
    """Whether codes can be made without loading anything."""
    return _CODE in sys.modules


def load() -> None:
    """Loads what codes are made with; called in a thread."""
    import app.report.code  # noqa: F401 - loading it is the purpose


def support_code(session: Session, page: str) -> str:
    """Letters and digits in groups of four; it names the page, the verdict and the chief finding. Empty until loaded."""
    if not is_loaded():
        return ""
    from app.report.code import support_code as make_code

    return make_code(page.replace("_", "-"), session.facts, session.plan, session.proof, session.diagnosis)


def picture(session: Session) -> tuple[tuple[bool, ...], ...]:
    """The QR picture with the compact report: codes and versions, no names. Empty while nothing is known of the machine."""
    if session.facts is None:
        return ()
    from app.report.compact import qr_matrix

    return qr_matrix(session.report())
