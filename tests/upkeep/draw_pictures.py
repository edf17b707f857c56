"""Draws the pictures of the guide: pages of the wizard on a recorded PC, in both languages. Part of `python3 dev.py docs`.

The running install is a rehearsal of that PC's plan (`install --dry-run`), stopped in the middle of the download and with fixed
times. The proof is the one kept in docs/benchmarks, so its card is another than the recorded PC's.
"""

import io
import json
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.host.dry_run import DryRunHost
from app.host.recording import RecordedHost, load_recording
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, RunFinished, RunStarted, StepProgress, StepStarted
from app.model.facts import MachineFacts, Network
from app.model.plan import Choice, Goal, Plan
from app.model.report import Report
from app.probes import scan
from app.proof import load_proof
from app.qt.tour import preview_window, render_tour
from app.running.rehearsal import rehearse
from app.session import Session
from app.texts import LANGUAGES, Language

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "images"
PAGES = ("start", "machine", "goal", "route", "environment", "review", "install", "proof", "finish", "error-text", "cause")
OF_A_RUN = ("install", "proof", "finish")
PROOF = ROOT / "docs" / "benchmarks" / "h200.json"
PC = ROOT / "tests" / "machines" / "recordings" / "portable-5090-torch213.json"
LOG = b"""Traceback (most recent call last):
  File "D:\\ComfyUI_windows_portable\\python_embeded\\Lib\\site-packages\\triton\\__init__.py", line 8, in <module>
    from .runtime import (
ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed.
"""


class PicturedSession(Session):
    """A session of a PC on which nobody is named and nothing of the PC that draws is seen, at a time that is always the same."""

    def report(self) -> Report:
        return replace(super().report(), created_at="2026-11-29T16:43:00+00:00")

    def _environments_root(self) -> str:
        return "C:\\Users\\user\\AppData\\Local\\TritonSetup\\data\\environments"


def recorded_pc() -> tuple[RecordedHost, MachineFacts]:
    """The PC of the guide and what is read on it."""
    recording = json.loads(PC.read_text(encoding="utf-8"))["recording"]
    pc = RecordedHost(load_recording(recording, PC.name))
    # A recording of facts alone asked no server.
    return pc, replace(scan(pc, lambda _: None, Cancel()).facts, network=Network(online=True, proxy=None))


def draw_pictures(target: Path = PICTURES) -> list[Path]:
    """Writes `PAGE-light-LANGUAGE.png` for every page of the guide; returns the files."""
    from PySide6.QtGui import QImage

    pc, facts = recorded_pc()
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            session = PicturedSession(str(Path(folder) / "home"), language)
            session.facts = facts
            session.decide(Choice(goals=(Goal.COMFYUI,)))
            session.diagnose(io.BytesIO(LOG))
            pages = [file for file in render_tour(session, language, "light", Path(folder) / "tour") if not _is_of_a_run(file)]
            for file in (*pages, *render_run(session, pc, language, Path(folder) / "run")):
                name = file.name.partition("-")[2]
                if name.removesuffix(f"-light-{language}.png") in PAGES:
                    drawn.append(target / name)
                    few_colours(QImage(str(file))).save(str(drawn[-1]), "PNG", 0)
    return drawn


def _is_of_a_run(file: Path) -> bool:
    return file.name.split("-")[1] in OF_A_RUN


def render_run(session: Session, pc: RecordedHost, language: Language, target: Path) -> list[Path]:
    """The pages of a run: half way, proven, at its end; files named as those of a tour."""
    from PySide6.QtWidgets import QApplication

    from app.qt.bridge import Batch, Job
    from app.qt.look import look
    from app.qt.run_model import RunModel
    from wizard_pages.install import InstallPage

    assert session.plan is not None
    events = rehearsed(session.plan, pc)
    so_far, finished = events[: half_way(events)], events[-1]
    assert isinstance(finished, RunFinished)
    target.mkdir(parents=True)
    # The same picture at every call: nothing turns or slides.
    look().reduced_motion = True
    window = preview_window(session)
    files = []
    for number, key in enumerate(OF_A_RUN, 1):
        if key == "proof":
            window.job = None
            session.proof = load_proof(json.loads(PROOF.read_text(encoding="utf-8")), PROOF.name)
            session.last_run = finished
        page = window.go(key)
        if isinstance(page, InstallPage):
            page.model = RunModel.of(session.plan)
            window.job = Job(lambda cancel: None, "install", window)
            page.rebuild()
            lines = tuple(event for event in so_far if isinstance(event, LogLine))
            page.take(Batch(tuple(event for event in so_far if not isinstance(event, LogLine)), lines, len(lines)))
            page.update_heading()
        for _ in range(3):
            QApplication.processEvents()
        files.append(target / f"{number:02}-{key}-light-{language}.png")
        window.grab().save(str(files[-1]))
    window.close()
    window.deleteLater()
    return files


def rehearsed(plan: Plan, pc: RecordedHost) -> list[Event]:
    """What a run of the plan says, at times that are always the same."""
    events: list[Event] = []
    rehearse(plan, DryRunHost(pc), events.append, Cancel())
    return [_at(event, place) for place, event in enumerate(events)]


def _at(event: Event, place: int) -> Event:
    if isinstance(event, RunStarted | StepStarted | LogLine):
        return replace(event, time=f"2026-11-29T16:42:{place % 60:02}+00:00")
    return replace(event, seconds=38.0) if isinstance(event, RunFinished) else event


def half_way(events: list[Event]) -> int:
    """The place behind the news that more than half of a download is there."""
    return next(place for place, event in enumerate(events, 1) if isinstance(event, StepProgress) and event.total_bytes and (event.fraction or 0) > 0.5)


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
