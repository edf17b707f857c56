"""wsl.exe as a stand-in: UTF-16 without a mark, translated, failing, stalling; and never started where only a stub is."""

import winreg
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.probes.wsl import look_at_wsl
from tests.windows.probing import Moved, calls_of, look_through, needs_fakes, needs_wine, stand_in

pytestmark = [pytest.mark.windows, needs_fakes, needs_wine]
LXSS_MACHINE = r"SOFTWARE\Microsoft\Windows\CurrentVersion\Lxss\MSI"
LXSS = r"Software\Microsoft\Windows\CurrentVersion\Lxss"
GUID = "{9a8b7c6d-0000-4000-8000-000000000001}"
SERVICES = [rf"SYSTEM\CurrentControlSet\Services\{name}" for name in ("vmcompute", "HNS", "vfpext")]


@pytest.fixture
def package() -> Iterator[None]:
    """The registry of a machine with packaged WSL and one distribution."""
    for path in SERVICES:
        winreg.CreateKeyEx(winreg.HKEY_LOCAL_MACHINE, path, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY)
    with winreg.CreateKeyEx(winreg.HKEY_LOCAL_MACHINE, LXSS_MACHINE, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY) as key:
        winreg.SetValueEx(key, "InstallLocation", 0, winreg.REG_SZ, "C:\\Program Files\\WSL\\")
    with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, LXSS, 0, winreg.KEY_WRITE) as key:
        winreg.SetValueEx(key, "DefaultVersion", 0, winreg.REG_DWORD, 2)
        winreg.SetValueEx(key, "DefaultDistribution", 0, winreg.REG_SZ, GUID)
    with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, rf"{LXSS}\{GUID}", 0, winreg.KEY_WRITE) as key:
        for name, kind, value in (("DistributionName", winreg.REG_SZ, "Ubuntu"), ("State", winreg.REG_DWORD, 1), ("Flags", winreg.REG_DWORD, 0xF)):
            winreg.SetValueEx(key, name, 0, kind, value)
    yield
    for root, path in (
        (winreg.HKEY_CURRENT_USER, rf"{LXSS}\{GUID}"),
        (winreg.HKEY_CURRENT_USER, LXSS),
        (winreg.HKEY_LOCAL_MACHINE, LXSS_MACHINE),
        *((winreg.HKEY_LOCAL_MACHINE, path) for path in SERVICES),
    ):
        winreg.DeleteKeyEx(root, path, winreg.KEY_WOW64_64KEY, 0)


def utf16(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode("utf-16-le")


def look_at(folder: Path, rules: str, **files: bytes):
    stand_in(folder / "System32", "wsl", rules, **files)
    look = look_through(Moved(SystemRoot=str(folder), USERPROFILE=str(folder)), "wsl")
    look_at_wsl(look)
    facts, gaps, _ = look.taken()
    return facts["wsl"], [(gap.probe, gap.code) for gap in gaps]


def test_stub_is_not_started(tmp_path: Path) -> None:
    wsl, _ = look_at(tmp_path, "[*]\nstdout_text = downloading\n")
    assert wsl is None
    assert calls_of(tmp_path / "System32", "wsl") == ""


def test_chinese_answers_in_utf16(package: None, tmp_path: Path) -> None:
    rules = """[--version]
stdout = version.bin
[--status]
stdout = status.bin
[--list --running --quiet]
exit = 0xFFFFFFFF
"""
    version = utf16("WSL 版本： 2.6.3.0\n内核版本： 6.6.87.2-1\nWSLg 版本： 1.0.71\n")
    status = utf16("默认版本：2\n请在 BIOS 中启用虚拟化。\nhttps://aka.ms/enablevirtualization\n")
    wsl, gaps = look_at(tmp_path, rules, version__bin=version, status__bin=status)
    assert (wsl.kind, wsl.version, wsl.kernel, wsl.problem) == ("package", "2.6.3.0", "6.6.87.2-1", "virtualization-off")
    assert [(distro.name, distro.wsl_version, distro.default) for distro in wsl.distros] == [("Ubuntu", 2, True)]
    assert ("wsl.distros.inside", "not-running") in gaps
    assert "--exec" not in calls_of(tmp_path / "System32", "wsl")


def test_translated_failure_gives_its_code(package: None, tmp_path: Path) -> None:
    said = utf16("Klasse nicht registriert\nFehlercode: Wsl/CallMsi/Install/REGDB_E_CLASSNOTREG\n")
    wsl, gaps = look_at(tmp_path, "[*]\nstdout = error.bin\nexit = 0xFFFFFFFF\n", error__bin=said)
    assert wsl.problem == "REGDB_E_CLASSNOTREG"
    assert ("wsl.version", "failed") in gaps


def test_stalling_wsl_costs_its_own_facts(package: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.probes.wsl.TIMEOUT_S", 1.0)
    wsl, gaps = look_at(tmp_path, "[*]\nhang = 1\n")
    assert wsl.distros[0].name == "Ubuntu"
    assert ("wsl.version", "timed-out") in gaps


def test_running_distribution_is_looked_into(package: None, tmp_path: Path) -> None:
    rules = """[--version]
stdout_text = WSL version: 2.6.3.0\\r\\nKernel version: 6.6.87.2-1\\r\\n
[--status]
stdout_text = Default Version: 2\\r\\n
[--list --running --quiet]
stdout = running.bin
[--distribution Ubuntu *]
stdout = inside.txt
"""
    inside = (
        'PRETTY_NAME="Ubuntu 24.04.3 LTS"\n@@\nPython 3.12.3\n@@\n/dev/dxg\n/usr/lib/wsl/lib/libcuda.so.1\n@@\n@@\n/usr/lib/x86_64-linux-gnu/libcuda.so.1\n'
    )
    wsl, _ = look_at(tmp_path, rules, running__bin=utf16("Ubuntu\n"), inside__txt=inside.encode())
    distro = wsl.distros[0]
    assert (distro.release, distro.python, distro.gpu_visible, distro.driver_in_distro) == ("Ubuntu 24.04.3 LTS", "3.12.3", True, True)
