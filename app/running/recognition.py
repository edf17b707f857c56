"""Knows our own work again: what a completion record says, against what a later scan finds in the same environment."""

import ntpath
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.host.protocol import Readings
from app.model import codec
from app.model.facts import MachineFacts, Python
from app.model.findings import Finding, Remedy, Severity
from app.model.problem import Problem
from app.model.text import Text
from app.model.unknown import known
from app.running.completion import RECORD_NAME, RECORD_SCHEMA

_LIMIT_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Completion:
    """What we left in an environment: when, by which run, and which packages there were then."""

    run: str
    time: str
    python_version: str
    packages: Mapping[str, str]


def changed_since(host: Readings, facts: MachineFacts) -> tuple[Finding, ...]:
    """One finding for each environment of ours that something else has changed since, such as the update of an app."""
    return tuple(found for number, python in enumerate(known(facts.pythons, ())) if (found := _judge(host, python, number)) is not None)


def read_completion(host: Readings, python: Python) -> Completion | None:
    """Our record in the environment of a Python; None where we left none, or where it is damaged."""
    if known(python.in_wsl, None) is not None:
        return None
    content = next((found for path in _places(host, python) if (found := host.read_bytes(path, _LIMIT_BYTES)) is not None), None)
    if content is None:
        return None
    try:
        document = codec.parse(content, RECORD_NAME)
        if not isinstance(document, dict) or document.get("schema") != RECORD_SCHEMA:
            return None
        return codec.load({name: document.get(name) for name in ("run", "time", "python_version", "packages")}, Completion, RECORD_NAME)
    except Problem:
        return None


def _places(host: Readings, python: Python) -> Iterator[str]:
    """Where `record_path` puts it, told from the executable alone."""
    path = ntpath if host.family == "windows" else posixpath
    folder = path.dirname(python.executable)
    root = path.dirname(folder) if path.basename(folder).lower() in ("scripts", "bin") else folder
    if host.family == "windows":
        yield path.join(root, "Lib", RECORD_NAME)
    else:
        minor = ".".join(python.version.split(".")[:2])
        yield from (path.join(root, library, f"python{minor}", RECORD_NAME) for library in ("lib", "lib64"))


def _judge(host: Readings, python: Python, number: int) -> Finding | None:
    record = read_completion(host, python)
    packages = known(python.packages, None)
    if record is None or packages is None:
        return None
    changes = [f"{name} {before} → {packages.get(name, '–')}" for name, before in sorted(record.packages.items()) if packages.get(name) != before]
    if not changes:
        return None
    text = Text("run.changed-since", {"environment": python.executable, "date": record.time[:10], "changes": ", ".join(changes)})
    evidence = tuple(f"pythons[{number}].packages.{name}" for name, before in sorted(record.packages.items()) if packages.get(name) != before)
    return Finding("resolver-conflict", Severity.WARNING, text, evidence, Remedy("plan-again", Text("run.changed-since-remedy"), automatic=True))
