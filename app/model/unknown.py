"""The third state of a fact: not known, as opposed to looked for and absent (None)."""

import enum
from typing import Final, Literal, TypeAlias, TypeVar, Union


class Unknown(enum.Enum):
    """Type of the single value UNKNOWN, so that type checkers can narrow on `is UNKNOWN`."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        # A fact that is not known supports no claim, so `if fact:` must not pass.
        return False


UNKNOWN: Final = Unknown.UNKNOWN

_T = TypeVar("_T")
Maybe: TypeAlias = Union[_T, Literal[Unknown.UNKNOWN]]  # noqa: UP007 - a TypeVar in an alias needs Union


def known(value: Maybe[_T], default: _T) -> _T:
    """The value, or `default` where it is not known."""
    return default if value is UNKNOWN else value
