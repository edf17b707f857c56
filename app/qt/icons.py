"""Outline icons from `assets/icons`, coloured when loaded and cached by name, colour, size and pixel ratio."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.resources import assets

ICON_SIZES = (16, 20, 24, 32, 48, 64, 128, 256)


@lru_cache(maxsize=256)
def icon_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon in a colour (`#rrggbb`), `size` logical pixels wide and high."""
    return QPixmap.fromImage(_draw(_source(name).replace("currentColor", colour), size, ratio))


@lru_cache(maxsize=64)
def app_pixmap(size: int, ratio: float = 1.0, ground: str = "#2160C4", mark: str = "#FFFFFF") -> QPixmap:
    """The mark of the program, in the colours of a theme."""
    return QPixmap.fromImage(_draw(_source("app").replace("#2160C4", ground).replace("#FFFFFF", mark), size, ratio))


def app_icon() -> QIcon:
    icon = QIcon()
    for size in ICON_SIZES:
        icon.addPixmap(app_pixmap(size))
    return icon


def draw_icon(painter: QPainter, name: str, colour: QColor, box: QRectF) -> None:
    """Draws the icon into a square box, sharp at any pixel ratio."""
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(box.topLeft(), icon_pixmap(name, colour.name(), round(box.width()), ratio))


@lru_cache(maxsize=64)
def _source(name: str) -> str:
    return (assets() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def _draw(svg: str, size: int, ratio: float) -> QImage:
    image = QImage(QSize(round(size * ratio), round(size * ratio)), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image
