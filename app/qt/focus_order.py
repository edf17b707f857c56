"""The order in which Tab goes through the window: content, links, Back, primary, rail, support code, language, theme."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QLayout, QScrollArea, QWidget

if TYPE_CHECKING:
    from app.qt.window import Window


def window_order(window: "Window") -> list[QWidget]:
    """Every stop of the window, in order."""
    footer, rail = window.footer, window.rail
    parts: list[QWidget | None] = [*footer.links, footer.back, footer.primary, *rail.buttons]
    parts += [rail.support.copy_button if rail.support else None, rail.language_button, rail.theme_button]
    banner = [window.banner.button] if window.banner is not None else []
    return [*banner, *stops(window.current), *(part for part in parts if part is not None and takes_focus(part))]


def stops(widget: QWidget) -> Iterator[QWidget]:
    """The widgets inside that Tab stops at, as they lie from top to bottom."""
    for child in _children(widget):
        if not child.isVisibleTo(widget):
            continue
        if takes_focus(child):
            yield child
        yield from stops(child)


def takes_focus(widget: QWidget) -> bool:
    """Whether Tab stops here. Of a radio group only the chosen button is a stop, or all while none is chosen."""
    if not widget.isEnabled() or not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return False
    if isinstance(widget, QAbstractButton) and widget.group() is not None and widget.group().exclusive():
        chosen = widget.group().checkedButton()
        return chosen is None or chosen is widget
    return True


def _children(widget: QWidget) -> Iterator[QWidget]:
    if isinstance(widget, QScrollArea):
        inner = widget.widget()
        if inner is not None:
            yield inner
        return
    layout = widget.layout()
    laid = list(_of_layout(layout)) if layout is not None else []
    yield from laid
    if layout is None and isinstance(widget, QAbstractScrollArea):
        return
    for child in widget.children():
        if isinstance(child, QWidget) and child not in laid and not child.isWindow():
            yield child


def _of_layout(layout: QLayout) -> Iterator[QWidget]:
    for number in range(layout.count()):
        item = layout.itemAt(number)
        widget = item.widget() if item is not None else None
        inner = item.layout() if item is not None else None
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _of_layout(inner)
