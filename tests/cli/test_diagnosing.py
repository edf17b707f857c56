"""What the terminal says of a log: the cause where one is sure, else what to send and where to ask."""

import io
import sys
from pathlib import Path

import pytest

from app.cli.front import run
from app.cli.installing import finish
from app.cli.terminal import Terminal
from app.model.events import Outcome, RunFinished
from app.model.problem import ExitCode
from app.session import Session

UNKNOWN = "Traceback (most recent call last):\n  File \"x.py\", line 3\nKeyError: 'sampler_name'\n"
KNOWN = "cuda_utils.c:13: error: include file 'Python.h' not found\n"


def said(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], language: str = "en") -> str:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["diagnose", "-", "--lang", language]) == ExitCode.DONE
    return capsys.readouterr().out


def test_an_unknown_cause_says_what_to_send_and_where_to_ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "triton-windows/issues" in said(UNKNOWN, monkeypatch, capsys)
    assert "完整文本" in said(UNKNOWN, monkeypatch, capsys, "zh_CN")


def test_a_sure_cause_comes_with_steps_check_and_source_and_nothing_to_send(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(KNOWN, monkeypatch, capsys).splitlines()
    assert "[python-headers-missing]" in lines[0]
    assert any(line.startswith("  1. ") for line in lines)
    assert any("https://" in line for line in lines)
    assert not any("issues." in line for line in lines)


@pytest.mark.parametrize(("log", "is_named"), [(KNOWN, True), (UNKNOWN, False)])
def test_a_failed_run_is_explained_by_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str], log: str, is_named: bool) -> None:
    session = Session(str(tmp_path / "home"))
    session.places.logs.mkdir(parents=True)
    (session.places.logs / "run-1.log").write_text(log, encoding="utf-8")
    assert finish(session, RunFinished("run-1", Outcome.FAILED, 1.0), Terminal("en")) == ExitCode.FAILED
    assert ("[python-headers-missing]" in capsys.readouterr().out) is is_named
