"""`tables`: fresher tables are taken with consent or a named hash only, and then decide what `plan` says."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

from app.cli.front import run
from tests.test_current_tables import fresher


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITON_SETUP_HOME", str(tmp_path / "home"))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, content in fresher().items():
            made.writestr(name, content)
    file = tmp_path / "tables.zip"
    file.write_bytes(stream.getvalue())
    return file


def hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def dates(capsys: pytest.CaptureFixture[str]) -> tuple[str, bool]:
    capsys.readouterr()
    assert run(["tables", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return found["date"], found["is_shipped"]


def test_without_a_person_or_a_hash_nothing_is_taken(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", "--take", str(package)]) == 3
    assert run(["tables", "--take", str(package), "--yes"]) == 3
    assert hash_of(package) in capsys.readouterr().out
    assert dates(capsys)[1]


def test_another_hash_is_refused(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", "--take", str(package), "--yes", "--sha256", "0" * 64]) == 2
    assert hash_of(package) in capsys.readouterr().err
    assert dates(capsys)[1]


def test_what_is_no_package_is_told_in_one_line(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package.write_bytes(b"no zip")
    for file in (package, package.with_name("not-there.zip")):
        assert run(["tables", "--take", str(file), "--yes"]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_tables_with_the_named_hash_decide_until_they_are_let_go(package: Path, machine_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(Path(machine_file).read_text(encoding="utf-8"))
    facts["pythons"][0]["packages"]["torch"] = "2.14.1+cu130"
    Path(machine_file).write_text(json.dumps(facts), encoding="utf-8")

    def planned() -> str:
        capsys.readouterr()
        assert run(["plan", "--machine", machine_file, "--json"]) == 0
        return str(json.loads(capsys.readouterr().out)["packages"]["triton-windows"])

    assert planned() == "3.8.0.post29"
    assert run(["tables", "--take", str(package), "--yes", "--sha256", hash_of(package)]) == 0
    assert not dates(capsys)[1]
    assert planned() == "3.8.0.post31"
    assert run(["tables"]) == 0
    assert run(["tables", "--shipped"]) == 0
    assert planned() == "3.8.0.post29"
    assert run(["tables", "--shipped"]) == 0


def test_a_named_torch_is_planned_where_one_is_taken_anew(machine_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["plan", "--machine", machine_file, "--new-env", "C:\\t", "--torch-version", "2.10.0+cu128", "--json"]
    assert run(argv) == 0
    assert json.loads(capsys.readouterr().out)["packages"]["torch"] == "2.10.0+cu128"
