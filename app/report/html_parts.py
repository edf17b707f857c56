"""Small pieces of the report page. Every text goes through `escaped`: nothing in a report is markup."""

import math
from collections.abc import Iterable
from html import escape
from typing import Final

from app.model.text import Param, Text
from app.report.spoken import spoken

LANGUAGE_TAGS: Final = {"en": "en", "zh_CN": "zh-Hans"}

_ICONS: Final = {
    "good": '<circle cx="12" cy="12" r="9"/><path d="m8 12.2 2.8 2.8L16 9.6"/>',
    "bad": '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3z"/><path d="m9.3 9.3 5.4 5.4m0-5.4-5.4 5.4"/>',
    "warn": '<path d="M12 3.8 21.2 20H2.8z"/><path d="M12 10v4.2m0 2.6v.2"/>',
    "info": '<circle cx="12" cy="12" r="9"/><path d="M12 11v5.2m0-8.4v.2"/>',
    "none": '<circle cx="12" cy="12" r="9"/><path d="M8 12h8"/>',
    "wait": '<circle cx="12" cy="12" r="9" stroke-dasharray="2.6 3"/>',
}


def escaped(value: object) -> str:
    """A foreign value as text of the page."""
    return escape(str(value), quote=True)


def both(text: Text) -> str:
    """A sentence in both languages, of which the page shows one."""
    said = {language: escaped(spoken(text, language)) for language in LANGUAGE_TAGS}
    if len(set(said.values())) == 1:
        return said["en"]
    return "".join(f'<span lang="{LANGUAGE_TAGS[language]}">{words}</span>' for language, words in said.items())


def say(code: str, **params: Param) -> str:
    """A sentence of our own catalogue in both languages."""
    return both(Text(code, params))


def icon(name: str, size: int = 18) -> str:
    """A status sign; its meaning always stands beside it as a word."""
    return f'<svg class="icon {name}" width="{size}" height="{size}" viewBox="0 0 24 24" aria-hidden="true">{_ICONS[name]}</svg>'


def status(name: str, code: str) -> str:
    """A status as icon and word."""
    return f'<span class="status {name}">{icon(name, 16)}{say(code)}</span>'


def item(mark: str, body: str) -> str:
    """A row of a list: its status, then what it says."""
    return f"<li>{mark}<div>{body}</div></li>"


def chip(content: str, kind: str = "") -> str:
    return f'<span class="chip {kind}">{content}</span>'


def code(value: object) -> str:
    return f"<code>{escaped(value)}</code>"


def section(anchor: str, title: str, body: str, note: str = "") -> str:
    """A part of the page under a heading; empty where there is nothing to show."""
    if not body:
        return ""
    shown = f'<p class="note">{note}</p>' if note else ""
    return f'<section id="{anchor}" aria-labelledby="{anchor}-title"><h2 id="{anchor}-title">{title}</h2>{shown}{body}</section>'


def rows(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values side by side."""
    return "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs if value)


def table(head: Iterable[str], body: Iterable[Iterable[str]], caption: str) -> str:
    """A table for eyes and for screen readers."""
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in body)
    if not lines:
        return ""
    columns = "".join(f'<th scope="col">{name}</th>' for name in head)
    return f'<div class="scroll"><table><caption>{caption}</caption><thead><tr>{columns}</tr></thead><tbody>{lines}</tbody></table></div>'


def folded(title: str, body: str, opened: bool = False) -> str:
    return f"<details{' open' if opened else ''}><summary>{title}</summary>{body}</details>" if body else ""


def number(value: float, digits: int = 3) -> str:
    """A number with so many telling digits, without an exponent where it is of human size."""
    if value == 0:
        return "0"
    if not 0.001 <= abs(value) < 1_000_000:
        return f"{value:.{digits}g}"
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def size(value: int) -> str:
    """Bytes in units of a thousand, as the window shows them."""
    amount, unit = float(value), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit in {"B", "kB"} or amount >= 100 else f"{amount:.1f} {unit}"


def seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s" if value < 120 else f"{value / 60:.0f} min"
