"""A row with something to do: icon, what, why, and the button at the right."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.qt.parts.button import Button
from app.qt.parts.chip import Chip, Icon
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words


class ActionRow(QWidget):
    """`chip` stands behind the title, `second` behind the button. Every button of a card is as wide as the widest, set by `align_buttons`."""

    def __init__(
        self, icon: str, title: str, body: str, button: Button | None, *, chip: Chip | None = None, small: bool = True, second: Button | None = None
    ) -> None:
        super().__init__()
        self.button = button
        line = row(self, 12, (16, 12, 16, 12))
        line.addWidget(Icon(icon, "accent"))
        texts = column(gap=2)
        head = row(gap=8)
        head.addWidget(Words(title, "strong"), 0 if chip else 1)
        if chip is not None:
            head.addWidget(chip)
            head.addStretch(1)
        texts.addLayout(head)
        if body:
            texts.addWidget(Words(body, "caption" if small else "body", "text_2"))
        line.addLayout(texts, 1)
        for one in (button, second):
            if one is not None:
                one.setAccessibleDescription(f"{title}. {body}")
                line.addWidget(one, 0, Qt.AlignmentFlag.AlignVCenter)


def align_buttons(rows: list[ActionRow], least: int = 96) -> None:
    """Gives the buttons of a card one width."""
    buttons = [entry.button for entry in rows if entry.button is not None]
    width = max([least, *(button.sizeHint().width() for button in buttons)])
    for button in buttons:
        button.setFixedWidth(width)
