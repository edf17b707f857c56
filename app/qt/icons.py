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


def write_app_icons(folder: str) -> None:
    """Writes `app.png` (256) and `app.ico` (16 to 256) for the packaged program.

    An .ico is a directory of images; PNG images are allowed in it since Windows Vista.
    """
    from pathlib import Path
    from struct import pack

    images = [_png(_draw(_source("app"), size, 1.0)) for size in ICON_SIZES]
    offset = 6 + 16 * len(images)
    directory, body = pack("<HHH", 0, 1, len(images)), b""
    for size, image in zip(ICON_SIZES, images, strict=True):
        directory += pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), offset + len(body))
        body += image
    (Path(folder) / "app.ico").write_bytes(directory + body)
    (Path(folder) / "app.png").write_bytes(images[-1])


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


def _png(image: QImage) -> bytes:
    from PySide6.QtCore import QBuffer, QIODevice

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, b"PNG")
    return bytes(buffer.data().data())
