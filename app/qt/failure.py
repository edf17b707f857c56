"""Why a run failed: the cause that its log names, with the lines that show it. Read in a thread."""

from dataclasses import dataclass
from typing import Final

from app.model.findings import Diagnosis, LogFinding
from app.session import Session

SURE: Final = 0.8
PERHAPS: Final = 0.5
AROUND: Final = 1
MOST_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines of a log with their numbers, counted from 1; `tinted` are the numbers that prove the cause."""

    lines: tuple[tuple[int, str], ...]
    tinted: frozenset[int]
    total: int

    @property
    def text(self) -> str:
        width = len(str(self.lines[-1][0])) if self.lines else 1
        return "\n".join(f"{number:>{width}}  {line}" for number, line in self.lines)


def evidence_of(finding: LogFinding | None, lines: list[str]) -> Evidence:
    """The lines that prove a finding with a line before and behind; without a finding, the last lines."""
    total = len(lines)
    if finding is None or not finding.lines:
        first = max(total - MOST_SHOWN, 0)
        return Evidence(tuple((number + 1, lines[number]) for number in range(first, total)), frozenset(), total)
    tinted = [number for first, last in finding.lines for number in range(first, last + 1) if 1 <= number <= total]
    shown: list[int] = []
    for number in tinted:
        for near in range(number - AROUND, number + AROUND + 1):
            if 1 <= near <= total and near not in shown:
                shown.append(near)
    shown = sorted(shown)[: MOST_SHOWN * 2]
    return Evidence(tuple((number, lines[number - 1]) for number in shown), frozenset(tinted), total)


def how_sure(confidence: float) -> str:
    """The code of the words for a confidence."""
    return "very" if confidence >= SURE else "rather" if confidence >= PERHAPS else "perhaps"


def read_log(session: Session, run_id: str) -> bytes:
    """The full log of a run from disk; empty where there is none."""
    path = session.places.logs / f"{run_id}.log"
    return path.read_bytes() if path.is_file() else b""


def answer_of(diagnosis: Diagnosis | None) -> LogFinding | None:
    """The finding to show as the answer: the first one, if it is more than a guess."""
    if diagnosis is None or not diagnosis.findings:
        return None
    first = diagnosis.findings[0]
    return first if first.confidence > PERHAPS else None
