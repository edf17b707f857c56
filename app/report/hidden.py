"""What was taken out of a report, by kind, in words."""

from collections.abc import Mapping

from app.report.redact.tokens import KINDS
from app.texts import Language, say


def say_hidden(redactions: Mapping[str, int], language: Language) -> str:
    """How many different things were hidden, kind by kind; says so too where there was nothing to hide."""
    kinds = [say(f"report.hidden.{kind.lower()}", language, count=redactions[kind]) for kind in KINDS if redactions.get(kind)]
    return say("report.hidden.all", language, kinds=say("report.hidden.and", language).join(kinds)) if kinds else say("report.hidden.nothing", language)
