"""The completion record, schema completion/1: what we made of an environment, left in it as RECORD_NAME."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

RECORD_NAME: Final = "triton-setup.json"
COMPLETION_SCHEMA: Final = "completion/1"


@dataclass(frozen=True, slots=True)
class Completion:
    """`packages` maps the normalised names of what was put in or relied on to the versions that were there then; `time` is ISO 8601."""

    run: str
    time: str
    program_version: str
    python: str
    python_version: str
    goals: tuple[str, ...]
    packages: Mapping[str, str]
    keeps: tuple[str, ...]
    schema: str = COMPLETION_SCHEMA
