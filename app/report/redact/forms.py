"""All the writings in which one name can stand in a text: escaped, encoded, misread, shortened, without accents."""

import contextlib
import re
import unicodedata
from collections.abc import Iterator
from html import escape
from html.entities import html5
from typing import Final
from urllib.parse import quote

MISREADINGS: Final = (
    ("utf-8", "cp1252"),
    ("utf-8", "latin-1"),
    ("utf-8", "cp437"),
    ("utf-8", "cp850"),
    ("utf-8", "cp936"),
    ("utf-8", "cp866"),
    ("cp850", "cp1252"),
    ("cp437", "cp1252"),
    ("cp1252", "cp850"),
    ("cp1252", "cp437"),
    ("cp1251", "cp866"),
    ("cp866", "cp1251"),
    ("cp936", "latin-1"),
    ("cp936", "cp1252"),
    ("cp932", "cp1252"),
    ("cp949", "cp1252"),
    ("cp1250", "cp1252"),
    ("cp1251", "cp1252"),
    ("cp1253", "cp1252"),
    ("cp1254", "cp1252"),
    ("cp1255", "cp1252"),
    ("cp1256", "cp1252"),
    ("cp874", "cp1252"),
    ("cp852", "cp1250"),
    ("cp950", "cp936"),
    ("cp936", "cp950"),
)
"""How a name was written, and how it was read: what makes mojibake on Windows."""

CODE_PAGES: Final = (
    "cp1252",
    "cp850",
    "cp437",
    "cp1250",
    "cp852",
    "cp1251",
    "cp866",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp936",
    "cp950",
    "cp932",
    "cp949",
)

_TRANSLITERATED: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Æ": "Ae", "Œ": "Oe", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Þ": "Th", "İ": "I"}
)


def writings(name: str) -> frozenset[str]:
    """Every writing of a name that is long enough not to meet other words by chance."""
    least = 4 if name.isascii() else 2
    return frozenset(form for plain in _plain(name) for form in (plain, *_encoded(plain)) if len(form) >= least)


def short_names(name: str) -> frozenset[str]:
    """What stands before `~1` in the 8.3 names of a folder of this name; empty where Windows makes none."""
    stems = set()
    for writing in (name, _without_accents(name)):
        kept = re.sub(r"[ .]", "", writing)
        kept = re.sub(r"[+,;=\[\]]", "_", kept).upper()
        if len(kept) > 8 or " " in writing or "." in writing or not writing.isascii():
            stems.add(kept[:6])
    return frozenset(stem for stem in stems if stem)


def encoded_bytes(name: str) -> frozenset[bytes]:
    """The bytes of a name, lower-case, in the encodings of files and of Windows: for a search in bytes."""
    found = set()
    for plain in _plain(name):
        for writing in {plain, plain.lower(), plain.upper()}:
            for encoding in ("utf-8", "utf-16-le", "utf-16-be", *(() if plain.isascii() else CODE_PAGES)):
                try:
                    encoded = writing.encode(encoding)
                except UnicodeEncodeError:
                    continue
                if len(encoded) >= 4:
                    found.add(encoded.lower())
    return frozenset(found)


def _plain(name: str) -> Iterator[str]:
    """Unicode forms, without accents, and the ways a name of several words is joined."""
    composed = unicodedata.normalize("NFC", name)
    bases = {name, composed, unicodedata.normalize("NFD", name), _without_accents(composed), _without_accents(composed.translate(_TRANSLITERATED))}
    for base in bases:
        yield base
        upper = base.upper()
        if len(upper) != len(base):
            yield upper
        parts = base.split()
        if len(parts) > 1:
            yield from (glue.join(parts) for glue in ("_", "-", ".", ""))


def _without_accents(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))


def _encoded(name: str) -> Iterator[str]:
    if len(name) >= 4 or not name.isascii():
        yield from (glue.join(name) for glue in ("\0", "\\u0000", "\\x00", "\\0", " "))
    if " " in name:
        yield name.replace(" ", "\\ ")
        yield name.replace(" ", "^ ")
        yield name.replace(" ", "+")
    if name.isascii():
        return
    for ensure in (r"\u{:04x}", r"\x{:02x}", r"\u{{{:x}}}", "&#{:d};", "&#x{:x};", "%u{:04x}"):
        yield "".join(letter if letter.isascii() else ensure.format(ord(letter)) for letter in name)
    yield "".join(letter if letter.isascii() else rf"\x{ord(letter):02x}" if ord(letter) < 256 else rf"\u{ord(letter):04x}" for letter in name)
    yield "".join(letter if letter.isascii() else "".join(rf"\x{byte:02x}" for byte in letter.encode()) for letter in name)
    yield "".join(letter if letter.isascii() else "".join(rf"\{byte:03o}" for byte in letter.encode()) for letter in name)
    yield "".join(letter if letter.isascii() else "".join(f"={byte:02X}" for byte in letter.encode()) for letter in name)
    yield escape(name).encode("ascii", "xmlcharrefreplace").decode()
    yield from _html_named(name)
    for safe in (" ", ""):
        yield quote(name, safe=safe)
    with contextlib.suppress(UnicodeError):
        yield name.encode("idna").decode()
    yield from _misread(name)


def _html_named(name: str) -> Iterator[str]:
    entities = {value: key for key, value in html5.items() if key.endswith(";") and len(value) == 1 and not value.isascii()}
    yield "".join(escape(letter) if letter.isascii() else f"&{entities[letter]}" if letter in entities else letter for letter in name)


def _misread(name: str) -> Iterator[str]:
    for written, read in MISREADINGS:
        try:
            yield name.encode(written).decode(read)
        except UnicodeError:
            continue
    for page in CODE_PAGES:
        try:
            encoded = name.encode(page)
        except UnicodeEncodeError:
            continue
        yield encoded.decode("utf-8", "surrogateescape")
        yield encoded.decode("utf-8", "replace")
        yield encoded.decode("utf-8", "backslashreplace")
        yield "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in encoded)
    lossy = "".join(letter if letter.isascii() else "?" for letter in name)
    if sum(letter.isalnum() for letter in lossy) >= 3:
        yield lossy
