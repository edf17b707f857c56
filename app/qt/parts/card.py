"""Cards: a rounded surface, rows in a card, and a card that is chosen by a radio button or a check box."""

from PySide6.QtCore import QEvent, QLineF, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QFrame, QRadioButton, QVBoxLayout, QWidget

from app.qt import tokens
from app.qt.look import look
from app.qt.parts.layout import column


def paint_surface(painter: QPainter, box: QRectF, fill: QColor, stroke: QColor | None, width: float, *, radius: float = tokens.RADIUS_CARD) -> None:
    """A rounded rectangle whose stroke lies inside the box."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(stroke, width) if stroke else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    half = width / 2 if stroke else 0
    painter.drawRoundedRect(box.adjusted(half, half, -half, -half), radius, radius)


class Card(QFrame):
    """A surface. `tone` is the token of its fill; `line` of its stroke, empty for none."""

    def __init__(self, tone: str = "card", line: str = "line", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tone = tone
        self.line = line
        self.ring_radius = tokens.RADIUS_CARD

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        contrast = look().colours.stroke
        line = self.line or ("line" if contrast > 1 else "")
        paint_surface(painter, QRectF(self.rect()), look().colour(self.tone), look().colour(line) if line else None, contrast)


class Rows(Card):
    """A card of rows with lines between them."""

    def __init__(self, tone: str = "card", parent: QWidget | None = None) -> None:
        super().__init__(tone, parent=parent)
        self._column = column(self, 0, (1, 1, 1, 1))
        self._rows: list[QWidget] = []

    def add(self, widget: QWidget) -> None:
        if self._rows:
            self._column.addWidget(Separator())
        self._rows.append(widget)
        self._column.addWidget(widget)


class Separator(QWidget):
    """A line of one pixel between rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        # One device pixel, whatever the scale: fractions would make some lines thicker than others.
        pen = QPen(look().colour("line"), max(1, int(self.devicePixelRatioF())))
        pen.setCosmetic(True)
        painter = QPainter(self)
        painter.setPen(pen)
        painter.drawLine(QLineF(0, 0.5, self.width(), 0.5))


class Mark:
    """Paints radio and check marks; widget and delegate share it."""

    SIZE = 20

    @staticmethod
    def radio(painter: QPainter, box: QRectF, chosen: bool, enabled: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        of = look().colour
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(of("accent" if enabled else "disabled"))
            painter.drawEllipse(box)
            painter.setBrush(of("on_accent" if enabled else "window"))
            inset = box.width() * 0.31
            painter.drawEllipse(box.adjusted(inset, inset, -inset, -inset))
            return
        painter.setPen(QPen(of("line_strong" if enabled else "line"), 1.5))
        painter.setBrush(of("card") if enabled else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box.adjusted(0.75, 0.75, -0.75, -0.75))

    @staticmethod
    def check(painter: QPainter, box: QRectF, chosen: bool, enabled: bool) -> None:
        from app.qt.icons import draw_icon

        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        of = look().colour
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(of("accent" if enabled else "disabled"))
            painter.drawRoundedRect(box, 4, 4)
            draw_icon(painter, "check", of("on_accent"), box.adjusted(2, 2, -2, -2))
            return
        painter.setPen(QPen(of("line_strong" if enabled else "line"), 1.5))
        painter.setBrush(of("card") if enabled else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.75, 0.75, -0.75, -0.75), 4, 4)


class RadioMark(QRadioButton):
    """A real radio button that shows only its mark; its card shows the words."""

    def sizeHint(self) -> QSize:
        side = look().px(Mark.SIZE)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, position: object) -> bool:
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        side = look().px(Mark.SIZE)
        Mark.radio(QPainter(self), QRectF(0, 0, side, side), self.isChecked(), self.isEnabled())


class CheckMark(QCheckBox):
    """A real check box that shows only its mark."""

    def sizeHint(self) -> QSize:
        side = look().px(Mark.SIZE)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, position: object) -> bool:
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        side = look().px(Mark.SIZE)
        Mark.check(QPainter(self), QRectF(0, 0, side, side), self.isChecked(), self.isEnabled())


class ChoiceCard(Card):
    """A card around a radio button or a check box; a click anywhere on it counts.

    A refused card keeps its words readable and can be reached by Tab, so that its reason can be heard.
    """

    chosen = Signal(bool)

    def __init__(self, mark: QAbstractButton, name: str, description: str, *, possible: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.mark = mark
        self.possible = possible
        self._over = False
        mark.setParent(self)
        mark.setAccessibleName(name)
        mark.setAccessibleDescription(description)
        mark.setEnabled(possible)
        mark.setProperty("ring_widget", self)
        if not possible:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.setAccessibleName(name)
            self.setAccessibleDescription(description)
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        mark.toggled.connect(self._on_toggled)
        self.body: QVBoxLayout = column(self, 0, (16, 16, 16, 16))

    def _on_toggled(self, checked: bool) -> None:
        self.update()
        for child in self.findChildren(QWidget):
            child.update()
        self.chosen.emit(checked)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self._over = event.type() == QEvent.Type.HoverEnter
            self.update()
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.possible and event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.mark.setFocus(Qt.FocusReason.MouseFocusReason)
            self.mark.click()
        super().mouseReleaseEvent(event)

    @property
    def is_chosen(self) -> bool:
        return self.mark.isChecked()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        of, stroke = look().colour, look().colours.stroke
        if not self.possible:
            paint_surface(painter, QRectF(self.rect()), of("sunken"), of("line"), stroke)
        elif self.is_chosen:
            paint_surface(painter, QRectF(self.rect()), of("accent_tint"), of("accent"), tokens.LINE_WIDTH_CHOSEN * stroke)
        else:
            paint_surface(painter, QRectF(self.rect()), of("sunken" if self._over else "card"), of("line"), stroke)


def card_of(widget: QObject | None) -> ChoiceCard | None:
    """The choice card that holds a widget."""
    while widget is not None and not isinstance(widget, ChoiceCard):
        widget = widget.parent()
    return widget
