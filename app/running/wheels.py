"""The files that a resolved plan needs, exactly."""

import urllib.parse
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from app.model.problem import Problem
from app.model.text import Text


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel. `sha256` None: the index names no hash. `size_bytes` None: it names no size."""

    name: str
    version: str
    filename: str
    url: str
    sha256: str | None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What must be fetched and put in, and which installed packages (normalised names to versions) it replaces or removes.

    `sources` are the indexes that were asked, in order; a file can be had from any of them that lists the same hash.
    """

    wheels: tuple[Wheel, ...]
    replaced: tuple[str, ...]
    sources: tuple[str, ...]
    resolver: str


def wheel_of(url: str, sha256: str | None, size_bytes: int | None) -> Wheel:
    """The wheel behind an address. Problem if the file is no wheel."""
    filename = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
    try:
        name, version, _, _ = parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise Problem(Text("run.no-wheel", {"file": filename}), cause="wheel-not-published") from error
    return Wheel(canonicalize_name(name), str(version), filename, url, sha256, size_bytes)


def name_of(requirement: str) -> str:
    """The normalised name in a requirement or in the address of a wheel; empty where there is none."""
    try:
        if "://" in requirement.partition(" ")[0]:
            return wheel_of(requirement, None, None).name
        return canonicalize_name(Requirement(requirement).name)
    except (InvalidRequirement, Problem):
        return ""
