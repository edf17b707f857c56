"""The current look of the program: colours, fonts, text size. Painters read it when they paint.

Application-wide like Qt's own palette and style, so that a theme switch is one repaint and no style sheet re-polish.
"""

from functools import cache
from typing import Final, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from app.qt.own_words import speak
from app.qt.tokens import DARK, LIGHT, Colours, contrast_theme
from app.texts import Language

Theme = Literal["light", "dark"]
Role = Literal["title", "number", "figure", "strong", "body", "caption", "caption-strong", "code"]

_SIZES: Final[dict[Role, tuple[int, int]]] = {
    "title": (26, 32),
    "number": (20, 28),
    "figure": (18, 24),
    "strong": (14, 20),
    "body": (14, 20),
    "caption": (12, 16),
    "caption-strong": (12, 16),
    "code": (12, 18),
}
_BOLD: Final = {"title", "number", "figure", "strong", "caption-strong"}
_DISPLAY: Final = {"title", "number", "figure"}

_LATIN: Final = ("Segoe UI Variable Text", "Segoe UI", "Inter", "DejaVu Sans")
_LATIN_DISPLAY: Final = ("Segoe UI Variable Display", *_LATIN)
_CHINESE: Final = ("Microsoft YaHei UI", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei")
_MONO: Final = ("Cascadia Mono", "Consolas", "JetBrains Mono", "DejaVu Sans Mono", "Liberation Mono")


class Look(QObject):
    """Colours and fonts of now. `changed` tells that everything painted must be painted again."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.language: Language = "en"
        self.fixed_theme: Theme | None = None
        self.text_scale = 1.0
        self._fonts: dict[Role, QFont] = {}
        self._line_heights: dict[Role, int] = {}
        self._families: frozenset[str] | None = None
        self.colours: Colours = LIGHT
        self.reduced_motion = False
        self._style: QStyle | None = None
        self._follows = False

    @property
    def is_dark(self) -> bool:
        return QColor(self.colours.window).lightnessF() < 0.5

    def set_language(self, language: Language) -> None:
        self.language = language
        self._fonts.clear()
        self._line_heights.clear()

    def set_text_scale(self, scale: float) -> None:
        """The system's own text size, 1.0 to 2.25; every size of the look follows it."""
        self.text_scale = min(max(scale, 1.0), 2.25)
        self._fonts.clear()
        self._line_heights.clear()

    def apply(self) -> None:
        """Reads the system's wishes, sets the palette and the style sheet, and tells every painter."""
        from app.qt.sheet import palette, sheet
        from app.qt.style import CalmStyle

        hints = QGuiApplication.styleHints()
        self.colours = self._wished_colours()
        self.reduced_motion = _prefers_reduced_motion(hints)
        app = QGuiApplication.instance()
        if isinstance(app, QApplication):
            speak(self.language)
            if self._style is None:
                # Kept here: while a style sheet is set, app.style() answers with a wrapper and not with this one.
                self._style = CalmStyle()
                app.setStyle(self._style)
            app.setFont(self.font("body"))
            if app.styleSheet() != (wanted := sheet(self.colours)):
                app.setPalette(palette(self.colours))
                app.setStyleSheet(wanted)
        self.changed.emit()

    def follow_contrast(self) -> None:
        """From now on a contrast theme that the person turns on or off is taken over at once."""
        accessibility = getattr(QGuiApplication.styleHints(), "accessibility", None)
        if accessibility is not None and not self._follows:
            self._follows = True
            accessibility().contrastPreferenceChanged.connect(lambda _: self.apply())

    def font(self, role: Role) -> QFont:
        """The font of a role in the current language; families are those that this system has."""
        if role not in self._fonts:
            self._fonts[role] = self._make_font(role)
        return self._fonts[role]

    def line_height(self, role: Role) -> int:
        """Distance of two lines in logical pixels; never less than the font itself needs."""
        if role not in self._line_heights:
            self._line_heights[role] = max(self.px(_SIZES[role][1]), QFontMetrics(self.font(role)).height())
        return self._line_heights[role]

    def px(self, length: float) -> int:
        """A length that follows the system's text size."""
        return round(length * self.text_scale)

    def colour(self, token: str) -> QColor:
        return QColor(self.colours.of(token))

    def _wished_colours(self) -> Colours:
        hints = QGuiApplication.styleHints()
        if _prefers_contrast(hints):
            system = QPalette()

            def of(role: QPalette.ColorRole, group: QPalette.ColorGroup = QPalette.ColorGroup.Active) -> str:
                return system.color(group, role).name()

            return contrast_theme(
                of(QPalette.ColorRole.Window),
                of(QPalette.ColorRole.WindowText),
                of(QPalette.ColorRole.Highlight),
                of(QPalette.ColorRole.HighlightedText),
                of(QPalette.ColorRole.WindowText, QPalette.ColorGroup.Disabled),
            )
        if self.fixed_theme:
            return DARK if self.fixed_theme == "dark" else LIGHT
        return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT

    def _make_font(self, role: Role) -> QFont:
        chinese = self.language == "zh_CN"
        wanted: tuple[str, ...]
        if role == "code":
            wanted = (*_MONO, *_CHINESE)
        elif chinese:
            wanted = (*_CHINESE, *_LATIN)
        else:
            wanted = (*(_LATIN_DISPLAY if role in _DISPLAY else _LATIN), *_CHINESE)
        if self._families is None:
            self._families = frozenset(QFontDatabase.families())
        font = QFont()
        font.setFamilies([f for f in wanted if f in self._families] or QFont().families())
        font.setPixelSize(self.px(_SIZES[role][0]))
        if role in _BOLD:
            # YaHei UI has no semibold face; Qt would fake one.
            font.setWeight(QFont.Weight.Bold if chinese else QFont.Weight.DemiBold)
        if role == "code":
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setFixedPitch(True)
            font.setFeature(QFont.Tag("calt"), 0)
        return font


def _prefers_contrast(hints: object) -> bool:
    accessibility = getattr(hints, "accessibility", None)
    return accessibility is not None and accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast


def _prefers_reduced_motion(hints: object) -> bool:
    accessibility = getattr(hints, "accessibility", None)
    preference = getattr(accessibility() if accessibility else None, "motionPreference", None)
    return preference is not None and str(preference()).endswith("ReducedMotion")


@cache
def look() -> Look:
    """The look of this application."""
    return Look()
