"""Recordings: every answer comes back as it was, nothing secret is in them, names are replaced everywhere."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.host.answers import Drive, Entry, ProgramFile, RegistryKey
from app.host.credentials import names_secret, without_credentials
from app.host.live_readings import LiveReadings
from app.host.recording import RecordedHost, Recorder, Recording, load_recording
from app.host.recording_values import content_of
from app.model import codec
from app.model.problem import Problem


class Told(LiveReadings):
    """Answers that are easy to compare."""

    def registry(self, key, view=64, names=None):
        return RegistryKey({"text": "http://u:p@h/", "number": 7, "list": ("a", "b"), "raw": b"\x00\xff", "": "default"}, ("sub",))

    def environment(self) -> Mapping[str, str]:
        return {"HTTP_PROXY": "http://anna:pw@proxy.example:1", "HF_TOKEN": "hf_abc", "HOME": "/home/anna", "UNREAD": "private"}

    def query(self, argv, timeout_s=10.0, environment=None):
        return super().query(["printf", "said"], timeout_s, environment)


def played(recorder: Recorder) -> RecordedHost:
    return RecordedHost(load_recording(json.loads(codec.dumps(recorder.recording("2026-11-30T00:00:00Z"))), "recording.json"))


@given(answer=st.binary(max_size=300))
@settings(deadline=None, max_examples=200)
def test_any_bytes_come_back(answer: bytes) -> None:
    content = content_of(answer)
    if "://" not in content.text and "=" not in content.text and ":" not in content.text:
        assert content.as_bytes() == answer


@pytest.mark.parametrize("text", ["plain", "默认版本: 2\r\n", "Größe", "エラー"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "gb18030", "cp932", "cp1252"])
def test_texts_come_back_in_their_encoding(text: str, encoding: str) -> None:
    try:
        answer = text.encode(encoding)
    except UnicodeEncodeError:
        pytest.skip("not in this code page")
    assert content_of(answer).as_bytes() == answer


def test_every_kind_of_answer_comes_back(tmp_path) -> None:
    (tmp_path / "file.txt").write_bytes(b"\xb4\xed content")
    (tmp_path / "folder").mkdir()
    recorder = Recorder(Told())
    asked = (
        lambda host: host.registry(r"HKLM\X", 32).subkeys,
        lambda host: host.registry(r"HKLM\X", 32).values["raw"],
        lambda host: host.list_names(str(tmp_path)),
        lambda host: host.list_names(str(tmp_path), ("*.txt",)),
        lambda host: host.list_names(str(tmp_path / "none")),
        lambda host: [(entry.name, entry.is_folder) for entry in host.list_files(str(tmp_path))],
        lambda host: host.read_bytes(str(tmp_path / "file.txt")),
        lambda host: host.read_bytes(str(tmp_path / "none")),
        lambda host: host.modified(str(tmp_path / "folder")),
        lambda host: host.resolve(str(tmp_path)),
        lambda host: host.writable(str(tmp_path)),
        lambda host: host.program_file(str(tmp_path / "file.txt")),
        lambda host: host.disk_free(str(tmp_path / "none")),
        lambda host: host.query(["tool", "--version"]).stdout,
        lambda host: host.family,
    )
    real = [ask(recorder) for ask in asked]
    host = played(recorder)
    assert [ask(host) for ask in asked] == real
    assert host.misses == ()


def test_values_in_registry_keep_their_kind() -> None:
    recorder = Recorder(Told())
    recorder.registry(r"HKLM\X")
    values = played(recorder).registry(r"hklm\x").values
    assert values == {"text": "http://***@h/", "number": 7, "list": ("a", "b"), "raw": b"\x00\xff", "": "default"}


def test_only_variables_that_were_read_are_kept() -> None:
    recorder = Recorder(Told())
    environment = recorder.environment()
    assert "UNREAD" in environment
    assert environment["HTTP_PROXY"] == "http://***@proxy.example:1"
    assert environment["HF_TOKEN"] == "***"
    assert recorder.recording().environment == {"HTTP_PROXY": "http://***@proxy.example:1", "HF_TOKEN": "***"}


def test_a_miss_is_an_answer_and_is_counted() -> None:
    host = RecordedHost(Recording(family="windows"))
    assert host.registry(r"HKLM\X") is None
    assert host.list_names("C:\\") is None
    assert host.query(["tool"]).failure == "not-recorded"
    assert host.drives() == ()
    assert host.system().version == ""
    assert host.nvml().error == -1
    assert host.python_processes() is None
    assert len(host.misses) == 7


def test_windows_paths_are_found_in_any_spelling() -> None:
    host = RecordedHost(Recording(family="windows", names={r"C:\Users\Jürgen": ("a.txt",)}, programs={r"C:\A\b.exe": ProgramFile(1)}))
    assert host.list_names("c:/users/JÜRGEN/") == ("a.txt",)
    assert host.program_file(r"c:\a\B.EXE") == ProgramFile(1)
    assert host.modified(r"C:\Users\jürgen\A.TXT") == 0.0
    assert host.modified(r"C:\Users\jürgen\none") is None
    assert host.misses == ()


def test_names_are_replaced_in_every_text() -> None:
    recording = Recording(
        family="linux",
        environment={"HOME": "/home/anna"},
        names={"/home/anna": ("anna.txt",), "/home/anna|*.py": None},
        files={"/home/anna/x": content_of("anna 说".encode("utf-16-le"))},
        entries={"/home/anna": (Entry("anna", True, 0, 0.0),)},
        links={"/a": "/home/anna/b"},
        drives=(Drive("/home/anna", "fixed", "ext4", 1, 2),),
    )
    changed = recording.with_texts(lambda text: text.replace("anna", "user"))
    assert "anna" not in codec.dumps(changed)
    assert changed.files["/home/user/x"].as_bytes() == "user 说".encode("utf-16-le")
    assert RecordedHost(changed).list_names("/home/user") == ("user.txt",)


def test_a_later_recording_keeps_what_was_not_asked_again(tmp_path) -> None:
    first = Recorder(LiveReadings())
    first.list_names(str(tmp_path))
    later = Recorder(LiveReadings(), first.recording())
    assert not later.starts_empty
    assert later.recording().names == {str(tmp_path): ()}


def test_a_damaged_recording_is_refused_in_one_line() -> None:
    with pytest.raises(Problem):
        load_recording({"family": "amiga"}, "recording.json")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:pa%40ss@host/simple", "https://***@host/simple"),
        ("get https://host/x?token=abc&y=1 now", "get https://host/x?token=***&y=1 now"),
        ("password = hunter2\nname = x", "password = ***\nname = x"),
        ("https://host/simple", "https://host/simple"),
    ],
)
def test_secrets_are_taken_out(text: str, expected: str) -> None:
    assert without_credentials(text) == expected


def test_names_of_secrets() -> None:
    assert [name for name in ("HF_TOKEN", "UV_INDEX_X_PASSWORD", "AWS_SECRET", "PATH", "PIP_INDEX_URL") if names_secret(name)] == [
        "HF_TOKEN",
        "UV_INDEX_X_PASSWORD",
        "AWS_SECRET",
    ]
