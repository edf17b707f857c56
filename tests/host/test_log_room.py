"""Old logs go, new ones stay."""

import os
from pathlib import Path

from app.host.log_room import trim_logs


def logs(folder: Path, count: int, size: int = 10) -> list[Path]:
    made = []
    for number in range(count):
        path = folder / f"run-{number:03}.log"
        path.write_bytes(b"x" * size)
        os.utime(path, (number, number))
        made.append(path)
    return made


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_oldest_go_beyond_the_count(tmp_path: Path) -> None:
    made = logs(tmp_path, 7)
    trim_logs(tmp_path, most_files=3)
    assert names(tmp_path) == [path.name for path in made[-3:]]


def test_the_oldest_go_beyond_the_size(tmp_path: Path) -> None:
    made = logs(tmp_path, 5, size=100)
    trim_logs(tmp_path, most_bytes=250)
    assert names(tmp_path) == [path.name for path in made[-2:]]


def test_the_newest_stays_however_large_and_other_files_are_left(tmp_path: Path) -> None:
    logs(tmp_path, 1, size=1000)
    (tmp_path / "notes.txt").write_text("mine")
    trim_logs(tmp_path, most_bytes=10)
    assert names(tmp_path) == ["notes.txt", "run-000.log"]


def test_no_folder_is_no_trouble(tmp_path: Path) -> None:
    trim_logs(tmp_path / "nothing")
