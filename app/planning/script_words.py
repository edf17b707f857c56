"""What both kinds of script take from a step."""

from collections.abc import Iterator

from app.model.plan import Step


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
