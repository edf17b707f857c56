"""Names inside encoded runs: percent signs, base64, hexadecimal, compressed, UTF-16 read byte by byte."""

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

MAX_DEPTH: Final = 3
MAX_INFLATED_BYTES: Final = 1 << 20

_PERCENT: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_BREAK: Final = re.compile(r"[\s\"'<>|]")
_UPPER: Final = re.compile("[A-Z]")
_LOWER: Final = re.compile("[a-z]")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX: Final = re.compile(
    r"[0-9A-Fa-f\\][0-9A-Fa-fx](?:[0-9A-Fa-f]{2}){4,}(?![0-9A-Za-z])|[0-9A-Fa-f\\][0-9A-Fa-fx](?:[0-9A-Fa-f]{2})?[ ,:-]{1,2}(?:(?:0x"
    r"|\\x)?[0-9A-Fa-f]{2}[ ,:-]{1,2}){3,}(?:0x)?[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
    r"|[0-9a-f][0-9a-f]{3} (?:[0-9a-f]{4} ){2,}[0-9a-f]{2,4}\b"
)
_BYTE_LIST: Final = re.compile(r"[0-9][0-9]{0,2}, ?(?:[0-9]{1,3}, ?){4,}[0-9]{1,3}(?![\d.])")


def percent_runs(text: str, rewrite: Callable[[str], str], depth: int) -> str:
    """Text with percent-encoded runs rewritten where their meaning changed."""
    if "%" not in text or depth > MAX_DEPTH:
        return text

    out, position = [], 0
    while found := _PERCENT.search(text, position):
        start = next((at + 1 for at in range(found.start() - 1, position - 1, -1) if _BREAK.match(text[at])), position)
        following = _BREAK.search(text, found.end())
        end = following.start() if following else len(text)
        meaning = unquote_to_bytes(text[start:end].encode("utf-8", "surrogateescape"))
        plain = meaning.decode("utf-8", "surrogateescape")
        changed = rewrite(plain)
        shown = text[start:end] if changed == plain else quote_from_bytes(changed.encode("utf-8", "surrogateescape"), safe="/\\:@&=+$,;?#[]!'()*~…-._ ")
        out += [text[position:start], shown]
        position = end
    return "".join([*out, text[position:]])


def base64_runs(text: str, rewrite_bytes: Callable[[bytes], bytes], holds_name: Callable[[bytes], bool], hide: Callable[[str], str]) -> str:
    """Text with base64 runs rewritten: their text where it can be read, the whole run where a name is only glimpsed."""
    runs = {match[0] for match in _BASE64.finditer(text) if _UPPER.search(match[0]) and _LOWER.search(match[0])}
    changes: dict[str, str] = {}
    glimpsed = holds_name(b"\0\0".join(reading for run in runs for reading in _readings(run)))
    for run in runs:
        whole = _decoded(run, 0)
        if whole is not None and _is_text(whole):
            changed = rewrite_bytes(whole)
            if changed != whole:
                changes[run] = _like(run, changed)
        elif glimpsed and any(holds_name(reading) for reading in _readings(run)):
            changes[run] = hide(run)
    return _BASE64.sub(lambda match: changes.get(match[0], match[0]), text) if changes else text


def hex_runs(text: str, rewrite_bytes: Callable[[bytes], bytes], holds_name: Callable[[bytes], bool], hide: Callable[[str], str]) -> str:
    """The same for hexadecimal digits, with and without gaps, and for lists of byte values."""

    def replace(match: re.Match[str]) -> str:
        run = match[0]
        if match.start() and match.string[match.start() - 1].isalnum():
            return run
        digits = re.sub(r"0x|\\x|[^0-9A-Fa-f]", "", run)
        if len(digits) % 2 or (digits.isdigit() and not digits.startswith(("4", "5", "6", "7"))):
            return run
        content = bytes.fromhex(digits)
        if len(digits) == len(run) and _is_text(content):
            changed = rewrite_bytes(content)
            return run if changed == content else (changed.hex() if run.islower() or run.isdigit() else changed.hex().upper())
        return hide(run) if holds_name(content) else run

    def replace_list(match: re.Match[str]) -> str:
        numbers = [int(number) for number in match[0].split(",")]
        return hide(match[0]) if max(numbers) < 256 and holds_name(bytes(numbers)) else match[0]

    text = _HEX.sub(replace, text)
    return _BYTE_LIST.sub(replace_list, text) if ", " in text or "," in text else text


def is_readable_base64(run: str) -> bool:
    """Whether a run means text, so that it was rewritten as such and hides nothing more."""
    content = _decoded(run, 0)
    return content is not None and _is_text(content)


def _decoded(run: str, skip: int) -> bytes | None:
    body = run[skip:].rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        return None
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return None


def _readings(run: str) -> Iterator[bytes]:
    """What a run can mean when its start was cut off, and what is packed in it."""
    for skip in range(4):
        body = run[skip:].rstrip("=")
        content = _decoded(body[: len(body) - len(body) % 4] if len(body) % 4 == 1 else body, 0)
        if not content:
            continue
        yield content
        if skip == 0 and content[:1] in (b"\x1f", b"\x78"):
            yield from _inflated(content)


def _inflated(content: bytes) -> Iterator[bytes]:
    for window in (31, 15):
        try:
            yield zlib.decompressobj(window).decompress(content, MAX_INFLATED_BYTES)
        except zlib.error:
            continue


def _is_text(content: bytes) -> bool:
    if len(content) < 4:
        return False
    try:
        text = content.decode("utf-16-le") if 0 in content[1:40:2] and len(content) % 2 == 0 else content.decode()
    except UnicodeDecodeError:
        return False
    return sum(sign.isprintable() or sign in "\r\n\t\0\ufeff" for sign in text) == len(text)


def _like(run: str, content: bytes) -> str:
    encoded = base64.b64encode(content).decode()
    if "-" in run or "_" in run:
        encoded = encoded.replace("+", "-").replace("/", "_")
    return encoded if run.endswith("=") or len(run) % 4 == 0 else encoded.rstrip("=")
