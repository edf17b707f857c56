"""Is SageAttention really used? Read from the log of a ComfyUI that was started with it.

Switching it on is one thing, running through it another: ComfyUI hands masked calls to PyTorch, and after an error
in a call it goes on with PyTorch too, with one line in the log. The launcher's counter adds how often kernels ran.
Sources: comfy/ldm/modules/attention.py of ComfyUI (messages at start and after an error), the KJNodes node (its
message comes while a workflow is read, before any kernel runs, so it proves nothing).
"""

import json
import re
from typing import BinaryIO, Final, Literal

from app.model.proof import AttentionUse

MAX_LINE: Final = 8192

Verdict = Literal["used", "fell-back", "passed-by", "chosen", "off", "missing", "unknown"]

CHOSEN: Final = re.compile(r"\busing sage ?attention\b(?! mode)", re.IGNORECASE)
ERROR: Final = re.compile(r"error running sage ?attention", re.IGNORECASE)
MISSING: Final = re.compile(
    r"sageattention package.*(not installed|must be installed)|No module named '?sageattention|to use the .*sage-attention.*feature", re.IGNORECASE
)
OTHER: Final = re.compile(
    r"\busing (pytorch|xformers|sub quadratic|split|flash|comfy.kitchen)\b.*attention|using split optimization for attention", re.IGNORECASE
)


def read_comfyui_log(stream: BinaryIO) -> AttentionUse:
    """What the log proves; the last start in it counts."""
    reading = AttentionReading()
    for raw in stream:
        reading.read(raw[:MAX_LINE].decode("utf-8", "replace"))
    return reading.use()


class AttentionReading:
    """Reads a log line by line, also while it is being written."""

    def __init__(self) -> None:
        self._number = 0
        self._start()

    def _start(self) -> None:
        self._chosen: list[int] = []
        self._other: list[int] = []
        self._missing: list[int] = []
        self._errors: list[int] = []
        self._counted: list[int] = []
        self._counts: dict[str, int] = {}
        self._evidence = ""

    def read(self, text: str) -> bool:
        """Takes the next line; true if it says something about attention."""
        self._number += 1
        line = text[:MAX_LINE].strip()
        if line.startswith('{"sage_calls"'):
            return self._count(line)
        if ERROR.search(line):
            self._errors.append(self._number)
        elif MISSING.search(line):
            self._missing.append(self._number)
        elif CHOSEN.search(line):
            # ComfyUI says it once, at start: what came before belongs to an earlier start.
            self._start()
            self._chosen.append(self._number)
        elif OTHER.search(line):
            if self._chosen or self._other:
                self._start()
            self._other.append(self._number)
        else:
            return False
        if not self._errors or ERROR.search(line):
            self._evidence = line[:400]
        return True

    def _count(self, line: str) -> bool:
        try:
            counted = json.loads(line)
        except ValueError:
            return False
        if not isinstance(counted, dict) or type(counted.get("sage_calls")) is not int:
            return False
        self._counts = {str(name): value for name, value in counted.items() if type(value) is int and value >= 0}
        self._counted = [self._number]
        return True

    def use(self) -> AttentionUse:
        """What the lines so far prove."""
        verdict, lines = self._verdict()
        return AttentionUse(
            verdict,
            self._counts.get("sage_calls"),
            len(self._errors),
            self._counts.get("masked_calls"),
            tuple(lines[:20]),
            self._counts.get("torch_calls"),
            self._counts.get("torch_masked_calls"),
            self._evidence,
        )

    def _verdict(self) -> tuple[Verdict, list[int]]:
        if self._errors:
            return "fell-back", self._errors
        if self._missing:
            return "missing", self._missing
        if self._counts.get("sage_calls"):
            return "used", self._chosen + self._counted
        if self._chosen:
            return ("passed-by", self._chosen + self._counted) if self._counts.get("torch_calls") else ("chosen", self._chosen)
        return ("off", self._other) if self._other else ("unknown", [])
