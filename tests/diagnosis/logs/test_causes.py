"""Every cause is recognised in what programs say, whatever stands around it, however it was copied."""

import io
import json
import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.diagnosis.logs import diagnose, diagnosis_document
from app.diagnosis.logs.causes import remedies
from app.model.findings import Diagnosis

SAID = tomllib.loads((Path(__file__).parent / "said.toml").read_text(encoding="utf-8"))
TEXTS = [(code, text) for code, row in SAID.items() for text in row["texts"]]

STARTED = """D:\\ComfyUI_windows_portable>.\\python_embeded\\python.exe -s ComfyUI\\main.py --windows-standalone-build
[START] Security scan
[DONE] Security scan
## ComfyUI-Manager: installing dependencies done.
** ComfyUI startup time: 2026-11-12 20:14:03.412
** Platform: Windows
Checkpoint files will always be loaded safely.
Total VRAM 24564 MB, total RAM 65289 MB
Set vram state to: NORMAL_VRAM
Starting server

To see the GUI go to: http://127.0.0.1:8188
got prompt
"""


def named(text: str | bytes) -> str | None:
    found = diagnose(io.BytesIO(text if isinstance(text, bytes) else text.encode())).findings
    return found[0].code if found else None


def test_every_cause_of_the_table_has_examples() -> None:
    assert SAID.keys() == remedies().keys()


@pytest.mark.parametrize(("code", "text"), TEXTS)
def test_said(code: str, text: str) -> None:
    assert named(text) == code


ENCODINGS = {
    "utf-8 with mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16 with mark": lambda text: text.encode("utf-16"),
    "utf-16 little, no mark": lambda text: text.encode("utf-16-le"),
    "utf-16 big, no mark": lambda text: text.encode("utf-16-be"),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(encoding: str) -> None:
    wrong = [text for code, text in a_third(encoding) if named(ENCODINGS[encoding](text)) != code]
    assert not wrong


def a_third(name: str) -> list[tuple[str, str]]:
    """Another third of the texts for each name, so that all of them together meet every text several times."""
    return TEXTS[len(name) % 3 :: 3]


def each_line(prefix: str, suffix: str = "") -> object:
    return lambda text: "\n".join(prefix + line + suffix for line in text.split("\n"))


COPIES = {
    "colours": each_line("\x1b[31;1m", "\x1b[0m"),
    "colours without escape": each_line("[31m", "[0m"),
    "times": each_line("2026-11-10T22:03:48.160821 - "),
    "manager": each_line("[!] "),
    "quoted": each_line("> "),
    "indented": each_line("      "),
    "container": each_line("comfy-1  | "),
    "numbered": lambda text: "\n".join(f"{number:>4}  {line}" for number, line in enumerate(text.split("\n"), 1)),
    "json": lambda text: json.dumps({"log": text, "stream": "stderr"}),
    "padded": lambda text: "\n".join(line.ljust(160) for line in text.split("\n")),
    "typographic quotes": lambda text: text.replace("'", "\u2019"),
    "html": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;").replace('"', "&quot;"),
    "progress": lambda text: "  1%|  \r 50%|## \r100%|####\r" + text,
    "wrapped at 80": lambda text: wrapped(text, 80),
    "wrapped at 120": lambda text: wrapped(text, 120),
}


def wrapped(text: str, width: int) -> str:
    return "\n".join(line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width))


@pytest.mark.parametrize("copy", COPIES)
def test_copies(copy: str) -> None:
    wrong = [text for code, text in a_third(copy) if named(COPIES[copy](text)) != code]
    assert not wrong


def test_after_a_start_and_before_an_end() -> None:
    """What stands around an error in a log of ComfyUI changes nothing, but that its first lines show the platform."""
    wrong = [text for code, text in TEXTS[::2] if code != "not-windows" and named(f"{STARTED}{text}\nPrompt executed in 0.52 seconds\n") != code]
    assert not wrong


def test_damage_of_a_picture_reader() -> None:
    """Letters mistaken for digits; the few that stay unread are those whose file names and codes are damaged too."""
    read = [(code, "".join("1" if letter == "l" and text[at - 1 : at].isalpha() else letter for at, letter in enumerate(text))) for code, text in TEXTS[::2]]
    right = sum(named(text) == code for code, text in read)
    assert right / len(read) >= 0.93


names = st.sampled_from(["k", "張偉", "José", "Test User", "ADMINI~1", "user.name"])
drives = st.sampled_from("CDEFGWXZ")
pythons = st.sampled_from(["3.10", "3.11", "3.12", "3.13", "3.14"])
homes = st.sampled_from(
    [
        "ComfyUI_windows_portable\\python_embeded",
        "AI\\venv",
        "Users\\{name}\\miniconda3\\envs\\sage",
        "pinokio\\api\\wan.git\\app\\env",
        "SM\\Data\\Packages\\ComfyUI\\venv",
    ]
)
reasons = {
    126: [
        "The specified module could not be found.",
        "找不到指定的模块。",
        "Das angegebene Modul wurde nicht gefunden",
        "Не найден указанный модуль.",
        "指定されたモジュールが見つかりません。",
        "????????",
        "",
    ],
    127: [
        "The specified procedure could not be found.",
        "找不到指定的程序。",
        "Die angegebene Prozedur wurde nicht gefunden.",
        "Не найдена указанная процедура.",
        "",
    ],
    1114: [
        "A dynamic link library (DLL) initialization routine failed.",
        "动态链接库(DLL)初始化例程失败。",
        "Eine DLL-Initialisierungsroutine ist fehlgeschlagen.",
        "???DLL???",
        "",
    ],
}


@settings(deadline=None, max_examples=60)
@given(
    module=st.sampled_from(["_fused", "_qattn_sm80", "_qattn_sm89", "flash_attn_2_cuda", "fp4attn_cuda"]),
    reason=st.sampled_from([text for texts in reasons.values() for text in texts]),
    drive=drives,
    home=homes,
    name=names,
)
def test_a_compiled_kernel_that_does_not_load(module: str, reason: str, drive: str, home: str, name: str) -> None:
    folder = f"{drive}:\\{home.format(name=name)}"
    text = f'  File "{folder}\\Lib\\site-packages\\sageattention\\quant.py", line 20, in <module>\n    from . import _fused\n'
    assert named(f"Traceback (most recent call last):\n{text}ImportError: DLL load failed while importing {module}: {reason}\n") == "wheel-torch-mismatch"


@settings(deadline=None, max_examples=40)
@given(reason=st.sampled_from([*reasons[1114], *reasons[127]]), drive=drives, home=homes, name=names)
def test_libtriton_that_does_not_load(reason: str, drive: str, home: str, name: str) -> None:
    folder = f"{drive}:\\{home.format(name=name)}"
    text = f'  File "{folder}\\Lib\\site-packages\\triton\\__init__.py", line 8\nImportError: DLL load failed while importing libtriton: {reason}'
    assert named(text) == "vc-runtime-stale"


@settings(deadline=None, max_examples=60)
@given(
    line=st.sampled_from(
        [
            "{temp}\\cuda_utils.c:13: error: include file 'Python.h' not found",
            '{temp}\\main.c(5): fatal error C1083: {words}: "Python.h": No such file or directory',
            "{temp}\\main.c(5): fatal error C1083: {words}: “Python.h”: {words}",
            "LINK : fatal error LNK1104: {words} 'python3{minor}.lib'",
            'LINK : fatal error LNK1181: {words} "python3{minor}.lib"',
        ]
    ),
    words=st.sampled_from(
        ["Cannot open include file", "无法打开包括文件", "Datei (Include) kann nicht geöffnet werden", "インクルード ファイルを開けません", "?????"]
    ),
    drive=drives,
    name=names,
    minor=st.sampled_from(["10", "11", "12", "13", "14"]),
)
def test_missing_build_files_in_any_language(line: str, words: str, drive: str, name: str, minor: str) -> None:
    temp = f"{drive}:\\Users\\{name}\\AppData\\Local\\Temp\\tmpab12cd"
    said = line.format(temp=temp, words=words, minor=minor)
    assert named(f"{said}\nsubprocess.CalledProcessError: Command '[...]' returned non-zero exit status 1.\n") == "python-headers-missing"


@settings(deadline=None, max_examples=60)
@given(
    code=st.sampled_from(
        [
            ("HCS_E_HYPERV_NOT_INSTALLED", "wsl-virtualization-off"),
            ("0x80370102", "wsl-virtualization-off"),
            ("WSL_E_WSL_OPTIONAL_COMPONENT_REQUIRED", "wsl-feature-disabled"),
            ("WSL_E_VIRTUAL_MACHINE_PLATFORM_REQUIRED", "wsl-feature-disabled"),
            ("WININET_E_NAME_NOT_RESOLVED", "wsl-download-blocked"),
            ("0x80072ee2", "wsl-download-blocked"),
            ("0x80070422", "wsl-service-failed"),
            ("ConfigureNetworking/HNS/0x80070422", "wsl-network-broken"),
            ("ConfigureNetworking/HNS/E_ACCESSDENIED", "wsl-network-broken"),
            ("MountVhd/HCS/ERROR_FILE_NOT_FOUND", "wsl-disk"),
            ("WSL_E_DISK_CORRUPTED", "wsl-disk"),
            ("CallMsi/Install/REGDB_E_CLASSNOTREG", "wsl-package-broken"),
            ("0x800706f7", "wsl-winsock-lsp"),
        ]
    ),
    label=st.sampled_from(["Error code", "错误代码", "Fehlercode", "エラー コード", "Код ошибки", "Code d’erreur ", "오류 코드", "??????"]),
    message=st.sampled_from(["The operation failed.", "操作失败。", "Fehler.", "", "????????"]),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16"]),
)
def test_codes_of_wsl_in_any_language(code: tuple[str, str], label: str, message: str, encoding: str) -> None:
    text = f"C:\\> wsl\r\n{message}\r\n{label}: Wsl/Service/CreateInstance/{code[0]}\r\n"
    assert named(text.encode(encoding)) == code[1]


@settings(deadline=None, max_examples=40)
@given(
    needs=st.sampled_from(["triton", "triton==2.0.0", "triton==3.2.0", "triton>=3.0.0", "triton~=3.1"]),
    command=st.sampled_from(["pip install -r requirements.txt", "pip install triton", "python -m pip install unsloth"]),
    prompt=st.sampled_from(["C:\\work>", "(venv) PS D:\\ai> ", "(base) E:\\x>"]),
)
def test_the_linux_package_asked_for(needs: str, command: str, prompt: str) -> None:
    text = f"{prompt}{command}\nERROR: Could not find a version that satisfies the requirement {needs} (from versions: none)\n"
    assert named(f"{text}ERROR: No matching distribution found for {needs}\n") == "triton-not-for-windows"


def test_the_cause_stands_before_its_consequences() -> None:
    """The line of the compiler, then what raised, then the wrapper around it."""
    text = (
        "cuda_utils.c:13: error: include file 'Python.h' not found\n"
        "subprocess.CalledProcessError: Command '['tcc.exe']' returned non-zero exit status 1.\n"
        "torch._inductor.exc.InductorError: CalledProcessError\n"
    )
    found = diagnose(io.BytesIO(text.encode())).findings
    assert found[0].code == "python-headers-missing"
    assert found[0].lines == ((1, 1),)
    assert all(finding.code != "wrapped-error" or finding.confidence < 0.2 for finding in found)


def test_two_causes_are_two_findings() -> None:
    text = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\nImportError: DLL load failed while importing _fused: x\n"
    sure = {finding.code for finding in diagnose(io.BytesIO(text.encode())).findings if finding.confidence > 0.5}
    assert sure == {"disk-full", "wheel-torch-mismatch"}


HEALTHY = [
    STARTED + "100%|##########| 20/20 [00:09<00:00,  2.06it/s]\nPrompt executed in 17.42 seconds\n",
    "Collecting triton-windows<3.6\nSuccessfully installed triton-windows-3.5.1.post24\n",
    "Requirement already satisfied: torch in d:\\ai\\venv\\lib\\site-packages (2.9.1+cu130)\n",
    "  NAME            STATE           VERSION\n* Ubuntu-24.04    Running         2\n",
    "tests/test_add.py ....\n4 passed, 0 failed in 2.11s\nmax error 3.05e-05\n",
    "The operation completed successfully.\n",
    "",
]


@pytest.mark.parametrize("text", HEALTHY)
def test_nothing_is_wrong(text: str) -> None:
    diagnosis = diagnose(io.BytesIO(text.encode()))
    assert diagnosis.healthy
    assert not diagnosis.findings


UNKNOWN = [
    "Traceback (most recent call last):\n  File \"x.py\", line 3\nKeyError: 'sampler_name'\n",
    "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\n",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (154x2048 and 768x320)\n",
    "Conversion failed!\n",
    "Error: something nobody has ever seen went wrong (code 77)\n",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_trouble_of_no_known_cause_is_not_guessed(text: str) -> None:
    diagnosis = diagnose(io.BytesIO(text.encode()))
    assert not diagnosis.healthy
    assert all(finding.confidence <= 0.5 for finding in diagnosis.findings)
    assert diagnosis_document(diagnosis, "en")["advice"]
    assert diagnosis.context["trouble"]


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=3000))
def test_any_bytes_have_an_answer(raw: bytes) -> None:
    diagnosis = diagnose(io.BytesIO(raw))
    assert isinstance(diagnosis, Diagnosis)
    assert all(0 < finding.confidence < 1 for finding in diagnosis.findings)
    assert list(diagnosis.findings) == sorted(diagnosis.findings, key=lambda finding: -finding.confidence)


def test_what_is_no_text_is_not_called_healthy() -> None:
    diagnosis = diagnose(io.BytesIO(random.Random(7).randbytes(50_000)))
    assert not diagnosis.healthy
    assert not diagnosis.findings
    assert diagnosis.kind == "binary"
    assert diagnosis_document(diagnosis, "en")["advice"]
