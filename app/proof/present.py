"""What the proof page, the terminal and the report show: sentences for verdict and lines."""

from typing import Final

from app.model.proof import Check, Proof, ProofVerdict
from app.model.text import Param, Text
from app.texts import has

TITLES: Final = "proof.check.{}.title"


def check_title(code: str) -> Text:
    """The name of a check; its code where the catalogue has none (a proof of a newer version)."""
    known = Text(TITLES.format(code))
    return known if has(known.code) else Text("proof.check.unknown", {"code": code})


def line_text(check: Check) -> Text:
    """One sentence for a check: what was found, how it failed, or why it was left out."""
    if check.outcome == "skipped":
        code = f"proof.skipped.{check.numbers.get('reason')}"
        return Text(code, _params(check)) if has(code) else Text("proof.skipped.other", {"detail": check.detail})
    if check.outcome == "failed":
        kind = "wrong" if check.numbers.get("wrong") is True else check.numbers.get("ended", "error")
        return Text(f"proof.failed.{kind if kind in ('wrong', 'crash', 'time-limit', 'cannot-start') else 'error'}", {"detail": check.detail})
    code = f"proof.check.{check.code}.passed"
    return Text(code if has(code) else "proof.passed", {**_params(check), "detail": check.detail})


def verdict_texts(proof: Proof) -> tuple[Text, ...]:
    """The verdict as a title and what it means, most important first."""
    interpreted = proof.backend == "interpreter"
    works = interpreted and proof.verdict is ProofVerdict.WORKS
    texts = [Text("proof.verdict.works-without-card" if works else f"proof.verdict.{proof.verdict.value}")]
    if interpreted:
        texts.append(Text("proof.interpreter"))
    return tuple(texts)


def _params(check: Check) -> dict[str, Param]:
    return {name: value for name, value in check.numbers.items() if isinstance(value, (str, int, float))}
