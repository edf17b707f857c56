"""One listed machine: its layout, and what a scan of it must find, must leave open, and must say of gaps."""

from dataclasses import dataclass, field
from typing import Any

from tests.machines.layout import Layout


@dataclass
class Machine:
    """`gaps` are pairs of path and code that must be there; `unknown` are paths that must be left out."""

    name: str
    why: str
    layout: Layout
    expect: dict[str, Any]
    gaps: list[list[str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
