"""The whole way from bytes to a diagnosis."""

from dataclasses import replace
from typing import BinaryIO, Final

from app.diagnosis.logs.causes import finding
from app.diagnosis.logs.context import read_context, signs
from app.diagnosis.logs.doubt import benign_lines, certainty, is_talk
from app.diagnosis.logs.languages import in_english
from app.diagnosis.logs.matching import Matches, Text, find_matches
from app.diagnosis.logs.ranking import SURE, RankedCause, rank
from app.diagnosis.logs.reading import NumberedLine, read_excerpt
from app.diagnosis.logs.repair import read_again, vocabulary
from app.diagnosis.logs.signatures import GATES, by_id, pattern
from app.diagnosis.logs.wording import bare_lines, plain_lines, rejoined
from app.model.facts import MachineFacts
from app.model.findings import Diagnosis
from app.model.text import Param

_READ_AGAIN_CERTAINTY: Final = 0.9
_REWORKED_LINES: Final = 4000
"""Longer texts come from a file, not from a picture or a narrow window."""

_TROUBLE_SHOWN: Final = 5

_FEW_LINES: Final = 10
"""A text of so few lines was pasted for what they say; in a longer log nobody minds a common warning."""

_SUSPECTED: Final = 0.42
"""A text that leads to a cause as likely as this is not healthy, though no line of it speaks of trouble."""


def diagnose(stream: BinaryIO, facts: MachineFacts | None = None) -> Diagnosis:
    """Names the causes of the trouble in a text of any encoding and length, read to its end.

    `facts` are of the machine the text comes from. Memory stays under some tens of MB; time grows with the length only.
    """
    excerpt = read_excerpt(stream, GATES)
    if not excerpt.is_text:
        return Diagnosis((), healthy=False, kind="binary")
    if not any(char.isalnum() for line in excerpt.lines for char in line.text):
        # No trouble stands in it; that nothing does is said by its kind.
        return Diagnosis((), healthy=True, kind="empty")
    plain = plain_lines(excerpt.lines)
    bare = bare_lines(plain)
    lines = in_english(bare)
    texts = [Text(lines)]
    excused = benign_lines(texts[0])
    trouble = trouble_lines([line for line in lines if line.number not in excused])
    short = len(lines) <= _REWORKED_LINES
    if short and (joined := rejoined(plain)):
        texts.append(Text(in_english(bare_lines(joined))))
    context = read_context(texts[-1])
    matches = _matches(texts, context, facts, bool(trouble))
    trust = certainty(texts[0], matches)
    causes = rank(matches, trust)
    named = any(cause.confidence > SURE and cause.code != "wrapped-error" for cause in causes)
    if short and trust == 1 and not named:
        again = read_again(lines, vocabulary())
        if trouble or again != lines:
            second = _matches([Text(again, is_loose=True)], context, facts, bool(trouble) or bool(trouble_lines(again)))
            surer = rank(second, _READ_AGAIN_CERTAINTY)
            if surer and (not causes or surer[0].confidence > causes[0].confidence):
                causes, matches = surer, second
    if not any(cause.confidence > SURE for cause in causes) and is_talk(texts[0]):
        return Diagnosis((), healthy=False, context=context, kind="talk")
    as_written = dict(zip(lines, bare, strict=True))
    return _diagnosis(causes, matches, [as_written[line] for line in trouble], context)


def of_own_run(diagnosis: Diagnosis) -> Diagnosis:
    """What the log of a run of this program says: it ran here, so it is of no other system, and beside a sure cause no weak one is worth a word."""
    findings = tuple(found for found in diagnosis.findings if found.code != "not-windows")
    if findings and findings[0].confidence > SURE:
        findings = tuple(found for found in findings if found.confidence > SURE)
    return replace(diagnosis, findings=findings)


def trouble_lines(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The first lines that speak of trouble and are none of those that only look like it."""
    rows = by_id()
    trouble, benign = rows["trouble"], rows["benign-line"]
    assert trouble.match is not None
    assert benign.match is not None
    is_trouble, is_benign = pattern(trouble.match), pattern(benign.match)
    found = []
    for line in lines:
        lowered = line.text.lower()
        if any(key in lowered for key in trouble.keys) and is_trouble.search(line.text) and not is_benign.search(line.text):
            found.append(line)
            if len(found) == _TROUBLE_SHOWN:
                break
    return found


def _matches(texts: list[Text], context: dict[str, Param | tuple[str, ...]], facts: MachineFacts | None, trouble: bool) -> Matches:
    few = texts[0].count_lines() <= _FEW_LINES
    return find_matches(texts, signs(texts[-1], context, facts) | {"trouble": trouble, "few-lines": few})


def _diagnosis(causes: tuple[RankedCause, ...], matches: Matches, trouble: list[NumberedLine], context: dict[str, Param | tuple[str, ...]]) -> Diagnosis:
    coded = [match.signature for match in matches.found.values() if match.signature.role in {"cause", "wrapper"} and match.signature.code != "harmless-warning"]
    suspected = any(signature.code and signature.score >= _SUSPECTED for signature in coded) and any(
        max(cause.confidence, cause.by_text) >= _SUSPECTED for cause in causes
    )
    healthy = not trouble and not suspected
    if healthy:
        causes = tuple(cause for cause in causes if cause.code == "harmless-warning")
    if trouble:
        context["trouble"] = tuple(f"{line.number}: {line.text.strip()[:200]}" for line in trouble)
    return Diagnosis(tuple(finding(cause, matches) for cause in causes), healthy, context)
