"""Files changed for good, and errors that say what to do."""

import errno
import os
from pathlib import Path

import pytest

from app.host import file_changes
from app.model.problem import Problem


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "文件.txt"
    file_changes.write_file(str(path), b"one")
    file_changes.write_file(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_bytes(b"old")
    (tmp_path / "kept.txt.new").mkdir()
    with pytest.raises(Problem):
        file_changes.write_file(str(path), b"new")
    assert path.read_bytes() == b"old"


def test_rename_never_overwrites(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    with pytest.raises(Problem):
        file_changes.rename(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (tmp_path / "b").read_text() == "b"
    file_changes.rename(str(tmp_path / "a"), str(tmp_path / "new" / "c"))
    assert (tmp_path / "new" / "c").read_text() == "a"


def test_remove_takes_links_not_what_they_lead_to(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "kept").write_text("x")
    (tmp_path / "link").symlink_to(target)
    file_changes.remove(str(tmp_path / "link"))
    assert (target / "kept").exists()
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(target)
    (inside / "locked").mkdir(mode=0o500)
    file_changes.remove(str(inside))
    file_changes.remove(str(inside))
    assert not inside.exists()
    assert (target / "kept").exists()


@pytest.mark.parametrize(
    ("number", "code", "cause"),
    [
        (errno.ENOSPC, "run.disk-full", "disk-full"),
        (errno.EDQUOT, "run.disk-full", "disk-full"),
        (errno.EACCES, "run.no-right-to-write", "permission-denied"),
        (errno.EROFS, "run.no-right-to-write", "permission-denied"),
        (errno.EBUSY, "run.file-in-use", "file-locked"),
        (errno.EIO, "run.file-failed", None),
    ],
)
def test_an_error_names_its_cause(number: int, code: str, cause: str | None) -> None:
    problem = file_changes.problem_of(OSError(number, os.strerror(number)), "/x")
    assert (problem.text.code, problem.cause, problem.text.params["path"]) == (code, cause, "/x")


def test_flushing_works_on_this_file_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    file_changes.flush_folder(str(tmp_path))
    file_changes.flush_files(str(tmp_path), [str(tmp_path / "file"), str(tmp_path / "gone")])
