"""Real Windows calls: registry in both views, processes, access, encodings, vswhere, whole scans of layouts on disk."""

import json
import os
import subprocess
import sys
import time
import winreg
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from app.host.live_readings import LiveReadings
from app.host.recording import RecordedHost, Recorder, load_recording
from app.model import codec
from app.model.cancel import Cancel
from app.probes import scan
from app.probes.decoding import decode
from app.probes.pythons.places import registered
from app.probes.visual_studio import visual_studios
from tests.machines.compare import differences
from tests.machines.listed_apps import APPS
from tests.machines.listed_places import PLACES
from tests.machines.on_disk import move_paths, put_on_disk
from tests.machines.small_program import small_pe
from tests.windows.probing import Moved, look_through, needs_fakes, stand_in

pytestmark = pytest.mark.windows
SCHEMA = json.loads((Path(__file__).resolve().parents[1] / "probes" / "machine.schema.json").read_text(encoding="utf-8"))
ON_DISK = ("comfyui-portables", "webuis-and-trainers", "collections", "one-click-packages", "apps-in-odd-places")
COMPANY = "TritonSetupTests"


@pytest.fixture
def entry(tmp_path: Path) -> Iterator[Path]:
    """A Python of ours in HKCU, one whose program is gone beside it."""
    paths = [rf"Software\Python\{COMPANY}\{tag}" for tag in ("3.12", "3.11")]
    for path, place in zip(paths, (tmp_path / "Pythön", tmp_path / "gone"), strict=True):
        with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, rf"{path}\InstallPath", 0, winreg.KEY_WRITE) as key:
            winreg.SetValueEx(key, "", 0, winreg.REG_SZ, f"{place}\\")
    yield tmp_path / "Pythön"
    for path in paths:
        winreg.DeleteKey(winreg.HKEY_CURRENT_USER, rf"{path}\InstallPath")
        winreg.DeleteKey(winreg.HKEY_CURRENT_USER, path)
    winreg.DeleteKey(winreg.HKEY_CURRENT_USER, rf"Software\Python\{COMPANY}")


def test_registered_pythons_are_read(entry: Path) -> None:
    assert str(entry / "python.exe") in set(registered(look_through(LiveReadings())))


def test_registry_answers_only_what_is_asked() -> None:
    key = LiveReadings().registry(r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion", 64, ("CurrentBuildNumber", "NoSuchValue"))
    assert key is not None
    assert list(key.values) == ["CurrentBuildNumber"]
    assert LiveReadings().registry(r"HKLM\SOFTWARE\NoSuchKey") is None


def test_system_values_are_this_machine() -> None:
    values = LiveReadings().system()
    assert values.version.startswith("10.0.")
    assert values.arch in ("x86_64", "arm64")
    assert values.total_bytes
    assert values.commit_limit_bytes
    assert values.ansi_code_page


def test_system_drive_is_listed() -> None:
    root = os.environ["SYSTEMDRIVE"] + "\\"
    drive = next(drive for drive in LiveReadings().drives() if drive.root == root)
    assert drive.kind == "fixed"
    assert drive.free_bytes


def test_a_running_python_is_seen() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    try:
        end = time.monotonic() + 10
        found = None
        while found is None and time.monotonic() < end:
            found = next((python for python in LiveReadings().python_processes() or () if python.pid == child.pid), None)
        assert found is not None
        assert found.executable is not None
        assert Path(found.executable).samefile(sys.executable)
    finally:
        child.kill()
        child.wait()


def test_a_folder_is_asked_without_writing(tmp_path: Path) -> None:
    assert LiveReadings().writable(str(tmp_path)) is True
    assert LiveReadings().writable(str(tmp_path / "none")) is None
    assert list(tmp_path.iterdir()) == []


def test_version_resource_and_architecture(tmp_path: Path) -> None:
    file = tmp_path / "vcruntime140.dll"
    file.write_bytes(small_pe("arm64", "14.44.35211.0"))
    program = LiveReadings().program_file(str(file))
    assert program is not None
    assert (program.arch, program.version) == ("arm64", "14.44.35211.0")


@needs_fakes
@pytest.mark.parametrize(("text", "code_page"), [("错误：找不到文件", 936), ("エラーです", 932), ("Zugriff verweigert: ä", 850), ("Ошибка", 866)])
def test_answers_in_code_pages(text: str, code_page: int, tmp_path: Path) -> None:
    program = stand_in(tmp_path, "tool", "[*]\nstdout = said.bin\n", said__bin=text.encode(f"cp{code_page}"))
    answer = LiveReadings().query([str(program), "x y", "ä"], 20.0)
    assert decode(answer.stdout, code_page) == text


@needs_fakes
def test_long_answers_end_and_big_exit_codes_stay_unsigned(tmp_path: Path) -> None:
    program = stand_in(tmp_path, "tool", "[*]\nstdout = said.bin\nexit = 0xFFFFFFFF\n", said__bin=b"x" * 3_000_000)
    answer = LiveReadings().query([str(program)], 20.0)
    assert answer.exit_code == 0xFFFFFFFF
    assert len(answer.stdout) == 1 << 20


@needs_fakes
def test_vswhere_answers_and_files_decide(tmp_path: Path) -> None:
    product = tmp_path / "VS" / "BuildTools"
    toolset = product / "VC" / "Tools" / "MSVC" / "14.44.35207"
    for part in (("bin", "Hostx64", "x64", "cl.exe"), ("include", "vcruntime.h"), ("lib", "x64", "vcruntime.lib")):
        file = toolset.joinpath(*part)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    row = {"installationPath": str(product), "installationVersion": "17.14.36616.10", "productId": "Microsoft.VisualStudio.Product.BuildTools"}
    listed = json.dumps([row], ensure_ascii=False).encode()
    stand_in(
        tmp_path / "Microsoft Visual Studio" / "Installer", "vswhere", "[-products [*] *]\nstdout = list.json\n[*]\nstdout = list.json\n", list__json=listed
    )
    found = list(visual_studios(look_through(Moved(**{"ProgramFiles(x86)": str(tmp_path)}))))
    assert [(compiler.product, compiler.toolset) for compiler in found] == [("Visual Studio Build Tools 2022", "14.44.35207")]


@pytest.mark.parametrize(
    "machine",
    [machine for machine in (*APPS, *PLACES) if machine.name in ON_DISK],
    ids=lambda machine: machine.name,
)
def test_layouts_on_disk(machine, tmp_path: Path) -> None:
    """The same layouts that are recorded, as real files on a real drive."""
    drives = {f"{letter}:": tmp_path / letter for letter in "CDE"}
    put_on_disk(machine.layout, drives)
    moved = {name: move_paths(machine.layout.variables[name], drives) for name in ("USERPROFILE", "APPDATA", "LOCALAPPDATA")}
    result = scan(Moved(**moved), lambda _: None, Cancel(), folders=tuple(map(str, drives.values())), only=frozenset({"pythons"}))
    left_out = ("base_ok", "in_use_by", "user_site")
    expected = []
    for python in machine.expect["pythons"]:
        document = json.loads(move_paths(json.dumps(python, ensure_ascii=False), drives, escaped=True))
        expected.append({name: value for name, value in document.items() if name not in left_out})
    wrong = list(differences({"pythons": expected}, codec.dump(result.facts)))
    assert not wrong, "\n".join(wrong)


def test_whole_scan_fits_the_contract_and_replays() -> None:
    recorder = Recorder(LiveReadings())
    result = scan(recorder, lambda _: None, Cancel())
    jsonschema.validate(codec.dump(result.facts), SCHEMA)
    assert [gap for gap in result.facts.gaps if gap.code == "failed"] == []
    again = scan(RecordedHost(load_recording(json.loads(codec.dumps(recorder.recording())), "recording.json")), lambda _: None, Cancel())
    assert again.facts.pythons == result.facts.pythons
    assert again.facts.os == result.facts.os
