"""Photos and screenshots from outside, as grey values: Qt reads the formats, nothing of the file is shown."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter

from app.model.problem import ExitCode, Problem
from app.model.text import Text

MAX_SIDE_PIXELS = 4_000
"""Larger photos are made smaller while they are read; a picture of ours has 65 squares a side at most."""

MAX_MEMORY_MB = 256
FORMATS = {b"png", b"jpeg", b"jpg", b"bmp", b"gif", b"webp"}
"""Formats of pixels only: a drawing (SVG) can name other files."""


def read_grey(content: bytes, name: str) -> tuple[bytes, int, int]:
    """Rows of grey values (0 black, 255 white, one byte each, no padding), width and height of a picture file's content.

    Problem (exit code 2) if it is no picture that can be read; `name` stands in it.
    """
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    QImageReader.setAllocationLimit(MAX_MEMORY_MB)
    reader = QImageReader(buffer)
    if bytes(reader.format().data()) not in FORMATS:
        raise _unreadable(name)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > MAX_SIDE_PIXELS:
        reader.setScaledSize(size.scaled(QSize(MAX_SIDE_PIXELS, MAX_SIDE_PIXELS), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        raise _unreadable(name)
    if image.hasAlphaChannel():
        image = _on_white(image)
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    width, height, stride = grey.width(), grey.height(), grey.bytesPerLine()
    rows = bytes(grey.constBits())
    return (rows if stride == width else b"".join(rows[start : start + width] for start in range(0, stride * height, stride))), width, height


def _unreadable(name: str) -> Problem:
    return Problem(Text("code.no-image", {"file": Path(name).name}), ExitCode.BAD_INPUT)


def _on_white(image: QImage) -> QImage:
    """What is clear shows white: dark squares on a clear ground would be black on black."""
    paper = QImage(image.size(), QImage.Format.Format_RGB32)
    paper.fill(Qt.GlobalColor.white)
    painter = QPainter(paper)
    painter.drawImage(0, 0, image)
    painter.end()
    return paper
