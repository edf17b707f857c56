"""`forget` shows first, removes only what is ours, and keeps environments unless they are named."""

from pathlib import Path

import pytest

from app.cli.front import run
from app.host.places import places


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITON_SETUP_HOME", str(tmp_path / "home"))
    here = places(str(tmp_path / "home"))
    for folder in (here.cache / "wheels", here.logs, here.environments / "triton"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 1_500_000)
    return tmp_path / "home"


def test_nothing_is_removed_unasked(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["forget"]) == 3
    said = capsys.readouterr().out
    assert "(1.5 MB)" in said
    assert (home / "cache" / "wheels" / "file").exists()


def test_traces_go_and_environments_stay(home: Path) -> None:
    assert run(["forget", "--yes"]) == 0
    assert not (home / "cache").exists()
    assert not (home / "logs").exists()
    assert (home / "data" / "environments" / "triton" / "file").exists()
    assert run(["forget", "--yes", "--environments"]) == 0
    assert not (home / "data" / "environments").exists()


def test_every_trace_goes_when_all_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = places(str(home))
    for folder in (here.data / "tables", here.data / "pythons" / "cpython", here.data / "reports", here.data / "vllm", here.state / "runs"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x")
    assert run(["forget", "--yes"]) == 0
    assert sorted(path.name for path in here.data.iterdir()) == ["environments", "pythons"]
    assert run(["forget", "--yes", "--environments"]) == 0
    assert str(here.data / "pythons") in capsys.readouterr().out
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert not here.data.exists()


def test_a_clean_machine_is_said_to_be_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TRITON_SETUP_HOME", str(tmp_path / "nothing"))
    assert run(["forget", "--yes"]) == 0
    assert "nothing" in capsys.readouterr().out
