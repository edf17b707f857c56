"""Draws `assets/icons/app.svg` in every size that Windows asks for, into one .ico file: icon.py TARGET

Layout: Microsoft's "Icons" (ICONDIR, ICONDIRENTRY); the pictures are PNG, which Windows reads since Vista.
"""

import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)


def draw(renderer: QSvgRenderer, size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def icon(source: Path) -> bytes:
    renderer = QSvgRenderer(str(source))
    if not renderer.isValid():
        raise SystemExit(f"{source}: not a picture that can be drawn")
    pictures = [draw(renderer, size) for size in SIZES]
    head, body = struct.pack("<HHH", 0, 1, len(SIZES)), b""
    for size, picture in zip(SIZES, pictures, strict=True):
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), 6 + 16 * len(SIZES) + len(body))
        body += picture
    return head + body


if __name__ == "__main__":
    application = QGuiApplication(["icon", "-platform", "offscreen"])
    Path(sys.argv[1]).write_bytes(icon(Path(__file__).parents[1] / "icons" / "app.svg"))
