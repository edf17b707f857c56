"""Versions as the software prints them, taken apart: torch builds, SageAttention wheels, Python minors, drivers."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from packaging.version import InvalidVersion, Version

_CUDA_TAG: Final = re.compile(r"cu\d{3}\b")
_SAGE_WHEEL: Final = re.compile(r"\d+\.\d+\.\d+\+cu(\d\d)\dtorch(\d+\.\d+\.\d+)(andhigher)?(?:\.post(\d+))?")
_NIGHTLY: Final = re.compile(r"\.dev(\d{4})(\d\d)(\d\d)")
_NUMBERS: Final = re.compile(r"\d+")


class TorchBuild(NamedTuple):
    """An installed or planned torch. `flavour` is its local part (cu128, cpu, rocm7.10.0), "" where it has none."""

    text: str
    minor: str
    release: tuple[int, ...]
    flavour: str
    nightly: str | None = None

    @property
    def cuda(self) -> str | None:
        found = _CUDA_TAG.match(self.flavour)
        return found[0] if found else None

    @property
    def cuda_major(self) -> int | None:
        return int(self.cuda[2:4]) if self.cuda else None

    @property
    def patch(self) -> str:
        return ".".join(map(str, self.release[:3]))


class SageBuild(NamedTuple):
    """A SageAttention wheel by its version: what it was made for."""

    cuda_major: int
    torch: str
    higher: bool
    post: int


@lru_cache(maxsize=4096)
def version(text: str) -> Version | None:
    """The version, or None for text that is none."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


@lru_cache(maxsize=1024)
def torch_build(text: str) -> TorchBuild | None:
    """An installed torch version taken apart; None for text that is no version."""
    found = version(text)
    if found is None or len(found.release) < 2:
        return None
    release = (*found.release, 0)[:3]
    nightly = _NIGHTLY.search(text)
    return TorchBuild(text, f"{release[0]}.{release[1]}", release, found.local or "", "-".join(nightly.groups()) if nightly else None)


def sage_build(text: str) -> SageBuild | None:
    """What a SageAttention wheel of that version was made for; None for a build whose name does not say."""
    found = _SAGE_WHEEL.fullmatch(text)
    return SageBuild(int(found[1]), found[2], bool(found[3]), int(found[4] or 0)) if found else None


@lru_cache(maxsize=4096)
def numbers(text: str) -> tuple[int, ...]:
    """The numbers in a version, for comparing drivers, capabilities and runtimes: "576.02" gives (576, 2)."""
    return tuple(int(part) for part in _NUMBERS.findall(text))


def minor_of(text: str) -> str:
    """Major and minor: "3.12.10" gives "3.12"; "" where there are none."""
    parts = numbers(text)
    return f"{parts[0]}.{parts[1]}" if len(parts) > 1 else ""


def at_least(found: str, floor: str) -> bool:
    """Whether a version is `floor` or newer, number by number."""
    return numbers(found) >= numbers(floor)
