"""The one writer that everything in a report passes: the same private thing always becomes the same token, in every encoding."""

from app.report.redact.identity import Identity, collect_identity, identify
from app.report.redact.redactor import Redactor

__all__ = ["Identity", "Redactor", "collect_identity", "identify"]
