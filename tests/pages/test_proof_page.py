"""The proof page at work: real programs in real threads, lines measured again, an app watched, proofs compared."""

import json
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.model.events import ProofArrived
from app.model.facts import Python
from app.model.plan import PlannedPython
from app.model.proof import Check, Level, Proof, ProofVerdict
from app.proof import judge, keep_proof
from app.qt.parts.button import Button
from app.qt.parts.card import Card
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.proof_row import ProofRow
from app.qt.parts.words import Words
from app.qt.proof_lines import lines_so_far
from app.session import Replay
from tests.pages.samples import FACTS, PLAN, PROOF
from wizard_pages import proof as proof_page

COMFYUI = """
import logging, sys
from sageattention import sageattn
assert sys.argv[1:] == ["--use-sage-attention"]
logging.basicConfig(level=logging.INFO)
logging.info("Using sage attention")
for _ in range(40): sageattn(1, 2, 3)
"""
FALLS_BACK = COMFYUI + 'logging.error("Error running sage attention: no kernel image, using pytorch attention instead.")\n'
STAYS = COMFYUI + "import time; time.sleep(600)\n"


@pytest.fixture
def comfyui(window, tmp_path: Path):
    """A window whose plan has set up an app in a folder of the test; called with the app's program."""

    def set_up(program: str) -> None:
        (tmp_path / "main.py").write_text(program, encoding="utf-8")
        (tmp_path / "sageattention.py").write_text("def sageattn(q, k, v, attn_mask=None): return q\n", encoding="utf-8")
        python = Python(sys.executable, "venv", "3.11.9", app="comfyui", app_root=str(tmp_path), packages={})
        window.session.facts = replace(FACTS, pythons=(python,))
        window.session.plan = replace(PLAN, python=PlannedPython(sys.executable, "venv", "3.11.9"))
        window.session.proof = replace(PROOF, python=sys.executable)
        window.go("proof")

    return set_up


@pytest.fixture
def bare(window):
    """A window whose plan's Python has no torch."""
    window.session.facts = replace(FACTS, gpus=(), pythons=())
    window.session.plan = replace(PLAN, python=PlannedPython(sys.executable, "venv", "3.11.9"))
    return window


def button(window, name: str) -> Button:
    return window.current.findChild(Button, name)


def line(window, code: str) -> ProofRow:
    return window.current.findChild(ProofRow, f"line-{code}")


def link(window, key: str) -> Button:
    return next(found for found in window.footer.findChildren(Button) if found.objectName() == key)


def wait_for_end(window, qtbot):
    qtbot.waitUntil(lambda: not window.is_busy, timeout=60_000)
    QApplication.processEvents()


def words_of(widget) -> str:
    return "\n".join(found.text() for found in widget.findChildren(Words))


def test_what_fails_is_named_and_one_line_is_measured_again(bare, qtbot):
    bare.go("proof")
    assert bare.current.is_measuring
    assert not bare.footer.primary.isEnabled()
    wait_for_end(bare, qtbot)
    first = bare.session.proof
    assert first.verdict is ProofVerdict.FAILS
    assert "torch" in words_of(line(bare, "loads"))
    line(bare, "loads").set_open(True)
    button(bare, "again-loads").click()
    assert bare.session.proof is first, "what was found stays on the page meanwhile"
    assert line(bare, "loads").accessibleName().endswith("Measuring")
    wait_for_end(bare, qtbot)
    assert [check.code for check in bare.session.proof.checks] == [check.code for check in first.checks]
    assert bare.session.proof.checks[0] is not first.checks[0]
    assert line(bare, "loads").is_open, "a line stays as it was unfolded"


def test_a_stopped_measurement_can_be_begun_again(bare, qtbot):
    bare.go("proof")
    link(bare, "stop").click()
    wait_for_end(bare, qtbot)
    assert bare.session.proof is None
    assert bare.current.accessibleName() == "Not proved yet"
    assert link(bare, "again").isEnabled()


def test_a_line_that_is_stopped_keeps_its_result(window, qtbot):
    window.session.proof = replace(PROOF, python=sys.executable)
    window.go("proof")
    button(window, "again-right").click()
    link(window, "stop").click()
    wait_for_end(window, qtbot)
    assert window.session.proof.checks == PROOF.checks
    assert line(window, "right").accessibleName().endswith("Passed")


def test_the_app_is_started_and_its_calls_are_counted(comfyui, window, qtbot):
    comfyui(COMFYUI)
    button(window, "watch").click()
    assert link(window, "stop").text() == "Close ComfyUI"
    wait_for_end(window, qtbot)
    check = window.session.proof.checks[-1]
    assert (check.code, check.outcome, check.numbers["calls"]) == ("sage-used", "passed", 40)
    assert "40 calls, no error" in words_of(line(window, "used"))
    assert window.session.proof.verdict is ProofVerdict.FAST
    window.set_language("zh_CN")
    assert "调用 40 次" in words_of(line(window, "used"))


def test_a_fall_back_is_told_with_its_error_and_a_next_step(comfyui, window, qtbot):
    comfyui(FALLS_BACK)
    button(window, "watch").click()
    wait_for_end(window, qtbot)
    assert window.session.proof.checks[-1].detail.startswith("ERROR:root:Error running sage attention: no kernel image")
    assert window.current.accessibleName() == "Triton works. ComfyUI does not fully use SageAttention"
    bar = window.current.findChild(InfoBar)
    assert "was not built for this card" in words_of(bar)


def test_closing_the_app_from_the_page_is_a_result(comfyui, window, qtbot):
    comfyui(STAYS)
    button(window, "watch").click()
    qtbot.waitUntil(lambda: "so far: 32" in words_of(window.current), timeout=30_000)
    link(window, "stop").click()
    wait_for_end(window, qtbot)
    assert window.session.proof.checks[-1].outcome == "passed"


def test_an_app_that_does_not_start_says_why(comfyui, window, qtbot):
    comfyui("raise SystemExit('models folder is missing')")
    button(window, "watch").click()
    wait_for_end(window, qtbot)
    check = window.session.proof.checks[-1]
    assert (check.outcome, check.detail) == ("failed", "models folder is missing")
    assert check.numbers == {"use": "not-started", "ended": "crash", "exit_code": 1}
    assert "models folder is missing" in words_of(line(window, "used"))


def test_an_app_that_already_runs_is_told_so(comfyui, window, qtbot):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        comfyui(f"import asyncio\nasyncio.run(asyncio.start_server(print, '127.0.0.1', {port}))")
        button(window, "watch").click()
        wait_for_end(window, qtbot)
    assert window.session.proof.checks[-1].numbers["because"] == "already-running"
    assert "Close it, then start and count." in words_of(window.current.findChild(InfoBar))


def test_the_log_of_the_last_start_by_the_start_file_is_read(comfyui, window, tmp_path: Path):
    comfyui(COMFYUI)
    (tmp_path / "user").mkdir()
    error = "Error running sage attention: no kernel image is available, using pytorch attention instead."
    (tmp_path / "user" / "comfyui.log").write_text(f"Using sage attention\n{error}\n", encoding="utf-8")
    button(window, "read-log").click()
    assert window.session.proof.checks[-1].numbers["use"] == "fell-back"
    line(window, "used").set_open(True)
    assert error in "\n".join(field.toPlainText() for field in line(window, "used").findChildren(QPlainTextEdit))


def test_a_log_elsewhere_can_be_chosen(comfyui, window, monkeypatch, tmp_path: Path):
    comfyui(COMFYUI)
    log = tmp_path / "elsewhere.log"
    log.write_text("Using pytorch attention\n", encoding="utf-8")
    monkeypatch.setattr(proof_page, "choose_file_to_open", lambda *_: str(log))
    button(window, "read-log").click()
    assert window.session.proof.checks[-1].numbers["use"] == "off"
    assert "another kind" in words_of(line(window, "used"))


def test_copy_takes_the_whole_proof_as_text(window):
    window.session.proof = PROOF
    window.go("proof")
    link(window, "copy").click()
    assert QGuiApplication.clipboard().text().startswith("Works, and it is fast\n\n+ Loads: ")


def test_saving_writes_the_document_and_comparing_reads_it(window, monkeypatch, tmp_path: Path):
    slower = tuple(replace(bench, median_ms=bench.median_ms * 2, p20_ms=bench.p20_ms * 2, value=bench.value / 2) for bench in PROOF.benchmarks)
    window.session.proof = replace(PROOF, measured_at="2026-11-29T16:42:00+00:00")
    window.go("proof")
    file = tmp_path / "proof.json"
    monkeypatch.setattr(proof_page, "choose_file_to_save", lambda *_: str(file))
    link(window, "save").click()
    assert json.loads(file.read_text(encoding="utf-8"))["schema"] == "proof/1"
    window.session.proof = replace(PROOF, benchmarks=slower)
    window.current.rebuild()
    shown = []
    monkeypatch.setattr(proof_page, "choose_file_to_open", lambda *_: str(file))
    monkeypatch.setattr(proof_page.Reading, "exec", lambda reading: shown.append((reading.windowTitle(), reading.field.toPlainText())))
    button(window, "compare").click()
    title, text = shown[0]
    assert title.startswith("Compared with 29 Nov 2026")
    assert "459 → 229.5 GB/s" in text
    assert "0.50 ×" in text


@pytest.mark.parametrize("content", ["{}", "no json", '{"schema": "proof/2"}'])
def test_a_file_that_is_no_proof_is_told(window, monkeypatch, tmp_path: Path, content: str):
    window.session.proof = PROOF
    window.go("proof")
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    told = []
    monkeypatch.setattr(proof_page, "choose_file_to_open", lambda *_: str(tmp_path / "x.json"))
    monkeypatch.setattr(window, "tell", told.append)
    button(window, "compare").click()
    assert [problem.text.params["file"] for problem in told] == ["x.json"]


def test_what_got_worse_since_the_last_proof_is_shown_unasked(bare, qtbot):
    earlier = judge(Proof(Level.KERNEL, ProofVerdict.WORKS, (Check("import-torch", "passed", ""), Check("import-triton", "passed", ""))))
    keep_proof(replace(earlier, backend="interpreter", python=sys.executable, measured_at="2026-11-01T10:00:00+00:00"), bare.session.places)
    bare.go("proof")
    wait_for_end(bare, qtbot)
    text = words_of(bare.current.findChild(Card, "worse"))
    assert text.startswith("Worse than on 1 Nov 2026")
    assert "PyTorch loads" in text


def test_a_replay_shows_and_measures_nothing(window):
    window.session.proof = PROOF
    window.session.replay = Replay(Path("report.zip"), None)
    window.go("proof")
    assert button(window, "watch") is None
    assert button(window, "again-loads") is None
    assert {found.objectName() for found in window.footer.findChildren(Button)} & {"again", "copy", "save"} == {"copy", "save"}
    assert button(window, "compare").isEnabled()


def test_no_code_of_ours_is_shown_while_it_is_measured():
    arrived = (
        ProofArrived("sage-import", "skipped", "sage-not-installed"),
        ProofArrived("softmax", "failed", "RuntimeError: boom"),
        ProofArrived("add-odd", "passed", "6 odd lengths, bit for bit"),
        ProofArrived("attention", "running", ""),
    )
    assert [line.sentence for line in lines_so_far(arrived, "zh_CN")] == ["此处未安装 SageAttention。", "失败：RuntimeError: boom", "", ""]


def test_the_finish_page_names_what_failed_and_blames_nothing_else(window):
    wrong = Check("sage-accuracy", "failed", "4 of 20 shapes differ", {"wrong": True})
    window.session.proof = judge(replace(PROOF, checks=(*PROOF.checks, wrong)))
    window.go("finish")
    assert "Triton works. SageAttention gives wrong results" in words_of(window.current)
    assert "does not run" not in words_of(window.current)
