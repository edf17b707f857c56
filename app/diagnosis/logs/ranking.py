"""Matches to causes, most likely first.

A compiler's or linker's line stands over the innermost exception, that over a wrapper, that over a warning; the scores of the
table say so. A cause hides what is only its consequence. Of equals the earlier in the text counts more. What is known of the machine
weighs in last (`machine.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.diagnosis.logs.machine import weigh
from app.diagnosis.logs.matching import Match, Matches
from app.diagnosis.logs.signatures import Signature

SURE: Final = 0.5
HIDDEN_SHARE: Final = 0.45
_HIDES_FROM: Final = 0.55
_LOWEST: Final = 0.1
_HIGHEST: Final = 0.98
_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class RankedCause:
    """A cause with the matches that speak for it, best first. `by_text`: its confidence before the machine weighed in."""

    code: str
    confidence: float
    matches: tuple[Match, ...]
    by_text: float


def rank(matches: Matches, certainty: float = 1.0) -> tuple[RankedCause, ...]:
    """Causes by confidence. `certainty` lowers all of them where the text itself is in doubt."""
    coded = [match for match in matches.found.values() if match.signature.code]
    causes = [match for match in coded if match.signature.role == "cause"]
    if any(match.signature.score > SURE for match in causes):
        coded = [match for match in coded if match.signature.role != "warning"]
    hidden = _hidden(coded)
    scores = _scores(coded, hidden)
    if any(match.signature.score > SURE and match.signature.code not in hidden for match in causes):
        # A named cause answers what a wrapper leaves open; a hidden one was named by something that does.
        scores["wrapped-error"] = min(scores.get("wrapped-error", 0.0), _LOWEST)
    weighed, proofs = weigh(scores, matches)

    def confidence(score: float) -> float:
        return round(min(score, _HIGHEST) * certainty, 2)

    ranked = [
        RankedCause(code, confidence(score), _speaking_for(code, coded) or _speaking_for(proofs.get(code, code), coded), confidence(scores.get(code, 0.0)))
        for code, score in weighed.items()
        if score > _LOWEST
    ]
    return tuple(sorted(ranked, key=lambda cause: -cause.confidence)[:_MOST])


def _hidden(coded: list[Match]) -> frozenset[str]:
    hiding = [match.signature for match in coded if match.signature.score >= _HIDES_FROM and match.signature.hides]
    return frozenset(code for row in hiding for code in row.hides if code != row.code and not _is_hidden_back(row, code, hiding))


def _is_hidden_back(row: Signature, code: str, hiding: list[Signature]) -> bool:
    """Two causes that call each other a consequence: the surer one is right."""
    return any(other.code == code and row.code in other.hides and other.score > row.score for other in hiding)


def _scores(coded: list[Match], hidden: frozenset[str]) -> dict[str, float]:
    order = {id(match): place for place, match in enumerate(sorted(coded, key=lambda match: match.offset))}
    scores: dict[str, float] = {}
    for match in coded:
        signature = match.signature
        assert signature.code is not None
        earlier = 0.015 / (1 + order[id(match)])
        _raise(scores, {signature.code: signature.score + earlier if signature.score > SURE else min(signature.score + earlier, SURE)})
    for match in coded:
        own = match.signature.score
        _raise(scores, {code: min(score, own - 0.02) for code, score in match.signature.also.items()})
    return {code: score * HIDDEN_SHARE if code in hidden else score for code, score in scores.items()}


def _raise(scores: dict[str, float], others: Mapping[str, float]) -> None:
    for code, score in others.items():
        scores[code] = max(scores.get(code, 0.0), score)


def _speaking_for(code: str, coded: list[Match]) -> tuple[Match, ...]:
    own = sorted((match for match in coded if match.signature.code == code), key=lambda match: -match.signature.score)
    return tuple(own) or tuple(match for match in coded if code in match.signature.also)
