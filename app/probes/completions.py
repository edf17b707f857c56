"""The records that this program left in environments it changed."""

import ntpath
import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from app.host.protocol import Readings
from app.model import codec
from app.model.completion import COMPLETION_SCHEMA, RECORD_NAME, Completion
from app.model.facts import MachineFacts, Python
from app.model.problem import Problem
from app.model.unknown import known

_LIMIT_BYTES: Final = 1 << 18


def read_completions(host: Readings, facts: MachineFacts) -> Mapping[str, Completion]:
    """By executable; only environments of ours that hold a whole record."""
    found = {python.executable: _read(host, python) for python in known(facts.pythons, ()) if known(python.in_wsl, None) is None}
    return {executable: completion for executable, completion in found.items() if completion is not None}


def _read(host: Readings, python: Python) -> Completion | None:
    content = next((found for path in _places(host, python) if (found := host.read_bytes(path, _LIMIT_BYTES)) is not None), None)
    if content is None:
        return None
    try:
        document = codec.parse(content, RECORD_NAME)
        if not isinstance(document, dict) or document.get("schema") != COMPLETION_SCHEMA:
            return None
        # A later version of this program may have written more.
        return codec.load({name: document[name] for name in Completion.__slots__ if name in document}, Completion, RECORD_NAME)
    except Problem:
        return None


def _places(host: Readings, python: Python) -> Iterator[str]:
    """Beside site-packages, told from the executable alone."""
    path = ntpath if host.family == "windows" else posixpath
    folder = path.dirname(python.executable)
    root = path.dirname(folder) if path.basename(folder).lower() in ("scripts", "bin") else folder
    if host.family == "windows":
        yield path.join(root, "Lib", RECORD_NAME)
    else:
        minor = ".".join(python.version.split(".")[:2])
        yield from (path.join(root, library, f"python{minor}", RECORD_NAME) for library in ("lib", "lib64"))
