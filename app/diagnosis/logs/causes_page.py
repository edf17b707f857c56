"""docs/causes.md, made from the tables: every cause, how it is told from others, what cures it and how to see that it is cured."""

from typing import Final

from app.diagnosis.logs.causes import remedies
from app.diagnosis.logs.signatures import FAMILIES, Signature, signatures
from app.texts import say

_HEAD: Final = """# Causes

Generated from `assets/tables/log_causes_*.toml`, `assets/tables/log_remedies.toml` and `assets/i18n/cause.toml` by
`app.diagnosis.logs.causes_page`; do not edit. A code is stable: logs, findings, plans and reports use the same ones.

## How a cause is named

1. The text is decoded, colours and wraps are taken out (`decoding.py`, `reading.py`, `wording.py`). Of a long text only what is new and
   speaks of trouble is kept, so that time grows with the length and memory does not.
2. Every **signature** whose `key` word stands in the text is tried. `needs` and `without` ask for other signatures, for what the versions in the
   text say about each other, and for machine facts where they are given.
3. A cause `hides` its own consequences. A named cause hides a wrapper, any cause hides a warning. Of equals the first in the text leads.
4. Confidence is the share of right answers among the labelled logs at that level, not a feeling: above 0.9 nine in ten are right.
   Where nothing is above 0.5, the text is read once more as a picture reader may have damaged it (`repair.py`): wrong letters, cut words, lost spaces.
   Where that finds nothing either, the answer says what to send and whom to ask.
5. A guide, a code listing or another program's log speaks of the same errors; there no cause is sure (`doubt.py`, `log_doubt.toml`).
6. Where the machine is known, its facts weigh in (`machine.py`, `log_machine.toml`): a cause that they contradict falls, and where they show a
   better one, that stands in its place. Of several Pythons only what holds for all of them, or for the one that the text names, counts.

**A new cause** is one table in a `log_causes_*.toml` (columns: `app/diagnosis/logs/signatures.py`), one line in `log_remedies.toml`, title and
explanation in `cause.toml`, and one example in `tests/diagnosis/logs/said.toml`. What must not be taken for it goes into `quiet.toml` beside it.
`python3 dev.py docs` writes this page. One more signature of a cause that exists is the table alone:

```toml
[statement-separator]
code = "shell-quoting"
score = 0.85
key = ["statement separator"]
match = "The token '&&' is not a valid statement separator"
```

## All causes
"""


def causes_page() -> str:
    """The whole page, in English."""
    by_code: dict[str, list[Signature]] = {}
    for signature in signatures():
        if signature.code:
            by_code.setdefault(signature.code, []).append(signature)
    parts = [_HEAD, f"{len(remedies())} causes, {sum(map(len, by_code.values()))} signatures in {len(FAMILIES) + 1} tables.\n"]
    parts += [_section(code, by_code.get(code, [])) for code in remedies()]
    return "\n".join(parts)


def _section(code: str, rows: list[Signature]) -> str:
    remedy = remedies()[code]
    lines = [f"### {code}", "", f"**{say(f'cause.{code}.title')}.** {say(f'cause.{code}.explanation')}", ""]
    lines += [f"{number}. {say(f'cause.step.{step}')}" for number, step in enumerate(remedy["steps"], 1)]
    check = say(f"cause.check.{remedy['check']}")
    lines += ["", f"Cured when: {check}{' A plan does this.' if remedy['automatic'] else ''}", ""]
    if rows:
        lines += ["| signature | sure | text holds | also asks for |", "|---|---|---|---|", *map(_row, rows), ""]
    lines.append("Read more: " + ", ".join(f"<{source}>" for source in remedy["sources"]) + "\n")
    return "\n".join(lines)


def _row(row: Signature) -> str:
    keys = ", ".join(f"`{key.strip()}`" for key in row.keys[:3]).replace("|", "\\|") + (" …" if len(row.keys) > 3 else "")
    asks = ", ".join([*(" or ".join(f"`{name}`" for name in names) for names in row.needs), *(f"not `{name}`" for name in row.without[:3])])
    return f"| `{row.id}` | {row.score:g} | {keys} | {asks + (' …' if len(row.without) > 3 else '')} |"
