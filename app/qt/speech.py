"""What is said to a screen reader without moving the focus."""

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, assertive: bool = False) -> None:
    """Says a sentence; assertive ones interrupt (failures only)."""
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    kind = QAccessible.AnnouncementPoliteness
    event.setPoliteness(kind.Assertive if assertive else kind.Polite)
    QAccessible.updateAccessibility(event)
