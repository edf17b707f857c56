"""A cause as a card: mark, title, how sure, explanation, and buttons below."""

from PySide6.QtWidgets import QWidget

from app.qt.parts.button import Button
from app.qt.parts.card import Card
from app.qt.parts.chip import Icon
from app.qt.parts.layout import beside, column, row
from app.qt.parts.words import Words


class CauseCard(Card):
    """`below` unfolds under the buttons."""

    def __init__(
        self,
        title: str,
        explanation: str,
        sure: str,
        *,
        icon: str = "octagon-x",
        tone: str = "bad",
        tinted: bool = False,
        buttons: tuple[Button, ...] = (),
        below: QWidget | None = None,
    ) -> None:
        super().__init__(f"{tone}_tint" if tinted else "card", "" if tinted else "line")
        line = row(self, 12, (16, 12, 16, 14))
        line.addLayout(beside(Icon(icon, tone), 0))
        texts = column(gap=2)
        head = row(gap=12)
        head.addWidget(Words(title, "strong"), 1)
        if sure:
            head.addWidget(Words(sure, "caption-strong" if tone == "bad" else "caption", "text_2", one_line=True))
        texts.addLayout(head)
        texts.addWidget(Words(explanation))
        if buttons:
            texts.addSpacing(10)
            foot = row(gap=12)
            for button in buttons:
                foot.addWidget(button)
            foot.addStretch()
            texts.addLayout(foot)
        if below is not None:
            texts.addSpacing(8)
            texts.addWidget(below)
        line.addLayout(texts, 1)
        self.setFocusPolicy(self.focusPolicy().TabFocus)
        self.setAccessibleName(f"{title}, {sure}" if sure else title)
        self.setAccessibleDescription(explanation)
