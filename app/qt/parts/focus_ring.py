"""One transparent overlay that draws the ring around what has the keyboard's focus."""

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from app.qt.look import look

_POLL_MS = 50
_DISTANCE = 2
_WIDTH = 2


class FocusRing(QWidget):
    """Lies over the whole window. Follows the focus while the keyboard is what moves it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.keyboard = False
        self._box = QRect()
        self._clip = QRect()
        self._radius = 6.0
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self.follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def use_keyboard(self, keyboard: bool) -> None:
        self.keyboard = keyboard
        if keyboard:
            self._poll.start()
        else:
            self._poll.stop()
        self.follow()

    @property
    def box(self) -> QRect:
        """Where the ring is drawn, in coordinates of the window; empty while it is hidden."""
        return self._box

    def follow(self) -> None:
        """Puts the ring where the focus is now."""
        target = self.window().focusWidget()
        box, clip = QRect(), QRect()
        if self.keyboard and target is not None and target.isVisible():
            part = target.property("ring_widget")
            holder = part if isinstance(part, QWidget) else target
            own = getattr(holder, "ring_rect", None)
            local = own() if callable(own) else holder.rect()
            box = QRect(holder.mapTo(self.window(), local.topLeft()), local.size()).adjusted(-_DISTANCE - 2, -_DISTANCE - 2, _DISTANCE + 2, _DISTANCE + 2)
            clip = self._visible_part(holder)
            self._radius = float(getattr(holder, "ring_radius", 6)) + _DISTANCE
        if (box, clip) != (self._box, self._clip):
            self._box, self._clip = box, clip
            self.update()

    def _visible_part(self, widget: QWidget) -> QRect:
        area = widget.parentWidget()
        while area is not None and not (isinstance(area, QAbstractScrollArea) and area.viewport().isAncestorOf(widget)):
            area = area.parentWidget()
        if area is None:
            return self.rect()
        view = area.viewport()
        return QRect(view.mapTo(self.window(), QPoint(0, 0)), view.size()).adjusted(-4, -4, 4, 4)

    def _on_focus_changed(self, _old: QWidget | None, _new: QWidget | None) -> None:
        self.use_keyboard(self.keyboard and QApplication.mouseButtons() == Qt.MouseButton.NoButton)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._box.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(self._clip)
        painter.setPen(QPen(look().colour("focus"), _WIDTH))
        painter.drawRoundedRect(QRectF(self._box).adjusted(1, 1, -1, -1), self._radius, self._radius)
