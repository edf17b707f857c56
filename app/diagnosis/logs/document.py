"""A diagnosis in words: the document diagnosis/1 of the command line."""

from typing import Any

from app.diagnosis.logs.ranking import SURE
from app.model.findings import Diagnosis, LogFinding
from app.model.text import Text
from app.texts import Language, words


def diagnosis_document(diagnosis: Diagnosis, language: Language) -> dict[str, Any]:
    """The document as plain values. `advice` says what to send and whom to ask where no cause is sure."""
    return {
        "schema": diagnosis.schema,
        "findings": [_finding(finding, language) for finding in diagnosis.findings],
        "context": {name: list(value) if isinstance(value, tuple) else value for name, value in diagnosis.context.items()},
        "healthy": diagnosis.healthy,
        "kind": diagnosis.kind,
        "advice": [words(text, language) for text in advice(diagnosis)],
    }


def advice(diagnosis: Diagnosis) -> tuple[Text, ...]:
    """What to do beside the remedies: nothing for a sure cause, else what to send and where to ask."""
    if diagnosis.kind != "log":
        return Text(f"cause.advice.{diagnosis.kind}"), Text("cause.advice.paste")
    if diagnosis.healthy:
        return (Text("cause.advice.healthy"),)
    first = diagnosis.findings[0] if diagnosis.findings else None
    if first is not None and first.confidence > SURE:
        return (Text("cause.advice.lines-above"),) if first.code == "wrapped-error" else ()
    return tuple(Text(f"cause.advice.{code}") for code in ("unknown", "send-whole-log", "send-report", "ask-triton", "ask-comfyui"))


def _finding(finding: LogFinding, language: Language) -> dict[str, Any]:
    return {
        "code": finding.code,
        "confidence": finding.confidence,
        "title": words(finding.title, language),
        "explanation": words(finding.explanation, language),
        "lines": [list(line) for line in finding.lines],
        "remedy": {
            "code": finding.remedy.code,
            "steps": [words(step, language) for step in finding.remedy.steps],
            "automatic": finding.remedy.automatic,
        },
        "verify": words(finding.verify, language),
        "sources": list(finding.sources),
    }
