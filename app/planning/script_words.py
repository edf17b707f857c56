"""What both kinds of script take from a step."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text

_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_PLACES: Final = frozenset({"beside", "folder", "from_folder", "path", "python", "variables", "wheels"})
"""Arguments that name files and folders. Windows knows none with a quote in it; cmd's own commands would end a word there."""


def check_words(step: Step, *, is_batch: bool) -> None:
    """Problem (exit code 2) for a word that would be more than one in a script. What a file holds may have lines; they are written one by one."""
    words = [*step.argv, *(text for name, value in step.arguments.items() if name != "content" for text in _texts(value))]
    places = [text for name in _PLACES if name in step.arguments for text in _texts(step.arguments[name])]
    bad = next((word for word in words if _BREAKS.search(word)), None) or next((place for place in places if is_batch and '"' in place), None)
    if bad is not None:
        raise Problem(Text("plan.script-odd-name", {"name": one_line(bad)[:80]}), ExitCode.BAD_INPUT)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (*value, *value.values()) if isinstance(value, Mapping) else value if isinstance(value, tuple) else ():
        yield from _texts(item)


def one_line(words: str) -> str:
    return _BREAKS.sub(" ", words)


def commands(argv: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The commands of an argv that holds several with "&&" between them."""
    command: list[str] = []
    for word in (*argv, "&&"):
        if word != "&&":
            command.append(word)
        elif command:
            yield tuple(command)
            command = []


def text_of(step: Step, name: str) -> str:
    value = step.arguments.get(name, "")
    return value if isinstance(value, str) else ""


def texts_of(step: Step, name: str) -> tuple[str, ...]:
    value = step.arguments.get(name, ())
    return value if isinstance(value, tuple) else ()


def kept_check(step: Step) -> tuple[str, ...]:
    """A command that fails where a package that had to stay did not; empty where none had to."""
    kept = dict(pin.split("==", 1) for pin in texts_of(step, "keeps") if "==" in pin)
    if not kept:
        return ()
    code = f"from importlib.metadata import version; assert all(version(name) == number for name, number in {sorted(kept.items())!r})"
    return (text_of(step, "python"), "-s", "-c", code)
