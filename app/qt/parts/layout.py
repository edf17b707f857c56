"""Rows and columns with the spaces of the look."""

from PySide6.QtWidgets import QApplication, QHBoxLayout, QLayout, QVBoxLayout, QWidget


def column(parent: QWidget | None = None, gap: int = 0, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QVBoxLayout:
    """A column; margins are left, top, right, bottom in logical pixels."""
    made = QVBoxLayout(parent) if parent else QVBoxLayout()
    made.setSpacing(gap)
    made.setContentsMargins(*margins)
    return made


def row(parent: QWidget | None = None, gap: int = 0, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QHBoxLayout:
    """A row; margins are left, top, right, bottom in logical pixels."""
    made = QHBoxLayout(parent) if parent else QHBoxLayout()
    made.setSpacing(gap)
    made.setContentsMargins(*margins)
    return made


def beside(widget: QWidget, down: int = 2) -> QVBoxLayout:
    """A small widget that stands beside the first line of a text, however many lines that has."""
    made = column(margins=(0, down, 0, 0))
    made.addWidget(widget)
    made.addStretch()
    return made


def set_shown(widget: QWidget, is_shown: bool) -> None:
    """Shows or hides a part. One that has no parent yet is never shown: it would be a window of its own for a moment."""
    if not is_shown:
        widget.hide()
    elif widget.parentWidget() is not None:
        widget.show()


def clear(layout: QLayout) -> None:
    """Takes everything out of a layout and deletes it."""
    focus = QApplication.focusWidget()
    holder = layout.parentWidget()
    if focus is not None and holder is not None and holder.isAncestorOf(focus):
        # Else Qt would hand the focus on from widget to widget as each of them goes.
        focus.clearFocus()
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        elif inner is not None:
            clear(inner)
