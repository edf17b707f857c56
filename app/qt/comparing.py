"""What differs between two reports, as lines to read."""

from pathlib import Path

from app.qt.speaking import spoken
from app.session import Session
from app.texts import Language


def compare_with(session: Session, path: str, language: Language) -> list[str]:
    """The differences between the report at `path` and the shown machine, those that matter first. Problem if it is no report."""
    from app.report import load_machine
    from app.report.compare import compare

    differences = compare(load_machine(Path(path)).report, session.report())
    ordered = sorted(differences, key=lambda difference: not difference.matters)
    return [f"{'* ' if difference.matters else '  '}{spoken(difference.text, language)}" for difference in ordered]
