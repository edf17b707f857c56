"""Is SageAttention really used? Read from the log of a ComfyUI that was started with it.

Switching it on is one thing, running through it another: ComfyUI hands masked calls to PyTorch, and after an error
in a call it goes on with PyTorch too, with one line in the log. The launcher's counter adds how often kernels ran.
Sources: comfy/ldm/modules/attention.py of ComfyUI (messages at start and after an error), the KJNodes node (its
message comes while a workflow is read, before any kernel runs, so it proves nothing).
"""

import json
import re
from typing import BinaryIO, Final

from app.model.proof import AttentionUse

MAX_LINE: Final = 8192

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
    reading = _Reading()
    for number, raw in enumerate(stream, 1):
        reading.read(number, raw[:MAX_LINE].decode("utf-8", "replace").strip())
    return reading.verdict()


class _Reading:
    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.chosen: list[int] = []
        self.other: list[int] = []
        self.missing: list[int] = []
        self.errors: list[int] = []
        self.counted: list[int] = []
        self.calls: int | None = None
        self.masked: int | None = None

    def read(self, number: int, line: str) -> None:
        if line.startswith('{"sage_calls"'):
            self._count(number, line)
        elif ERROR.search(line):
            self.errors.append(number)
        elif MISSING.search(line):
            self.missing.append(number)
        elif CHOSEN.search(line):
            # ComfyUI says it once, at start: what came before belongs to an earlier start.
            self.start()
            self.chosen.append(number)
        elif OTHER.search(line):
            if self.chosen or self.other:
                self.start()
            self.other.append(number)

    def _count(self, number: int, line: str) -> None:
        try:
            counted = json.loads(line)
        except ValueError:
            return
        if isinstance(counted, dict) and type(counted.get("sage_calls")) is int:
            self.calls = counted["sage_calls"]
            masked = counted.get("masked_calls")
            self.masked = masked if type(masked) is int else None
            self.counted = [number]

    def verdict(self) -> AttentionUse:
        if self.errors:
            return AttentionUse("fell-back", self.calls, len(self.errors), self.masked, tuple(self.errors[:20]))
        if self.missing:
            return AttentionUse("missing", lines=tuple(self.missing))
        if self.calls:
            return AttentionUse("used", self.calls, 0, self.masked, tuple(self.chosen + self.counted))
        if self.chosen:
            return AttentionUse("chosen", self.calls, 0, self.masked, tuple(self.chosen))
        return AttentionUse("off", lines=tuple(self.other)) if self.other else AttentionUse("unknown")
