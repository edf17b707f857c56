"""The code to read aloud for what is shown now, and the picture to photograph."""

from app.report.code import support_code as make_code
from app.session import Session


def support_code(session: Session, page: str) -> str:
    """Letters and digits in groups of four; it names the page, the verdict and the chief finding."""
    return make_code(page.replace("_", "-"), session.facts, session.plan, session.proof, session.diagnosis)


def picture(session: Session) -> tuple[tuple[bool, ...], ...]:
    """The QR picture with the compact report: codes and versions, no names. Empty while nothing is known of the machine."""
    if session.facts is None:
        return ()
    from app.report.compact import qr_matrix

    return qr_matrix(session.report())
