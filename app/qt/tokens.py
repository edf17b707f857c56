"""Colours, spaces and sizes of the look, and the contrast they must keep. Plain values: no Qt here."""

from dataclasses import dataclass, fields
from typing import Final

LINE_WIDTH: Final = 1
LINE_WIDTH_CHOSEN: Final = 2

MARGIN: Final = 32
MARGIN_NARROW: Final = 24
CONTENT_WIDTH: Final = 880
RAIL_WIDTH: Final = 216
RAIL_WIDTH_NARROW: Final = 64
RADIUS_BUTTON: Final = 6
RADIUS_CARD: Final = 8
CARD_PADDING: Final = 16
CARD_GAP: Final = 12
GROUP_GAP: Final = 16
ROW_HEIGHT: Final = 40
BUTTON_HEIGHT: Final = 36
BUTTON_HEIGHT_ROW: Final = 28
CHIP_HEIGHT: Final = 24
FOOTER_HEIGHT: Final = 68
FOOTER_HEIGHT_LOW: Final = 56
BANNER_HEIGHT: Final = 44

NARROW_BELOW_PX: Final = 880
ONE_COLUMN_BELOW_PX: Final = 800
LOW_BELOW_PX: Final = 600
LOWEST_BELOW_PX: Final = 480


@dataclass(frozen=True, slots=True)
class Colours:
    """One theme. Values are `#rrggbb`; `stroke` is the width of a border in logical pixels."""

    window: str
    rail: str
    card: str
    sunken: str
    log: str
    neutral_tint: str
    line: str
    line_strong: str
    text: str
    text_2: str
    text_3: str
    disabled: str
    accent: str
    accent_over: str
    accent_pressed: str
    on_accent: str
    accent_tint: str
    good: str
    good_tint: str
    warn: str
    warn_tint: str
    bad: str
    bad_tint: str
    series_2: str
    focus: str
    stroke: int = LINE_WIDTH

    def of(self, name: str) -> str:
        """The colour by its token name, as pages and parts name it."""
        return str(getattr(self, name))


LIGHT: Final = Colours(
    window="#F4F6F9",
    rail="#EAEEF4",
    card="#FFFFFF",
    sunken="#F0F3F7",
    log="#F7F9FB",
    neutral_tint="#EAEEF4",
    line="#D9DFE8",
    line_strong="#7B8798",
    text="#17202C",
    text_2="#4E5A6B",
    text_3="#5D6979",
    disabled="#626D7C",
    accent="#2160C4",
    accent_over="#1B52A9",
    accent_pressed="#16448D",
    on_accent="#FFFFFF",
    accent_tint="#E9F0FC",
    good="#17703A",
    good_tint="#E4F4EA",
    warn="#8A5200",
    warn_tint="#FFF1D9",
    bad="#B3261E",
    bad_tint="#FCE9E7",
    series_2="#6B7889",
    focus="#17202C",
)

DARK: Final = Colours(
    window="#16191E",
    rail="#111317",
    card="#1F242B",
    sunken="#191D23",
    log="#14171B",
    neutral_tint="#2A313A",
    line="#333B46",
    line_strong="#7D8897",
    text="#EDF1F6",
    text_2="#B4BECB",
    text_3="#9CA7B5",
    disabled="#949FAD",
    accent="#8CB8FF",
    accent_over="#A8C9FF",
    accent_pressed="#6FA3F5",
    on_accent="#0A1A33",
    accent_tint="#1B2C47",
    good="#74D495",
    good_tint="#16321F",
    warn="#F3BC55",
    warn_tint="#372A10",
    bad="#FF9E95",
    bad_tint="#3E1D1B",
    series_2="#8B98AB",
    focus="#FFFFFF",
)

THEMES: Final = {"light": LIGHT, "dark": DARK}

SURFACES: Final = ("window", "rail", "card", "sunken", "log")
READABLE: Final = ("text", "text_2", "text_3", "disabled")
TONES: Final = ("accent", "good", "warn", "bad")


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def contrast_theme(window: str, text: str, accent: str, on_accent: str, disabled: str) -> Colours:
    """A theme made of a system contrast palette only: no tints, borders twice as wide."""
    by_role = {"window": window, "text": text, "accent": accent, "on_accent": on_accent, "disabled": disabled}
    surfaces = {*SURFACES, "neutral_tint", "accent_tint", "good_tint", "warn_tint", "bad_tint"}
    values = {f.name: by_role.get(f.name, window if f.name in surfaces else text) for f in fields(Colours) if f.name != "stroke"}
    return Colours(**{**values, "accent_over": accent, "accent_pressed": accent}, stroke=2)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
