"""Compares found facts with expected ones: what is expected must be found, more may be found."""

from collections.abc import Iterator
from typing import Any


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Lines that say what is not as expected. Pythons are matched by executable, other lists by place."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            yield from differences(value, found.get(name, "(not known)"), f"{path}.{name}" if path else name)
    elif path == "pythons" and isinstance(expected, list):
        by_executable = {python["executable"]: python for python in found if isinstance(python, dict)} if isinstance(found, list) else {}
        for python in expected:
            yield from differences(python, by_executable.get(python["executable"], "(not found)"), f"pythons[{python['executable']}]")
    elif isinstance(expected, list) and isinstance(found, list) and expected and isinstance(expected[0], dict):
        if len(expected) != len(found):
            yield f"{path}: {len(expected)} expected, {len(found)} found: {found}"
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
    elif expected != found:
        yield f"{path}: expected {expected!r}, found {found!r}"


def value_at(document: Any, path: str) -> Any:
    """The value at a path such as `gpus[0].name`; `(not known)` where a key is left out."""
    for part in path.replace("]", "").replace("[", ".").split("."):
        if isinstance(document, list):
            document = document[int(part)] if int(part) < len(document) else "(not known)"
        elif isinstance(document, dict):
            document = document.get(part, "(not known)")
    return document
