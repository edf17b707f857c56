"""How a vLLM server is set to fit a card: from the card's memory, and from what the model's name says of its size.

The length of the context is left to vLLM (`--max-model-len auto`): once the weights are loaded it measures what fits, which no
estimate from a name does as well.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.tables import Tables

_PARAMETERS: Final = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])")
"""`8B`, `0.6b`, `350M`, `8x7B`. Not `A3B` (the active part of a larger model) and not `E4B` (an effective size)."""

_SCALE: Final = {"b": 1_000_000_000, "m": 1_000_000}
_USUAL_BITS: Final = "16"


@dataclass(frozen=True, slots=True)
class Sizing:
    """`weights_bytes` None: the name does not say. `room_bytes` is the share of the card, None where its memory is not known."""

    share: str
    sequences: int
    graphs: bool
    weights_bytes: int | None
    room_bytes: int | None
    work_bytes: int

    @property
    def is_too_large(self) -> bool:
        """Whether the weights are known not to fit. Nothing is claimed where a size is not known."""
        if self.weights_bytes is None or self.room_bytes is None:
            return False
        return self.weights_bytes + self.work_bytes > self.room_bytes


def size_server(tables: Tables, model: str, memory_bytes: int | None) -> Sizing:
    """The settings for a model on a card; those of the smallest card where its memory is not known."""
    rows = tables.vllm_server
    row = next(row for row in rows if not row.up_to_bytes or (memory_bytes or 0) <= row.up_to_bytes)
    room = int(memory_bytes * Decimal(row.share)) if memory_bytes else None
    return Sizing(row.share, row.sequences, row.graphs, weights_of(tables, model), room, tables.vllm_memory.work_bytes)


def weights_of(tables: Tables, model: str) -> int | None:
    """Bytes of a model's weights by its name; None where the name states no size."""
    name = model.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()
    sizes = [int(copies or 1) * Decimal(number) * _SCALE[unit] for copies, number, unit in _PARAMETERS.findall(name)]
    if not sizes:
        return None
    # The largest: in "30B-A3B" style names and names with a draft model, the whole has to fit.
    return int(max(sizes) * _bits(tables, name) / 8)


def _bits(tables: Tables, name: str) -> Decimal:
    found = (row.bits for row in tables.precisions if any(word in name for word in row.words))
    return Decimal(next(found, _USUAL_BITS))
