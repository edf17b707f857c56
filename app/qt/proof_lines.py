"""A proof as lines and bars in words. The proof itself says which; here they meet the parts that draw them."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from app.model.events import ProofArrived
from app.model.proof import Chart, Check, LineDetail, Proof, ProofVerdict
from app.proof import check_title, line_text, proof_charts, proof_lines, verdict_texts
from app.qt.parts.bar_chart import Bar, BarGroup
from app.qt.speaking import spoken
from app.texts import Language, say

Outcome = Literal["passed", "failed", "skipped", "running"]

LOOKS: Final[dict[Outcome, tuple[str, str]]] = {
    "passed": ("check-circle", "good"),
    "failed": ("octagon-x", "bad"),
    "skipped": ("minus-circle", "text_2"),
    "running": ("looking", "accent"),
}
VERDICT_LOOKS: Final = {
    ProofVerdict.FAST: ("check-circle", "good"),
    ProofVerdict.WORKS: ("check-circle", "good"),
    ProofVerdict.SLOW: ("warning", "warn"),
    ProofVerdict.WRONG: ("octagon-x", "bad"),
    ProofVerdict.FAILS: ("octagon-x", "bad"),
}
REFERENCE: Final = "torch"


@dataclass(frozen=True, slots=True)
class Line:
    """One row: `details` unfold below it, as names and values. `checks` are the codes that measure it again."""

    title: str
    sentence: str
    outcome: Outcome
    details: tuple[tuple[str, str], ...] = ()
    code: str = ""
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChartWords:
    """A chart ready to be drawn. `limit` is the name of the line, None where there is none."""

    title: str
    series: tuple[str, ...]
    limit: str | None
    groups: tuple[BarGroup, ...]


def lines_of(proof: Proof, language: Language) -> tuple[Line, ...]:
    """The rows of a proof, as it was judged."""
    return tuple(
        Line(
            spoken(line.title, language),
            spoken(line.text, language),
            line.outcome,
            tuple(pair for detail in line.details for pair in _detail(detail, language)),
            line.code,
            line.checks,
        )
        for line in proof_lines(proof)
    )


def lines_so_far(events: tuple[ProofArrived, ...], language: Language) -> tuple[Line, ...]:
    """One line for each check that has begun or ended, in the order of its beginning."""
    newest: dict[str, ProofArrived] = {}
    for event in events:
        newest[event.code] = event
    return tuple(Line(spoken(check_title(event.code), language), _said(event, language), event.outcome, code=event.code) for event in newest.values())


def _said(event: ProofArrived, language: Language) -> str:
    """Why a check was left out or failed; the numbers of those that passed come with the whole proof."""
    if event.outcome == "skipped":
        return spoken(line_text(Check(event.code, "skipped", event.detail, {"reason": event.detail})), language)
    return spoken(line_text(Check(event.code, "failed", event.detail)), language) if event.outcome == "failed" else ""


def running_again(lines: tuple[Line, ...], code: str, events: tuple[ProofArrived, ...], language: Language) -> tuple[Line, ...]:
    """The rows with the one of `code`, if any, as running: its sentence names the check that began last."""
    newest = spoken(check_title(events[-1].code), language) if events else ""
    return tuple(replace(line, sentence=newest, outcome="running", details=()) if line.code == code else line for line in lines)


def verdict_words(proof: Proof, language: Language) -> tuple[str, tuple[str, ...]]:
    """The verdict as a title, then what it means and what to do next."""
    first, *rest = (spoken(text, language) for text in verdict_texts(proof))
    return first, tuple(rest)


def charts_of(proof: Proof, language: Language) -> tuple[ChartWords, ...]:
    """The charts of a proof; empty where nothing was measured."""
    return tuple(_chart(chart, language) for chart in proof_charts(proof))


def _chart(chart: Chart, language: Language) -> ChartWords:
    ours = next((bar.series for group in chart.groups for bar in group.bars if bar.series != REFERENCE), "triton")
    groups = tuple(
        BarGroup(spoken(group.label, language), tuple(Bar(int(bar.series == REFERENCE), bar.share, spoken(bar.text, language)) for bar in group.bars))
        for group in chart.groups
    )
    series = tuple(say(f"page.proof.series-{name}", language) for name in (ours, REFERENCE))
    return ChartWords(spoken(chart.title, language), series, say("page.proof.limit", language) if chart.limit is not None else None, groups)


def _detail(detail: LineDetail, language: Language) -> tuple[tuple[str, str], ...]:
    numbers = tuple((f"  {name}", f"{value:.4g}" if isinstance(value, float) else str(value)) for name, value in detail.numbers.items() if value is not None)
    said = (("  evidence", detail.evidence),) if detail.outcome == "failed" and detail.evidence else ()
    return ((spoken(detail.title, language), spoken(detail.text, language)), *numbers, *said)
