"""`update` asks nobody without leave, and tells what it found."""

import json
from pathlib import Path

import pytest

from app import __version__
from app.cli.front import run


@pytest.fixture
def announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "release.json"
    tables = {"date": "2099-01-01", "url": "https://example.org/tables.zip", "sha256": "b" * 64}
    told = {"schema": "release/1", "version": "99.0", "date": "2099-01-01", "page": "https://example.org/v99", "tables": tables}
    file.write_text(json.dumps(told), encoding="utf-8")
    monkeypatch.setenv("TRITON_SETUP_RELEASES", file.as_uri())
    return file


def test_a_build_without_an_address_asks_nobody(own_home, capsys) -> None:
    assert run(["update", "--yes", "--lang", "en"]) == 3
    assert "knows no place to ask" in capsys.readouterr().err


def test_nobody_is_asked_without_leave(own_home, announced, capsys) -> None:
    assert run(["update", "--lang", "en"]) == 3
    assert "99.0" not in capsys.readouterr().out


def test_a_newer_version_and_fresher_tables_are_told(own_home, announced, capsys) -> None:
    assert run(["update", "--yes", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert f"Version 99.0 of 2099-01-01 is out. This is {__version__}." in said
    assert f"tables --take https://example.org/tables.zip --sha256 {'b' * 64}" in said
    assert run(["update", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["is_newer"] is True


def test_the_same_version_is_the_newest(own_home, announced, capsys) -> None:
    announced.write_text(json.dumps({"schema": "release/1", "version": __version__, "date": "2026-11-30", "page": "https://example.org/v"}), encoding="utf-8")
    assert run(["update", "--yes", "--lang", "zh_CN"]) == 0
    assert "已是最新版本" in capsys.readouterr().out
