"""The contrast of every text on every ground it stands on, from the tokens themselves."""

import pytest

from app.qt.tokens import READABLE, SURFACES, THEMES, TONES, contrast, contrast_theme

TEXT = 4.5
LARGE = 3.0


def test_contrast_of_black_and_white():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#777777") == pytest.approx(1.0)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read(theme):
    colours = THEMES[theme]
    grounds = {*SURFACES, "neutral_tint", "accent_tint"}
    low = {
        (text, ground): round(contrast(colours.of(text), colours.of(ground)), 2)
        for text in READABLE
        for ground in grounds
        # Disabled and quiet text stand on the plain surfaces and on the neutral chip only.
        if not (text in {"text_3", "disabled"} and ground == "accent_tint") and contrast(colours.of(text), colours.of(ground)) < TEXT
    }
    assert low == {}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tone", TONES)
def test_tones_can_be_read_on_cards_and_on_their_tint(theme, tone):
    colours = THEMES[theme]
    for ground in ("window", "card", "log", f"{tone}_tint"):
        assert contrast(colours.of(tone), colours.of(ground)) >= TEXT, ground
    # Texts stand on tints too, as in an info bar.
    assert contrast(colours.text, colours.of(f"{tone}_tint")) >= 7


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("state", ["accent", "accent_over", "accent_pressed"])
def test_text_on_the_filled_button(theme, state):
    colours = THEMES[theme]
    assert contrast(colours.on_accent, colours.of(state)) >= TEXT


@pytest.mark.parametrize("theme", THEMES)
def test_marks_and_bars_can_be_seen(theme):
    colours = THEMES[theme]
    for ground in ("window", "card"):
        assert contrast(colours.line_strong, colours.of(ground)) >= LARGE
    assert contrast(colours.series_2, colours.card) >= LARGE
    assert contrast(colours.focus, colours.window) >= 7


def test_a_contrast_theme_uses_only_the_colours_of_the_system():
    made = contrast_theme("#000000", "#FFFF00", "#00FFFF", "#000001", "#808080")
    assert {made.window, made.card, made.rail, made.good_tint} == {"#000000"}
    assert {made.text, made.good, made.warn, made.bad, made.line} == {"#FFFF00"}
    assert (made.accent, made.on_accent, made.disabled, made.stroke) == ("#00FFFF", "#000001", "#808080", 2)
