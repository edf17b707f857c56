"""Downloads from a server that misbehaves."""

import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host.downloads import Downloader, file_sha256, shown
from app.model.cancel import Cancel
from app.model.problem import Cancelled, Problem
from tests.running.index_server import Fault, IndexServer

CONTENT = hashlib.shake_128(b"content").digest(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[IndexServer]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "file.whl").write_bytes(CONTENT)
    with IndexServer(folder) as server:
        yield server


@pytest.fixture
def downloader() -> Iterator[Downloader]:
    downloader = Downloader("test", stall_s=0.5, pauses_s=(0.01, 0.01))
    yield downloader
    downloader.close()


def fetch(downloader: Downloader, url: str, target: Path, sha256: str | None = SHA256, size: int | None = len(CONTENT), cancel: Cancel | None = None) -> list:
    told: list[tuple[int, int | None]] = []
    on_progress = lambda done, total: told.append((done, total))  # noqa: E731
    downloader.download(url, str(target), sha256=sha256, size_bytes=size, on_progress=on_progress, cancel=cancel or Cancel())
    return told


@pytest.mark.parametrize(
    "faults",
    [
        [],
        [Fault("drop", 100_000)],
        [Fault("drop", 0), Fault("drop", 250_000), Fault("short", 10)],
        [Fault("stall", 120_000)],
        [Fault("short", 299_999)],
        [Fault("drop", 50_000), Fault("no-range")],
        [Fault("drop", 50_000), Fault("wrong-range")],
        [Fault("drop", 50_000), Fault("other-bytes")],
        [Fault("status", status=500), Fault("status", status=503), Fault("drop", 9)],
        [Fault("drop", 100_000), Fault("drop", 1), Fault("drop", 1), Fault("drop", 1), Fault("drop", 1)],
    ],
    ids=lambda faults: "+".join(f.kind for f in faults) or "none",
)
@pytest.mark.parametrize("knows_size", [True, False])
def test_the_right_bytes_arrive_in_the_end(server: IndexServer, downloader: Downloader, tmp_path: Path, faults: list[Fault], knows_size: bool) -> None:
    server.faults["file.whl"] = list(faults)
    target = tmp_path / "got" / "file.whl"
    told = fetch(downloader, server.file_url("file.whl"), target, size=len(CONTENT) if knows_size else None)
    assert target.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert not target.with_name("file.whl.part").exists()
    assert not server.faults["file.whl"]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_refusal_is_not_asked_again(server: IndexServer, downloader: Downloader, tmp_path: Path, status: int) -> None:
    server.faults["file.whl"] = [Fault("status", status=status)]
    with pytest.raises(Problem) as refused:
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (refused.value.text.code, refused.value.text.params["reason"]) == ("run.download-refused", f"HTTP {status}")
    assert len(server.requests) == 1
    assert not (tmp_path / "file.whl").exists()


def test_a_server_that_never_recovers_is_given_up(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    server.faults["file.whl"] = [Fault("status", status=500)] * 50
    with pytest.raises(Problem) as failed:
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (failed.value.text.code, failed.value.cause) == ("run.download-failed", "network-failed")
    assert len(server.requests) == 3


def test_other_bytes_than_promised_are_never_used(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    server.faults["file.whl"] = [Fault("other-bytes")] * 3
    with pytest.raises(Problem) as refused:
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (refused.value.text.code, refused.value.cause) == ("run.hash-mismatch", "hash-mismatch")
    assert not list(tmp_path.glob("file.whl*"))


def test_more_bytes_than_promised_are_not_written(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl", sha256=None, size=1000)
    assert refused.value.cause == "hash-mismatch"
    assert not (tmp_path / "file.whl").exists()


def test_a_redirect_is_followed_to_another_server(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "real.whl").write_bytes(CONTENT)
    with IndexServer(tmp_path / "other") as other:
        server.faults["file.whl"] = [Fault("redirect", target=other.file_url("real.whl"))]
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (tmp_path / "file.whl").read_bytes() == CONTENT


def test_an_earlier_part_is_taken_up(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    (tmp_path / "file.whl.part").write_bytes(CONTENT[:200_000])
    fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (tmp_path / "file.whl").read_bytes() == CONTENT
    assert server.requests == [("/files/file.whl", "bytes=200000-")]


@pytest.mark.parametrize("part", [b"of another file" * 1000, CONTENT + b"too long", CONTENT[:-1] + b"x"])
def test_an_earlier_part_of_something_else_is_thrown_away(server: IndexServer, downloader: Downloader, tmp_path: Path, part: bytes) -> None:
    (tmp_path / "file.whl.part").write_bytes(part)
    fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert (tmp_path / "file.whl").read_bytes() == CONTENT


def test_a_complete_part_is_not_fetched_again(server: IndexServer, downloader: Downloader, tmp_path: Path) -> None:
    (tmp_path / "file.whl.part").write_bytes(CONTENT)
    fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl")
    assert server.requests == []
    assert file_sha256(str(tmp_path / "file.whl")) == SHA256


@pytest.mark.parametrize("fault", [Fault("stall", 1000), Fault("slow", 20_000)])
def test_cancel_ends_a_transfer_within_a_second(server: IndexServer, tmp_path: Path, fault: Fault) -> None:
    downloader, cancel = Downloader("test"), Cancel()
    server.faults["file.whl"] = [fault]
    threading.Timer(0.3, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        fetch(downloader, server.file_url("file.whl"), tmp_path / "file.whl", cancel=cancel)
    assert time.monotonic() - began < 1.3
    assert (tmp_path / "file.whl.part").stat().st_size < len(CONTENT)
    downloader.close()


def test_a_server_that_answers_nothing_does_not_hold_a_cancel_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        downloader, cancel = Downloader("test"), Cancel()
        threading.Timer(0.3, cancel.set).start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            fetch(downloader, f"http://127.0.0.1:{silent.getsockname()[1]}/file.whl", tmp_path / "file.whl", cancel=cancel)
        assert time.monotonic() - began < 1.3
    time.sleep(0.2)
    downloader.close()


def test_a_file_on_this_machine_is_copied_and_checked(tmp_path: Path, downloader: Downloader) -> None:
    source = tmp_path / "with space & 中文.whl"
    source.write_bytes(CONTENT)
    fetch(downloader, source.as_uri(), tmp_path / "file.whl")
    assert (tmp_path / "file.whl").read_bytes() == CONTENT
    with pytest.raises(Problem):
        fetch(downloader, source.as_uri(), tmp_path / "again.whl", sha256="0" * 64)
    with pytest.raises(Problem):
        fetch(downloader, (tmp_path / "not there").as_uri(), tmp_path / "never.whl")


def test_addresses_that_are_none(tmp_path: Path, downloader: Downloader) -> None:
    for url in ("ftp://127.0.0.1/file", "http://[bad", "nonsense"):
        with pytest.raises(Problem):
            fetch(downloader, url, tmp_path / "file.whl")


def test_a_shown_address_holds_no_secret() -> None:
    assert shown("https://me:secret@host:8/p/f.whl?token=abc#sha256=1") == "https://host:8/p/f.whl"


def test_silence_and_small_documents(server: IndexServer, downloader: Downloader) -> None:
    assert downloader.silence(f"{server.index}no-such/", 2) is None
    assert downloader.silence("http://127.0.0.1:1/simple/", 2) is not None
    assert downloader.silence("file:///no/such/folder", 2) is not None
    (server.folder / "named-1.0-py3-none-any.whl").write_bytes(b"x")
    assert "named-1.0" in (downloader.text(f"{server.index}named/", 2) or "")
    assert downloader.text(f"{server.index}no-such/", 2) is None


def test_hashing_stops_between_parts(tmp_path: Path) -> None:
    path = tmp_path / "big.bin"
    with path.open("wb") as file:
        file.truncate(20 << 20)
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        file_sha256(str(path), check)
    assert len(asked) == 2
    assert file_sha256(str(path)) == hashlib.sha256(bytes(20 << 20)).hexdigest()
