"""Fresher tables are kept only after every check, decide from then on, and go again without a trace."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from app.current_tables import FOLDER, current_tables, forget_tables, keep_tables
from app.model.problem import ExitCode, Problem
from app.tables import load_tables
from app.tables.check import FILES
from app.tables.fresh import MANIFEST, check_fresher, difference, pack, read_package

SHIPPED = load_tables()
SHIPPED_FILES = {f"{name}.toml": (Path(__file__).resolve().parents[1] / "assets" / "tables" / f"{name}.toml").read_bytes() for name in FILES}


def fresher() -> dict[str, bytes]:
    """The shipped tables with one newer triton-windows, as a maintainer would pack them."""
    return pack({name: content.replace(b"3.8.0.post29", b"3.8.0.post31") for name, content in SHIPPED_FILES.items()}, "2027-01-15")


def zipped(files: dict[str, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        for name, content in files.items():
            package.writestr(name, content)
    stream.seek(0)
    return stream


def test_a_new_release_is_one_changed_row() -> None:
    files = fresher()
    assert difference(SHIPPED, check_fresher(files, SHIPPED)) == [("triton", "windows", 1)]


def test_kept_tables_decide_until_they_are_let_go(tmp_path: Path) -> None:
    assert current_tables(tmp_path) is SHIPPED
    keep_tables(tmp_path, fresher())
    assert current_tables(tmp_path).triton_windows[-1].newest == "3.8.0.post31"
    assert current_tables(tmp_path) is current_tables(tmp_path)
    assert forget_tables(tmp_path)
    assert not forget_tables(tmp_path)
    assert current_tables(tmp_path) is SHIPPED


def test_a_second_package_replaces_the_first(tmp_path: Path) -> None:
    keep_tables(tmp_path, fresher())
    assert current_tables(tmp_path) is not SHIPPED
    keep_tables(tmp_path, pack(SHIPPED_FILES, "2027-02-01"))
    os.utime(tmp_path / FOLDER / MANIFEST, ns=(1, 1))
    assert current_tables(tmp_path).triton_windows == SHIPPED.triton_windows


def test_the_shipped_tables_decide_where_kept_ones_were_changed(tmp_path: Path) -> None:
    keep_tables(tmp_path, fresher())
    (tmp_path / FOLDER / "triton.toml").write_bytes(b"")
    assert current_tables(tmp_path) is SHIPPED


def test_a_package_round_trips() -> None:
    files = fresher()
    assert read_package(zipped(files), "tables.zip") == files


@pytest.mark.parametrize(
    "stream",
    [
        io.BytesIO(b"no zip"),
        io.BytesIO(b""),
        zipped({"../evil.toml": b""}),
        zipped({"folder/torch.toml": b""}),
        zipped({"C:evil": b""}),
        zipped({f"{number}.toml": b"" for number in range(40)}),
        zipped({"large.toml": b"\0" * (5 << 20)}),
    ],
)
def test_what_is_no_package_is_refused_in_one_line(stream: io.BytesIO) -> None:
    with pytest.raises(Problem) as caught:
        read_package(stream, "tables.zip")
    assert caught.value.exit_code is ExitCode.BAD_INPUT
