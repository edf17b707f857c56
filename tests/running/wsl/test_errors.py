"""Codes of wsl.exe decide, whatever language its sentences are in and however its bytes are encoded."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.resources import assets
from app.running.wsl.errors import decode, find_error, problem_of
from app.texts import has, words

ROWS = tomllib.loads((assets() / "tables" / "wsl_errors.toml").read_text(encoding="utf-8"))["row"]
LABELS = ("Error code:", "Fehlercode:", "错误代码:", "エラー コード:", "Код ошибки:")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["codes"][0])
def test_every_code_of_the_table_is_told_apart(row: dict[str, object]) -> None:
    for number, code in enumerate(row["codes"]):
        printed = f"…\r\n{LABELS[number % len(LABELS)]} Wsl/Service/CreateInstance/{code}\r\n"
        for encoded in (printed.encode("utf-16-le"), b"\xff\xfe" + printed.encode("utf-16-le"), printed.encode()):
            error = find_error(decode(encoded))
            assert error is not None
            assert (error.cause, error.act) == (row["cause"], row["act"])
        problem = problem_of(printed, -1)
        assert problem.cause == row["cause"]
        for language in ("en", "zh_CN"):
            assert code in words(problem.text, language)
    assert has(f"wsl.act-{row['act']}")


def test_an_old_launcher_prints_a_bare_hresult() -> None:
    error = find_error("WslRegisterDistribution failed with error: 0x80370102\r\n")
    assert error is not None
    assert error.act == "firmware"


def test_a_code_without_a_row_is_named_and_nothing_is_claimed() -> None:
    problem = problem_of("Wsl/Service/E_SOMETHING_NEW", 0xFFFFFFFF)
    assert problem.cause is None
    assert "E_SOMETHING_NEW" in words(problem.text)
    assert find_error("a distro named Wsl is fine, 0x10 too") is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_no_output_crashes_it(output: bytes) -> None:
    problem_of(decode(output), 1)
