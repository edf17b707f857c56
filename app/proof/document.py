"""The proof as a JSON document (proof/1), back from it, and as text to copy."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from app.model import codec
from app.model.problem import ExitCode, Problem
from app.model.proof import PROOF_SCHEMA, Benchmark, Check, Proof
from app.model.text import Text
from app.proof.present import check_title, line_text, proof_lines, verdict_texts
from app.texts import Language, words

MARKS = {"passed": "+", "failed": "!", "skipped": "-"}


def proof_document(proof: Proof, language: Language = "en") -> dict[str, Any]:
    """The document of the contract, with sentences in `language` beside the numbers."""
    document = cast(dict[str, Any], codec.dump(proof))
    document["verdict_text"] = [words(text, language) for text in verdict_texts(proof)]
    for check, entry in zip(proof.checks, document["checks"], strict=True):
        entry["title"] = words(check_title(check.code), language)
        entry["evidence"] = entry["detail"]
        entry["detail"] = words(line_text(check), language)
    for bench in document["benchmarks"]:
        # JSON has no infinity: a result that was never finite is as wrong as can be.
        bench["error"] = 1e308 if bench["error"] == float("inf") else bench["error"]
    return document


def load_proof(document: object, name: str) -> Proof:
    """A proof from its document; Problem (exit code 2) if it is none or of another schema."""
    if not isinstance(document, dict) or document.get("schema") != PROOF_SCHEMA:
        raise Problem(Text("proof.not-a-proof", {"file": name}), ExitCode.BAD_INPUT)
    plain = _only(document, Proof)
    checks = document.get("checks")
    if isinstance(checks, list):
        plain["checks"] = [_check(entry) for entry in checks]
    if isinstance(plain.get("benchmarks"), list):
        plain["benchmarks"] = [_only(entry, Benchmark) for entry in plain["benchmarks"]]
    return codec.load(plain, Proof, name)


def proof_text(proof: Proof, language: Language = "en") -> str:
    """The proof as lines of text, to copy into a message."""
    lines = [words(text, language) for text in verdict_texts(proof)]
    for row in proof_lines(proof):
        lines += ["", f"{MARKS[row.outcome]} {words(row.title, language)}: {words(row.text, language)}"]
        lines += [f"    {MARKS[detail.outcome]} {words(detail.title, language)}: {words(detail.text, language)}" for detail in row.details]
    if proof.device:
        lines += ["", "  ".join(f"{name}={value}" for name, value in sorted(proof.device.items()) if value is not None)]
    return "\n".join(lines) + "\n"


def _check(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    # The sentence was made from the evidence and is made again when shown.
    return _only({**entry, "detail": entry.get("evidence", entry.get("detail"))}, Check)


def _only(entry: Any, cls: type) -> Any:
    names = {field.name for field in fields(cls)}
    return {key: value for key, value in entry.items() if key in names} if isinstance(entry, Mapping) else entry
