"""What the terminal says of a log: the cause where one is sure, else what to send and where to ask."""

import io
import json
import random
import sys
from pathlib import Path

import pytest

from app.cli.front import run
from app.cli.installing import finish
from app.cli.terminal import Terminal
from app.model.events import Outcome, RunFinished
from app.model.facts import MachineFacts, OperatingSystem
from app.model.problem import ExitCode
from app.session import Session

PICTURE = b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(5000)
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


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "no text in it"), (b" \n\t\n", "no text in it"), (bytes(1000), "no text in it"), (PICTURE, "is no text")]
)
def test_a_file_without_text_is_bad_input_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(content)
    assert run(["diagnose", str(path)]) == ExitCode.BAD_INPUT
    printed = capsys.readouterr()
    assert not printed.out
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert run(["diagnose", str(path), "--json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == ("binary" if content == PICTURE else "empty")
    assert document["healthy"] is (document["kind"] == "empty")
    assert document["findings"] == []


def test_a_report_of_ours_is_named_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(str(tmp_path / "home"))
    session.facts = MachineFacts(schema="machine/1", os=OperatingSystem(family="windows", version="10.0.26100", arch="x86_64"))
    session.save_report(tmp_path / "r.zip")
    assert run(["diagnose", str(tmp_path / "r.zip")]) == ExitCode.BAD_INPUT
    assert "--machine" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["triton 装不上,怎么办", "it does not work"])
def test_words_of_a_person_alone_are_no_log(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(text, monkeypatch, capsys)
    assert "No message of a program" in out
    assert "Paste the text of the error" in out


@pytest.mark.parametrize(
    ("before", "seen"),
    [("", "Seen in line 1."), ("x\n" + KNOWN, "Seen in lines 2 to 3."), (KNOWN + "x\ny\n", "Seen in lines 1, 4.")],
)
def test_the_lines_are_one_sentence(before: str, seen: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert seen in said(before + KNOWN, monkeypatch, capsys)


def test_lists_have_the_comma_of_the_language(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "见第 1、4 至 5 行。" in said(KNOWN + "x\ny\n" + KNOWN * 2, monkeypatch, capsys, "zh_CN")


def test_a_failed_run_of_ours_is_of_no_other_system_and_names_no_weak_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "bash: apt: command not found\nERROR: HTTPSConnectionPool(host='x', port=443): Max retries exceeded ([Errno 101] Network is unreachable)\n"
    others = {found.code for found in Session(str(tmp_path)).diagnose(io.BytesIO(text.encode())).findings}
    session = Session(str(tmp_path / "home"))
    session.places.logs.mkdir(parents=True)
    (session.places.logs / "run-1.log").write_text(text, encoding="utf-8")
    finish(session, RunFinished("run-1", Outcome.FAILED, 1.0), Terminal("en"))
    assert session.diagnosis is not None
    own = {found.code for found in session.diagnosis.findings}
    assert own < others
    assert "network-failed" in own
    assert all(found.confidence > 0.5 for found in session.diagnosis.findings)
