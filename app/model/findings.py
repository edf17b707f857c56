"""Findings: what facts or a log say is wrong, by the cause codes of docs/causes.md."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from app.model.text import Param, Text

DIAGNOSIS_SCHEMA: Final = "diagnosis/1"

TextKind = Literal["log", "empty", "binary", "talk"]


class Severity(enum.Enum):
    BLOCKER = "blocker"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Remedy:
    """What cures it. `automatic`: the plan does it with the person's consent, else the person must."""

    code: str
    text: Text
    automatic: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause seen in machine facts. `evidence` are paths into the facts, such as `pythons[2].packages.torch`."""

    code: str
    severity: Severity
    text: Text
    evidence: tuple[str, ...] = ()
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class LogRemedy:
    """Steps a layman can follow. `automatic`: our planner can make a plan for it."""

    code: str
    steps: tuple[Text, ...]
    automatic: bool


@dataclass(frozen=True, slots=True)
class LogFinding:
    """A cause seen in a log. `lines` are first and last line numbers, counted from 1, that prove it."""

    code: str
    confidence: float
    title: Text
    explanation: Text
    lines: tuple[tuple[int, int], ...]
    remedy: LogRemedy
    verify: Text
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that a log says, most likely cause first. `context` holds versions and machine facts read from it.

    `kind` is what the text is: what a program printed, nothing, no text at all, or words of a person with nothing of a program in them.
    """

    findings: tuple[LogFinding, ...]
    healthy: bool
    context: Mapping[str, Param | tuple[str, ...]] = field(default_factory=dict)
    schema: str = DIAGNOSIS_SCHEMA
    kind: TextKind = "log"
