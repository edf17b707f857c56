"""No cause is named where there is none, and a confidence is a share of right answers."""

import io
import tomllib
from pathlib import Path

import pytest

from app.diagnosis.logs import diagnose
from app.diagnosis.logs.ranking import SURE

HERE = Path(__file__).parent
QUIET = tomllib.loads((HERE / "quiet.toml").read_text(encoding="utf-8"))
SAID = tomllib.loads((HERE / "said.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", QUIET["healthy"])
def test_a_text_without_trouble_is_healthy(text: str) -> None:
    diagnosis = diagnose(io.BytesIO(text.encode()))
    assert diagnosis.healthy
    assert {finding.code for finding in diagnosis.findings} <= {"harmless-warning", "wsl-restart-pending"}


@pytest.mark.parametrize("text", QUIET["unrelated"])
def test_another_programs_trouble_or_mere_talk_names_no_cause_for_sure(text: str) -> None:
    assert not [finding.code for finding in diagnose(io.BytesIO(text.encode())).findings if finding.confidence > SURE]


QUESTIONS = (
    'What does "{}" mean?',
    'Is "{}" something that current versions still print?',
    "请问“{}”是什么意思？",
)
REPORTS = (
    'ComfyUI says "{}". What can I do?',
    "Since the update I get this:\n{}",
    "启动时报错：{}，怎么解决？",
    "{}. What can I do?",
)
QUOTED = {
    "CUDA out of memory": "out-of-gpu-memory",
    "No module named 'triton'": "triton-missing",
    "DLL load failed while importing libtriton": "vc-runtime-stale",
    "OSError: [WinError 1455]": "paging-file-too-small",
}


@pytest.mark.parametrize("quoted", QUOTED)
def test_a_question_about_an_error_names_no_cause_and_a_report_of_it_does(quoted: str) -> None:
    for question in QUESTIONS:
        assert not [finding for finding in diagnose(io.BytesIO(question.format(quoted).encode())).findings if finding.confidence > SURE], question
    for report in REPORTS:
        assert diagnose(io.BytesIO(report.format(quoted).encode())).findings[0].code == QUOTED[quoted], report


@pytest.mark.parametrize("text", QUIET["undecided"])
def test_what_does_not_decide_is_not_decided(text: str) -> None:
    diagnosis = diagnose(io.BytesIO(text.encode()))
    assert not diagnosis.healthy
    assert not [finding.code for finding in diagnosis.findings if finding.confidence > SURE and finding.code != "wrapped-error"]


def test_of_findings_with_nine_tenths_nine_in_ten_are_right() -> None:
    labelled = [({code}, text) for code, row in SAID.items() for text in row["texts"]]
    labelled += [(set[str](), text) for kind in ("unrelated", "undecided") for text in QUIET[kind]]
    sure = [finding.code in right for right, text in labelled[::2] for finding in diagnose(io.BytesIO(text.encode())).findings if finding.confidence >= 0.9]
    assert len(sure) > 150
    assert sum(sure) / len(sure) >= 0.9
