"""Work on those lines only in which something is found that is quick to look for."""

from collections.abc import Callable, Sequence


def on_lines(hints: Sequence[str], text: str, low: str, change: Callable[[str], str]) -> str:
    """Changes only the lines in which one of the hints, lower-case, is found. `low` is the text in lower case."""
    if len(low) != len(text):
        return change(text) if any(hint in low for hint in hints) else text
    spans: dict[int, int] = {}
    for hint in hints:
        at = low.find(hint)
        while at != -1:
            start, end = low.rfind("\n", 0, at) + 1, low.find("\n", at)
            spans[start] = end = len(text) if end == -1 else end
            at = low.find(hint, end)
    if not spans:
        return text
    out, position = [], 0
    for start in sorted(spans):
        out += [text[position:start], change(text[start : spans[start]])]
        position = spans[start]
    return "".join([*out, text[position:]])
