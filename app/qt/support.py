"""The code to read aloud for what is shown now."""

from collections.abc import Callable

from app.session import Session


def support_code(session: Session, page: str) -> str:
    """Letters and digits in groups of four; it names the page, the verdict and the chief finding."""
    make: Callable[[str], str] | None = getattr(session, "support_code", None)
    return make(page) if make is not None else ""
