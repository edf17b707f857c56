"""No answer of a foreign program, however spoiled, makes a parser fail; good ones are understood."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.probes.adapters import nvidia_version, registry_memory, vendor_of
from app.probes.decoding import decode
from app.probes.network import proxy_server, winhttp_proxy
from app.probes.nvidia_smi import FIELDS, parse_header, parse_rows
from app.probes.pythons.apps import venv_of_script
from app.probes.pythons.packages import name_and_version, normalised, with_build
from app.probes.pythons.shape import python_version, store_version
from app.probes.visual_studio import parse_products, product_name
from app.probes.wsl import error_code, parse_versions
from tests.probes.parsers import PARSERS, spoiled

INPUTS = 300
MANY_INPUTS = 10_000


@pytest.mark.parametrize("name", PARSERS)
def test_spoiled_answers_never_fail(name: str) -> None:
    parser, samples = PARSERS[name]
    for answer in itertools.islice(spoiled(samples, random.Random(name)), INPUTS):
        parser(answer)


@pytest.mark.long
@pytest.mark.parametrize("name", PARSERS)
def test_many_spoiled_answers_never_fail(name: str) -> None:
    parser, samples = PARSERS[name]
    for answer in itertools.islice(spoiled(samples, random.Random(f"many {name}")), MANY_INPUTS):
        parser(answer)


@pytest.mark.parametrize("name", PARSERS)
@settings(deadline=None, max_examples=25)
@given(answer=st.one_of(st.binary(max_size=400), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_any_bytes_never_fail(name: str, answer: bytes) -> None:
    PARSERS[name][0](answer)


@given(text=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=80))
@settings(deadline=None, max_examples=100)
def test_utf8_is_never_misread(text: str) -> None:
    assert decode(text.encode()) == text


@given(lines=st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789.:- ", min_size=4, max_size=30), min_size=1, max_size=5))
@settings(deadline=None, max_examples=100)
def test_utf16_without_a_mark_is_seen(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert decode(text.replace("\n", "\r\n").encode("utf-16-le")) == text


@pytest.mark.parametrize(
    ("code_page", "text"), [(936, "错误：找不到指定的文件"), (932, "ファイルが見つかりません"), (1251, "Файл не найден"), (850, "Größe überschritten")]
)
def test_code_page_of_the_machine_is_used(code_page: int, text: str) -> None:
    assert decode(text.encode(f"cp{code_page}"), code_page) == text


WORDS = st.text(alphabet="abcXYZ019", min_size=1, max_size=6)
NUMBERS = st.lists(st.integers(0, 999), min_size=2, max_size=4).map(lambda numbers: ".".join(map(str, numbers)))


@given(
    name=st.lists(WORDS, min_size=1, max_size=4),
    marks=st.sampled_from("-_."),
    version=NUMBERS,
    post=st.sampled_from(["", ".post1", "rc2", ".dev20250701"]),
    local=st.sampled_from(["", "+cu128", "+cu128torch2.8.0.post3"]),
)
@settings(deadline=None, max_examples=100)
def test_names_of_distributions_are_read_back(name: list[str], marks: str, version: str, post: str, local: str) -> None:
    folder = f"{marks.join(name).replace('-', '_')}-{version}{post}{local}.dist-info"
    assert name_and_version(folder) == (normalised("-".join(name)), f"{version}{post}{local}")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("torch-2.8.0+cu128.dist-info", ("torch", "2.8.0+cu128")),
        ("sageattention-2.2.0+cu128torch2.8.0.post3.dist-info", ("sageattention", "2.2.0+cu128torch2.8.0.post3")),
        ("triton_windows-3.4.0.post21.dist-info", ("triton-windows", "3.4.0.post21")),
        ("PyYAML-6.0-py3.10.egg-info", ("pyyaml", "6.0")),
        ("old-1.2-py3.8-win-amd64.egg-info", ("old", "1.2")),
        ("~orch-2.7.0.dist-info", None),
        ("noversion.egg-info", None),
    ],
)
def test_distribution_names(entry: str, expected: tuple[str, str] | None) -> None:
    assert name_and_version(entry) == expected


@pytest.mark.parametrize(
    ("version", "text", "expected"),
    [
        ("2.13.0", "__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\n", "2.13.0+cu130"),
        ("2.5.1", "__version__ = '2.5.1'\ncuda: Optional[str] = '12.4'\n", "2.5.1+cu124"),
        ("2.14.1", "__version__ = '2.14.1'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n", "2.14.1+cpu"),
        ("2.9.0", "__version__ = '2.9.0'\ncuda = None\nhip = '6.4.43482'\n", "2.9.0+rocm6.4"),
        ("2.9.0", "__version__ = '1.0.0+cu118'\n", "2.9.0"),
        ("2.8.0+cu128", "__version__ = '2.8.0'\n", "2.8.0+cu128"),
    ],
)
def test_local_version_of_torch(version: str, text: str, expected: str) -> None:
    assert with_build(version, text.encode()) == expected


@pytest.mark.parametrize(
    ("told", "expected"), [("3.13.9150.1013", "3.13.9"), ("3.12.10150.1013", "3.12.10"), ("3.14.121.1013", "3.14.0rc1"), ("1.2.3.4", None)]
)
def test_python_by_its_file_version(told: str, expected: str | None) -> None:
    assert python_version(told) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [(r"set VENV_DIR=E:\envs\sd", r"E:\envs\sd"), ('  SET "VENV_DIR=D:\\my envs\\a"', r"D:\my envs\a"), ("rem set VENV_DIR=x", ""), ("set VENV_DIR=", "")],
)
def test_environment_that_a_start_script_names(line: str, expected: str) -> None:
    assert venv_of_script(f"@echo off\r\n{line}\r\ncall webui.bat\r\n") == expected


def test_python_by_its_store_package() -> None:
    assert store_version(r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.11_3.11.2544.0_x64__qbz5n2kfra8p0\python.exe") == "3.11.9"


@pytest.mark.parametrize(("told", "expected"), [("32.0.15.7652", "576.52"), ("32.0.16.1047", "610.47"), ("30.0.14.7111", "471.11"), ("10.0.1", None)])
def test_nvidia_version_of_a_windows_version(told: str, expected: str | None) -> None:
    assert nvidia_version(told) == expected


def test_memory_in_the_registry_is_a_number_or_its_bytes() -> None:
    assert registry_memory(25757220864) == registry_memory((25757220864).to_bytes(8, "little")) == 25757220864
    assert registry_memory("x") is registry_memory(0) is None


@pytest.mark.parametrize(
    ("hardware", "vendor"), [(r"pci\ven_10de&dev_2684", "nvidia"), (r"PCI\VEN_1002&DEV_1", "amd"), ("ROOT\\x", "other"), (r"PCI\VEN_8086", "intel")]
)
def test_vendor_by_number(hardware: str, vendor: str) -> None:
    assert vendor_of(hardware) == vendor


def test_smi_rows_with_gaps_and_a_comma() -> None:
    rows = "0, A, 0:1, 591.44, 8192, 8,9, WDDM, Enabled\n1, B, 0:2, [N/A], [N/A], [N/A], [Not Supported], Disabled\nnonsense\n"
    assert [(gpu.index, gpu.name, gpu.memory_bytes, gpu.display_active) for gpu in parse_rows(rows, FIELDS)] == [(1, "B", None, False)]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("| NVIDIA-SMI 596.36      Driver Version: 596.36    CUDA Version: 13.2 |", ("13.2", "596.36")),
        ("| NVIDIA-SMI 610.57.04   KMD Version: 610.57.04    CUDA UMD Version: 13.3 |", ("13.3", "610.57.04")),
        ("| NVIDIA-SMI 595.71.01   Driver Version: 596.36    CUDA Version: 13.2 |", ("13.2", "596.36")),
        ("nothing", (None, None)),
    ],
)
def test_smi_headers(header: str, expected: tuple[str | None, str | None]) -> None:
    assert parse_header(header) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Fehlercode: Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED", "HCS_E_HYPERV_NOT_INSTALLED"),
        ("错误代码: Wsl/InstallDistro/0x80072ee7", "0x80072ee7"),
        ("WslRegisterDistribution failed with error: 0x80370102", "0x80370102"),
        ("see https://aka.ms/enablevirtualization", "virtualization-off"),
        ("Default Version: 2", None),
    ],
)
def test_error_codes_of_wsl(said: str, expected: str | None) -> None:
    assert error_code(said) == expected


def test_versions_of_wsl_by_their_order() -> None:
    assert parse_versions("Version WSL\u00a0: 2.7.3.0\nVersion du noyau\u00a0: 6.6.114.1-1\n")[:2] == ["2.7.3.0", "6.6.114.1-1"]
    assert parse_versions("WSL 版本：2.6.3.0\n内核版本：6.6.87.2-1\n")[:2] == ["2.6.3.0", "6.6.87.2-1"]


def test_products_of_visual_studio() -> None:
    assert parse_products(b"[]") == ()
    assert parse_products(b"Error 0x57") is None
    assert product_name("Community", None, "18.0.1") == "Visual Studio Community 2026"


def test_proxies() -> None:
    assert proxy_server("socks=127.0.0.1:1080") == "socks5://127.0.0.1:1080"
    assert proxy_server("http://u:p@h:1") == "http://***@h:1"
    assert winhttp_proxy(bytes([24, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]) + bytes(8)) is None
