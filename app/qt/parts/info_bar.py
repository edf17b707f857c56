"""A message on its tint: icon, strong line, body line, at most one button."""

from typing import Literal

from PySide6.QtWidgets import QWidget

from app.qt.parts.button import Button
from app.qt.parts.card import Card
from app.qt.parts.chip import Icon
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words

Severity = Literal["info", "good", "warn", "bad"]

_LOOKS: dict[Severity, tuple[str, str]] = {
    "info": ("info-circle", "accent"),
    "good": ("check-circle", "good"),
    "warn": ("warning", "warn"),
    "bad": ("octagon-x", "bad"),
}


class InfoBar(Card):
    """`title` or `body` may be empty. Buttons stand at the right."""

    def __init__(
        self,
        severity: Severity,
        title: str,
        body: str = "",
        *,
        icon: str = "",
        side: str = "",
        buttons: tuple[Button, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        name, tone = _LOOKS[severity]
        super().__init__(f"{tone}_tint", "", parent)
        line = row(self, 12, (16, 12, 16, 14 if title and body else 12))
        pillar = column()
        pillar.addWidget(Icon(icon or name, tone))
        pillar.addStretch()
        line.addLayout(pillar)
        texts = column(gap=2)
        head = row(gap=12)
        if title:
            head.addWidget(Words(title, "strong"), 1)
        elif body:
            head.addWidget(Words(body), 1)
        if side:
            head.addWidget(Words(side, "caption-strong", "text_2", one_line=True))
        texts.addLayout(head)
        if title and body:
            texts.addWidget(Words(body))
        line.addLayout(texts, 1)
        for button in buttons:
            line.addWidget(button)
        self.setAccessibleName(title or body)
        self.setAccessibleDescription(body)
