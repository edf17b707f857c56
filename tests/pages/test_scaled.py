"""Nothing is cut off at any scale of the screen; the scale needs a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "zh_CN")


def shown_at(scale: str, theme: str, *languages: str) -> dict:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale}
    done = subprocess.run(
        [sys.executable, "-m", "tests.pages.scaled", theme, *languages], cwd=ROOT, env=environment, capture_output=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.parametrize(("scale", "language"), [("1.5", "en"), ("3", "zh_CN")])
def test_nothing_is_cut_off(scale: str, language: str) -> None:
    shown = shown_at(scale, "light", language)
    assert shown["ratio"] == float(scale)
    assert shown["scenes"] >= 25
    assert shown["wrong"] == {}


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
@pytest.mark.parametrize("scale", ["1", "1.25", "1.5", "1.75", "2", "2.5", "3"])
def test_nothing_is_cut_off_at_any_scale_in_any_language(scale: str, theme: str) -> None:
    shown = shown_at(scale, theme, *LANGUAGES)
    assert (shown["ratio"], shown["theme"]) == (float(scale), theme)
    assert shown["wrong"] == {}
