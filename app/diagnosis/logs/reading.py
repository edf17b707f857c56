"""A stream to the lines worth examining: everything in a short text; in a long one the first and last part and what is new.

A long log repeats itself. A line whose letters were seen in an earlier block is passed over; of the new lines those are kept that
hold a word of trouble, with their neighbours. Memory is bounded whatever comes in, and time grows with the length only.
"""

import codecs
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import BinaryIO, Final

from app.diagnosis.logs.decoding import decode_lines, is_text, wide_codec

BLOCK_BYTES: Final = 1 << 20
HEAD_BYTES: Final = 96 << 10
TAIL_BYTES: Final = 96 << 10
WHOLE_BYTES: Final = 256 << 10
GATE_BYTES: Final = 24 << 10
"""What one word of trouble can keep of the middle of a long text; a frequent one must not crowd out the others."""

LINE_BYTES: Final = 4096
"""A longer line is examined in pieces of this length."""

_CHANGING: Final = b"0123456789"
_SEEN_LIMIT: Final = 300_000
_BEFORE, _AFTER = 2, 3
_NEIGHBOUR_BYTES: Final = 400


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of the text, counted from 1. Pieces of one long line bear the same number."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines to examine, in order. `total_bytes` is the length of the whole text. What is no text has no lines."""

    lines: tuple[NumberedLine, ...]
    total_bytes: int
    is_text: bool = True


def read_excerpt(stream: BinaryIO, gates: tuple[bytes, ...]) -> Excerpt:
    """Reads a binary stream to its end, unless its beginning is no text. `gates` are lower-case words; a new line without any of them is passed over."""
    first = _read_full(stream, WHOLE_BYTES + 1)
    if not is_text(first):
        return Excerpt((), len(first), is_text=False)
    wide = wide_codec(first)
    if len(first) <= WHOLE_BYTES:
        block = _transcoded(first, wide)
        return _excerpt([(number, line) for number, line in _numbered(block, 1)], len(first))
    sieve = _Sieve(gates)
    total = 0
    for block in _blocks(first, stream, wide):
        sieve.take(block)
        total += len(block)
    return _excerpt(sieve.finish(), total)


def _read_full(stream: BinaryIO, size: int) -> bytes:
    """Exactly `size` bytes unless the stream ends; pipes give less at a time."""
    parts, missing = [], size
    while missing > 0:
        part = stream.read(missing)
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _transcoded(block: bytes, wide: tuple[str, int] | None) -> bytes:
    if wide is None:
        return block.removeprefix(b"\xef\xbb\xbf")
    codec, mark = wide
    return block[mark:].decode(codec, "replace").encode("utf-8", "replace")


def _blocks(first: bytes, stream: BinaryIO, wide: tuple[str, int] | None) -> Iterator[bytes]:
    """The text in blocks that keep ASCII as bytes, cut at a line end where there is one."""
    decoder = codecs.getincrementaldecoder(wide[0])("replace") if wide else None
    rest = b""
    block = first[wide[1] :] if wide else first.removeprefix(b"\xef\xbb\xbf")
    while block:
        plain = decoder.decode(block).encode("utf-8", "replace") if decoder else block
        if b"\n" not in plain and b"\r" in plain:
            plain = plain.replace(b"\r", b"\n")
        end = plain.rfind(b"\n") + 1
        if end:
            yield rest + plain[:end]
            rest = plain[end:]
        else:
            rest += plain
            if len(rest) > BLOCK_BYTES:
                yield rest
                rest = b""
        block = stream.read(BLOCK_BYTES)
    if rest:
        yield rest


def _numbered(block: bytes, number: int) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; a long line in pieces that overlap a little, so that no message is cut apart."""
    if b"\n" not in block and b"\r" in block:
        block = block.replace(b"\r", b"\n")
    for offset, line in enumerate(block.split(b"\n")):
        if len(line) <= LINE_BYTES:
            yield number + offset, line
        else:
            for start in range(0, len(line), LINE_BYTES - 256):
                yield number + offset, line[start : start + LINE_BYTES]


def _excerpt(lines: list[tuple[int, bytes]], total: int) -> Excerpt:
    texts = decode_lines(line for _, line in lines)
    return Excerpt(tuple(NumberedLine(number, text) for (number, _), text in zip(lines, texts, strict=True)), total)


class _Sieve:
    """Takes a long text block by block and keeps what is worth examining."""

    def __init__(self, gates: tuple[bytes, ...]) -> None:
        self._quota = dict.fromkeys(gates, GATE_BYTES)
        self._seen: set[int] = set()
        self._repeats = True
        self._kept: list[tuple[int, bytes]] = []
        self._head_bytes = 0
        self._number = 1
        self._last: tuple[int, bytes] = (1, b"")
        self._before_last: tuple[int, bytes] = (1, b"")

    def take(self, block: bytes) -> None:
        number = self._number
        self._number += block.count(b"\n")
        self._before_last, self._last = self._last, (number, block)
        if self._head_bytes < HEAD_BYTES:
            head = block[: HEAD_BYTES - self._head_bytes]
            self._head_bytes += len(head)
            self._kept += _numbered(head, number)
        self._keep_new(block, number)

    def finish(self) -> list[tuple[int, bytes]]:
        """All that was kept and the last part of the text, in order, each line once."""
        number, tail = self._last
        before, previous = self._before_last
        if len(tail) < TAIL_BYTES:
            number, tail = before, previous + tail
        cut = max(0, len(tail) - TAIL_BYTES)
        self._kept += _numbered(tail[cut:], number + tail.count(b"\n", 0, cut))
        return sorted(dict.fromkeys(self._kept), key=lambda line: line[0])

    def _keep_new(self, block: bytes, number: int) -> None:
        lines = block.split(b"\n") if not self._repeats else None
        fresh: list[int] | range
        if lines is None:
            letters = block.translate(None, _CHANGING).split(b"\n")
            hashes = list(map(hash, letters))
            new = set(hashes) - self._seen
            if not new:
                return
            fresh = [index for index, value in enumerate(hashes) if value in new]
            self._seen |= new
            # A text that never repeats itself gains nothing here, and the memory of it must stay bounded.
            self._repeats = len(self._seen) < _SEEN_LIMIT
            lines = block.split(b"\n")
        else:
            fresh = range(len(lines))
        self._keep_gated(lines, fresh, number)

    def _keep_gated(self, lines: list[bytes], fresh: "list[int] | range", number: int) -> None:
        chosen = [lines[index] for index in fresh]
        text = b"\n".join(chosen).lower()
        starts = list(accumulate((len(line) + 1 for line in chosen), initial=0))
        wanted: dict[tuple[int, int], None] = {}
        for gate in [gate for gate, quota in self._quota.items() if quota > 0]:
            at = text.find(gate)
            while at >= 0 and self._quota[gate] > 0:
                place = bisect_right(starts, at) - 1
                piece = (at - starts[place]) // LINE_BYTES
                wanted[fresh[place], piece] = None
                self._quota[gate] -= min(len(chosen[place]), LINE_BYTES) + 1
                at = text.find(gate, min(starts[place + 1], starts[place] + (piece + 1) * LINE_BYTES))
        self._kept += [(number + index, part) for index, part in _surroundings(lines, wanted)]


def _surroundings(lines: list[bytes], wanted: dict[tuple[int, int], None]) -> Iterator[tuple[int, bytes]]:
    """The wanted pieces of lines and the beginnings of the lines around them, in order."""
    pieces = dict(wanted)
    for index, _ in wanted:
        for near in range(max(0, index - _BEFORE), min(len(lines), index + _AFTER + 1)):
            pieces.setdefault((near, -1))
    full = {index for index, _ in wanted}
    for index, piece in sorted(pieces):
        if piece >= 0:
            start = max(0, piece * LINE_BYTES - 256)
            yield index, lines[index][start : (piece + 1) * LINE_BYTES + 256]
        elif index not in full:
            yield index, lines[index][:_NEIGHBOUR_BYTES]
