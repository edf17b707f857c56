"""What a page really consists of, as a browser reads it."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Elements, attributes and text of a page. `open_` is what was never closed."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[tuple[str, str, str]] = set()
        self.text: list[str] = []
        self.ids: list[str] = []
        self.open_: list[str] = []
        self.strays: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {(tag, name, value or "") for name, value in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open_.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open_.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open_ and self.open_[-1] == tag:
            self.open_.pop()
        else:
            self.strays.append(tag)

    def handle_data(self, data: str) -> None:
        if not self.open_ or self.open_[-1] not in {"style", "title"}:
            self.text.append(data)


OURS = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "input",
        "div",
        "header",
        "strong",
        "span",
        "nav",
        "label",
        "main",
        "h1",
        "h2",
        "h3",
        "p",
        "small",
        "aside",
        "dl",
        "dt",
        "dd",
        "svg",
        "path",
        "rect",
        "circle",
        "section",
        "article",
        "ul",
        "ol",
        "li",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "pre",
        "b",
        "code",
        "br",
        "defs",
        "pattern",
    }
)
"""Every element the page may consist of. No script, link, image, frame, form or object."""


def faults(text: str) -> list[str]:
    """What a strict reader would find wrong with a page."""
    page = Page(text)
    found = [f"element {name}" for name in page.elements - OURS]
    found += [
        f"{tag} {name}={value}"
        for tag, name, value in page.attributes
        if name.startswith("on") or name in {"href", "src", "style", "action", "srcdoc", "xlink:href", "data"}
    ]
    found += [f"open {name}" for name in page.open_] + [f"stray {name}" for name in page.strays]
    return found + [f"id {name} twice" for name in {name for name in page.ids if page.ids.count(name) > 1}]
