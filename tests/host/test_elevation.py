"""The elevated side accepts one typed operation of the list, and refuses everything else."""

import hashlib
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cli.front import run
from app.host.elevation import EnableLongPaths, EnableWslFeatures, InstallSigned, InstallWslPackage, StartHypervisorAtBoot, load_request
from app.host.elevation.ask import elevated_arguments
from app.host.elevation.perform import ELEVATED_REFUSED, commands_of, installer_command, perform_request
from app.model import codec
from app.model.problem import ExitCode, Problem

NONCE = "0123456789abcdef"
SYSTEM32 = Path("C:/Windows/System32")
HASH = hashlib.sha256(b"x").hexdigest()
GOOD = {"type": "install-signed", "installer": "vc-redist", "path": "C:\\Users\\u\\vc_redist.x64.exe", "sha256": HASH}


def write(folder: Path, operation: object, **changes: object) -> Path:
    path = folder / "request.json"
    path.write_text(json.dumps({"schema": "elevated/1", "nonce": NONCE, "operation": operation} | changes), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "operation",
    [
        EnableWslFeatures("enable-wsl-features", wsl1_component=True),
        InstallWslPackage("install-wsl-package"),
        StartHypervisorAtBoot("start-hypervisor-at-boot"),
        EnableLongPaths("enable-long-paths"),
        InstallSigned("install-signed", "vc-redist", GOOD["path"], HASH),
    ],
)
def test_every_operation_of_the_list_is_accepted(operation: object, tmp_path: Path) -> None:
    request = load_request(write(tmp_path, codec.dump(operation)), NONCE)
    assert request.operation == operation


@pytest.mark.parametrize(
    ("operation", "changes"),
    [
        ({"type": "run-command", "argv": ["cmd.exe", "/c", "calc"]}, {}),
        ({"type": "enable-long-paths", "argv": ["calc"]}, {}),
        ({"type": ["enable-long-paths"]}, {}),
        ({}, {}),
        (None, {}),
        ([], {}),
        ({"type": "enable-wsl-features", "wsl1_component": "yes; calc"}, {}),
        ({"type": "enable-long-paths"}, {"schema": "elevated/2"}),
        ({"type": "enable-long-paths"}, {"nonce": "another"}),
        ({"type": "enable-long-paths"}, {"then": {"type": "enable-long-paths"}}),
        (GOOD | {"installer": "anything"}, {}),
        (GOOD | {"sha256": ""}, {}),
        (GOOD | {"sha256": HASH.upper()}, {}),
        (GOOD | {"path": "\\\\server\\share\\vc_redist.x64.exe"}, {}),
        (GOOD | {"path": "\\\\?\\C:\\vc_redist.x64.exe"}, {}),
        (GOOD | {"path": "C:\\a\\..\\..\\evil.exe"}, {}),
        (GOOD | {"path": "vc_redist.x64.exe"}, {}),
        (GOOD | {"path": "C:\\file.txt:stream.exe"}, {}),
        (GOOD | {"path": "C:\\script.cmd"}, {}),
        (GOOD | {"path": "C:\\a.msi"}, {}),
        (GOOD | {"arguments": "/layout"}, {}),
    ],
)
def test_a_hostile_request_is_refused(operation: object, changes: dict[str, object], tmp_path: Path) -> None:
    path = write(tmp_path, operation, **changes)
    with pytest.raises(Problem) as refused:
        load_request(path, NONCE)
    assert refused.value.exit_code is ExitCode.BAD_INPUT
    assert run(["--elevated-step", str(path), "--nonce", NONCE]) == ELEVATED_REFUSED


def test_no_request_or_a_huge_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "huge.json").write_bytes(b" " * 100_000)
    for name in ("huge.json", "none.json", "."):
        with pytest.raises(Problem):
            load_request(tmp_path / name, NONCE)
    with pytest.raises(Problem):
        load_request(write(tmp_path, {"type": "enable-long-paths"}, nonce=""), "")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_crash_it(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("request") / "r.json"
    path.write_bytes(content)
    with pytest.raises(Problem):
        load_request(path, NONCE)


@pytest.mark.parametrize("arguments", [["--elevated-step"], ["--elevated-step", "x"], ["--elevated-step", "x", "--nonce", "y", "--more"]])
def test_the_command_line_has_one_form(arguments: list[str]) -> None:
    assert run(arguments) == 2


def test_commands_are_windows_own_programs_by_absolute_path() -> None:
    features = commands_of(EnableWslFeatures("enable-wsl-features", wsl1_component=False), SYSTEM32)
    assert [command[-1] for command in features] == ["/featurename:VirtualMachinePlatform"]
    both = commands_of(EnableWslFeatures("enable-wsl-features", wsl1_component=True), SYSTEM32)
    assert len(both) == 2
    for operation in (InstallWslPackage("install-wsl-package"), StartHypervisorAtBoot("start-hypervisor-at-boot"), EnableLongPaths("enable-long-paths")):
        for command in commands_of(operation, SYSTEM32):
            assert Path(command[0]).parent == SYSTEM32
            assert "--unregister" not in command


def test_installers_run_unattended_and_never_restart_by_themselves() -> None:
    for kind in ("vc-redist", "wsl-package", "build-tools"):
        command = installer_command(InstallSigned("install-signed", kind, "C:\\x", HASH), Path("C:/p/x"), SYSTEM32)
        assert any("norestart" in argument for argument in command)


def test_results_tell_done_restart_and_failure_apart(tmp_path: Path) -> None:
    system32 = tmp_path / "Windows" / "System32"
    system32.mkdir(parents=True)
    for code, done, restart in ((0, True, False), (5, False, False)):
        program = system32 / "bcdedit.exe"
        program.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        program.chmod(0o755)
        if sys.platform == "win32":
            pytest.skip("the stand-in program is a shell script")
        result = perform_request(load_request(write(tmp_path, {"type": "start-hypervisor-at-boot"}), NONCE), system32)
        assert (result.is_done, result.restart_required) == (done, restart)


def test_a_file_that_is_not_the_downloaded_one_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "Windows" / "System32").mkdir(parents=True)
    (tmp_path / "Program Files").mkdir()
    installer = tmp_path / "vc_redist.x64.exe"
    installer.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    operation = InstallSigned("install-signed", "vc-redist", str(installer), HASH)
    request = load_request(write(tmp_path, {"type": "enable-long-paths"}), NONCE)
    with pytest.raises(Problem) as refused:
        perform_request(type(request)("elevated/1", NONCE, operation), tmp_path / "Windows" / "System32")
    assert refused.value.text.code == "elevation.hash-differs"
    right = InstallSigned("install-signed", "vc-redist", str(installer), hashlib.sha256(installer.read_bytes()).hexdigest())
    with pytest.raises(Problem) as refused:
        perform_request(type(request)("elevated/1", NONCE, right), tmp_path / "Windows" / "System32")
    assert refused.value.text.code == "elevation.not-signed"
    assert not list((tmp_path / "Program Files").iterdir())


def test_the_elevated_side_is_this_very_program(tmp_path: Path) -> None:
    arguments = elevated_arguments(tmp_path / "r.json", NONCE)
    assert arguments[0] == sys.executable
    assert arguments[-4:] == ("--elevated-step", str(tmp_path / "r.json"), "--nonce", NONCE)
