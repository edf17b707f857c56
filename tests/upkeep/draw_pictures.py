"""Draws the pictures of the guide: pages of the wizard on a recorded PC, in both languages. Part of `python3 dev.py docs`."""

import io
import json
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.host.recording import RecordedHost, load_recording
from app.model.cancel import Cancel
from app.model.facts import Network
from app.model.plan import Choice, Goal
from app.probes import scan
from app.qt.tour import render_tour
from app.session import Session
from app.texts import LANGUAGES

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images"
PAGES = ("start", "machine", "goal", "route", "environment", "review", "error-text", "cause")
PC = ROOT / "tests" / "machines" / "recordings" / "portable-5090-torch213.json"
LOG = b"""Traceback (most recent call last):
  File "D:\\ComfyUI_windows_portable\\python_embeded\\Lib\\site-packages\\triton\\__init__.py", line 8, in <module>
    from .runtime import (
ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed.
"""


class PicturedSession(Session):
    """A session of a PC on which nobody is named and nothing of the PC that draws is seen."""

    def _environments_root(self) -> str:
        return "C:\\Users\\user\\AppData\\Local\\TritonSetup\\data\\environments"


def draw_pictures(target: Path = PICTURES) -> list[Path]:
    """Writes `PAGE-light-LANGUAGE.png` for every page of the guide; returns the files."""
    from PySide6.QtGui import QImage

    recording = json.loads(PC.read_text(encoding="utf-8"))["recording"]
    facts = scan(RecordedHost(load_recording(recording, PC.name)), lambda _: None, Cancel()).facts
    # A recording of facts alone asked no server.
    facts = replace(facts, network=Network(online=True, proxy=None))
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            session = PicturedSession(str(Path(folder) / "home"), language)
            session.facts = facts
            session.decide(Choice(goals=(Goal.COMFYUI,)))
            session.diagnose(io.BytesIO(LOG))
            for file in render_tour(session, language, "light", Path(folder) / "tour"):
                name = file.name.partition("-")[2]
                if name.removesuffix(f"-light-{language}.png") in PAGES:
                    drawn.append(target / name)
                    few_colours(QImage(str(file))).save(str(drawn[-1]), "PNG", 0)
    return drawn


def few_colours(picture: "QImage") -> "QImage":
    """The picture in its 256 most frequent colours: enough for flat areas, and a fifth of the size."""
    from PySide6.QtGui import QImage

    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = memoryview(plain.constBits()).cast("I")
    counted = Counter(pixels)
    kept = [colour for colour, _ in counted.most_common(256)]
    places = {colour: place for place, colour in enumerate(kept)}
    nearest: dict[int, int] = {}
    for colour in counted.keys() - places.keys():
        # Rare colours are edges of letters: those that differ by less than a sixteenth may become the same.
        rough = colour & 0xF0F0F0
        if rough not in nearest:
            nearest[rough] = min(range(len(kept)), key=partial(_distance, colour, kept))
        places[colour] = nearest[rough]
    indexed = QImage(bytes(map(places.__getitem__, pixels)), plain.width(), plain.height(), plain.width(), QImage.Format.Format_Indexed8)
    indexed.setColorTable(kept)
    return indexed.copy()


def _distance(colour: int, kept: list[int], place: int) -> int:
    return sum(abs((colour >> shift & 255) - (kept[place] >> shift & 255)) for shift in (0, 8, 16))
