"""`code` and `compare`: what was read aloud, pasted or photographed comes back as sentences; what is wrong with it is said in one line."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.cli.front import run
from app.model import codec
from app.report import Identity, save_report
from app.report.code import ALPHABET, support_code
from app.report.compact import make_compact, qr_matrix, write_compact
from tests.report import samples

REPORT = samples.failed_report()
CODE = support_code("failed", REPORT.facts, REPORT.plan, REPORT.proof, REPORT.diagnosis)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert run(["code", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def photo(path: Path, *, scale: int = 5, turn: float = 0, format_: QImage.Format = QImage.Format.Format_RGB32, ground: object = "#e8e4da") -> Path:
    """The QR picture of the report on a larger ground, as a camera or a screenshot shows it."""
    matrix = qr_matrix(REPORT)
    side = (len(matrix) + 8) * scale
    image = QImage(side * 2, side * 2, format_)
    image.fill(QColor(ground) if isinstance(ground, str) else Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.translate(side, side)
    painter.rotate(turn)
    painter.translate(-side / 2, -side / 2)
    if isinstance(ground, str):
        painter.fillRect(QRect(0, 0, side, side), QColor("#f4f1ea"))
    for y, row in enumerate(matrix):
        for x, is_dark in enumerate(row):
            if is_dark:
                painter.fillRect(QRect((x + 4) * scale, (y + 4) * scale, scale, scale), QColor("#1d1b22"))
    painter.end()
    assert image.save(str(path))
    return path


@pytest.mark.parametrize("words", [(CODE,), (CODE.lower().replace("-", ""),), tuple(CODE.split("-"))], ids=["as shown", "as typed", "in groups"])
def test_a_code_is_explained(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys, *words)
    assert lines[0].startswith("Page: ")
    assert "(vc-runtime-stale)" in lines[1]
    assert "torch 2.8" in lines


@pytest.mark.parametrize("position", [0, 5, 11])
def test_a_wrong_digit_is_noticed(position: int, capsys: pytest.CaptureFixture[str]) -> None:
    signs = CODE.replace("-", "")
    other = ALPHABET[(ALPHABET.index(signs[position]) + 1) % len(ALPHABET)]
    assert "A sign is wrong" in refusal(capsys, "code", signs[:position] + other + signs[position + 1 :])


def test_pasted_text_is_explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = write_compact(REPORT)
    lines = answer(capsys, text)
    assert "torch 2.8.0+cu128" in " ".join(lines)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(f"\ufeffhe sent:\r\n{text}\r\n".encode())))
    assert answer(capsys, "-") == lines
    assert answer(capsys, f"he sent {text}") == lines


def test_json_holds_the_values_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["code", write_compact(REPORT), "--json", "--lang", "zh_CN"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["values"] == json.loads(codec.dumps(make_compact(REPORT)))
    assert document["lines"][1].startswith("系统：")


@pytest.mark.parametrize(("name", "turn"), [("photo.png", 0), ("photo.jpg", 7), ("photo.jpg", 180), ("photo.bmp", 90)])
def test_a_photo_is_explained_like_its_text(name: str, turn: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "--image", str(photo(tmp_path / name, turn=turn))) == answer(capsys, write_compact(REPORT))


def test_a_clear_ground_and_a_very_large_photo_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys, write_compact(REPORT))
    assert answer(capsys, "--image", str(photo(tmp_path / "clear.png", format_=QImage.Format.Format_ARGB32, ground=None))) == lines
    assert answer(capsys, "--image", str(photo(tmp_path / "large.png", scale=44, format_=QImage.Format.Format_Grayscale8))) == lines


def test_a_damaged_picture_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = photo(tmp_path / "photo.png")
    image = QImage(str(path))
    painter = QPainter(image)
    painter.fillRect(QRect(image.width() // 3, image.height() // 3, image.width() // 3, image.height() // 3), QColor("white"))
    painter.end()
    image.save(str(path))
    assert "QR picture" in refusal(capsys, "code", "--image", str(path))
    (tmp_path / "cut.png").write_bytes(photo(tmp_path / "whole.png").read_bytes()[:200])
    assert "cut.png" in refusal(capsys, "code", "--image", str(tmp_path / "cut.png"))


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"PK\x03\x04", b"P6 99999 99999 255\n" + b"x" * 50]
)
def test_a_file_that_is_no_picture_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no-picture.png").write_bytes(content)
    assert "no-picture.png" in refusal(capsys, "code", "--image", str(tmp_path / "no-picture.png"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--image"),
        ((CODE, "--image", "x.png"), "not both"),
        (("--image", "no-such.png"), "no-such.png"),
        (("TS1:0",), "incomplete"),
        (("K7QM-3TX9",), "12 signs"),
    ],
)
def test_what_is_missing_or_too_much_is_said(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refusal(capsys, "code", *arguments)


def test_two_reports_are_compared_in_words_json_and_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, report in (("bad.zip", REPORT), ("good.zip", samples.good_report())):
        save_report(report, None, {}, Identity(), tmp_path / name)
    both = (str(tmp_path / "bad.zip"), str(tmp_path / "good.zip"))
    assert run(["compare", *both]) == 0
    lines = capsys.readouterr().out.splitlines()
    matters = [line for line in lines if line.startswith("! ")]
    assert matters
    assert lines[: len(matters)] == matters
    assert run(["compare", *both, "--markdown"]) == 0
    block = capsys.readouterr().out
    assert block.startswith("### ")
    assert "|---|---|---|---|" in block
    assert run(["compare", *both, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [d["matters"] for d in document["differences"]].count(True) == len(matters)
    assert document["first"] == REPORT.created_at
    assert run(["compare", both[0], both[0]]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert "no-such.zip" in refusal(capsys, "compare", both[0], "no-such.zip")
