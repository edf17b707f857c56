"""Names the cause in a log or an error text, with the lines that prove it and what cures it."""

from app.diagnosis.logs.decoding import text_lines
from app.diagnosis.logs.document import advice, diagnosis_document
from app.diagnosis.logs.engine import diagnose, of_own_run

__all__ = ["advice", "diagnose", "diagnosis_document", "of_own_run", "text_lines"]
