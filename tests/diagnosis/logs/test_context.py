"""What stands around an error, and what the machine is like, change the answer."""

import io
from dataclasses import replace

import pytest

from app.diagnosis.logs import diagnose, diagnosis_document
from app.diagnosis.logs.context import read_context
from app.diagnosis.logs.matching import Text
from app.diagnosis.logs.reading import NumberedLine
from app.model.facts import Gpu, MachineFacts, OperatingSystem, Python

WINDOWS = OperatingSystem(family="windows", version="10.0.26100", arch="x86_64")
MACHINE = MachineFacts(schema="machine/1", os=WINDOWS, gpus=(Gpu(vendor="nvidia", name="RTX 4070", compute_capability="8.9"),), vc_runtime="14.44.35211.0")


def python(folder: str, **known: object) -> Python:
    return replace(Python(executable=f"{folder}\\python.exe", kind="venv", version="3.12.10"), **known)


def first(text: str, facts: MachineFacts | None = None) -> str | None:
    found = diagnose(io.BytesIO(text.encode()), facts).findings
    return found[0].code if found else None


LIBTRITON = "ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed."
NO_DRIVERS = "RuntimeError: 0 active drivers ([]). There should only be one."
NO_TRITON = "  File \"D:\\AI\\venv\\Lib\\site-packages\\x.py\", line 1\nModuleNotFoundError: No module named 'triton'"
COMPILED = (
    '  File "D:\\AI\\venv\\Lib\\site-packages\\triton\\runtime\\build.py", line 76\n'
    "subprocess.CalledProcessError: Command '[]' returned non-zero exit status 1."
)


@pytest.mark.parametrize(
    ("text", "facts", "code"),
    [
        (LIBTRITON, replace(MACHINE, vc_runtime=None), "vc-runtime-missing"),
        (LIBTRITON, replace(MACHINE, vc_runtime="14.29.30133.0"), "vc-runtime-missing"),
        (LIBTRITON, replace(MACHINE, pythons=(python("D:\\AI\\p", bundled_vc_runtime="14.28.29910.0"),)), "vc-runtime-stale"),
        (NO_DRIVERS, replace(MACHINE, gpus=(Gpu(vendor="intel", name="UHD 770"),)), "no-nvidia-gpu"),
        (NO_DRIVERS, replace(MACHINE, driver=None), "driver-missing"),
        (NO_DRIVERS, replace(MACHINE, pythons=(python("D:\\AI\\venv\\Scripts", packages={"torch": "2.9.1+cpu"}),)), "torch-cpu-only"),
        (NO_TRITON, replace(MACHINE, pythons=(python("D:\\AI\\venv\\Scripts", packages={}),)), "triton-missing"),
        (
            NO_TRITON,
            replace(MACHINE, pythons=(python("D:\\AI\\venv\\Scripts", packages={}), python("C:\\Python312", packages={"triton-windows": "3.5.1.post24"}))),
            "wrong-python",
        ),
        (COMPILED, MACHINE, "wrapped-error"),
        (COMPILED, replace(MACHINE, pythons=(python("D:\\AI\\venv\\Scripts", has_headers=False),)), "python-headers-missing"),
        (
            "`sageattention` package must be installed first",
            replace(MACHINE, pythons=(python("D:\\AI\\venv\\Scripts", packages={"sageattention": "2.2.0"}),)),
            "triton-missing",
        ),
        ("CUDA error: no kernel image is available", replace(MACHINE, gpus=(Gpu(vendor="nvidia", name="x", compute_capability="12.0"),)), "gpu-too-new"),
        ("CUDA error: no kernel image is available", replace(MACHINE, gpus=(Gpu(vendor="nvidia", name="x", compute_capability="6.1"),)), "gpu-too-old"),
    ],
)
def test_machine_facts_decide(text: str, facts: MachineFacts, code: str) -> None:
    assert first(text, facts) == code


def test_facts_that_are_not_known_change_nothing() -> None:
    bare = MachineFacts(schema="machine/1", os=WINDOWS)
    for text in (LIBTRITON, NO_DRIVERS, NO_TRITON, COMPILED):
        assert diagnose(io.BytesIO(text.encode()), bare) == diagnose(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("libtriton", "vc-runtime-stale"),
        ("_fused", "wheel-torch-mismatch"),
        ("_qattn_sm89", "wheel-torch-mismatch"),
        ("flash_attn_2_cuda", "wheel-torch-mismatch"),
        ("cuda_utils", "cache-stale"),
        ("__triton_launcher", "cache-stale"),
        ("_ssl", "ssl-module-missing"),
    ],
)
def test_the_module_named_decides(module: str, code: str) -> None:
    assert first(f"ImportError: DLL load failed while importing {module}: A dynamic link library (DLL) initialization routine failed.") == code


def test_a_wheel_for_another_torch_than_the_one_that_runs() -> None:
    text = (
        "pytorch version: 2.8.0+cu128\nProcessing d:\\x\\sageattention-2.2.0+cu128torch2.9.0-cp312-cp312-win_amd64.whl\n"
        "ImportError: DLL load failed while importing attention_core: The specified procedure could not be found.\n"
    )
    assert first(text) == "wheel-torch-mismatch"


def test_a_card_newer_than_the_packages() -> None:
    text = "pytorch version: 2.5.1+cu124\nDevice: cuda:0 NVIDIA GeForce RTX 5090 : cudaMallocAsync\nRuntimeError: something failed\n"
    assert first(text) == "gpu-too-new"
    assert first(text.replace("2.5.1+cu124", "2.9.1+cu130")) is None


def test_versions_read_from_a_text() -> None:
    text = """** Python version: 3.13.9 (tags/v3.13.9)
** Python executable: D:\\ComfyUI_windows_portable\\python_embeded\\python.exe
pytorch version: 2.9.1+cu130
Device: cuda:0 NVIDIA GeForce RTX 4070 Ti SUPER : cudaMallocAsync
ComfyUI version: 0.34.0
triton-windows 3.5.1.post24
sageattention 2.2.0+cu130torch2.9.0
| NVIDIA-SMI 581.57 Driver Version: 581.57 CUDA Version: 13.0 |
Microsoft Windows [Version 10.0.26100.4061]
"""
    context = read_context(Text([NumberedLine(number, line) for number, line in enumerate(text.split("\n"), 1)]))
    assert context == {
        "torch": "2.9.1+cu130",
        "torch_cuda": "130",
        "triton": "3.5.1.post24",
        "sageattention": "2.2.0+cu130torch2.9.0",
        "python": "3.13.9",
        "comfyui": "0.34.0",
        "gpu": "NVIDIA GeForce RTX 4070 Ti SUPER",
        "driver": "581.57",
        "driver_cuda": "13.0",
        "windows": "10.0.26100.4061",
        "python_path": "D:\\ComfyUI_windows_portable\\python_embeded\\python.exe",
        "program": "comfyui",
    }


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_document_speaks_the_language(language: str) -> None:
    document = diagnosis_document(diagnose(io.BytesIO(LIBTRITON.encode())), language)
    finding = document["findings"][0]
    assert document["schema"] == "diagnosis/1"
    assert finding["remedy"]["steps"]
    assert finding["title"].isascii() is (language == "en")
    assert not any("{" in words for words in (finding["title"], finding["explanation"], finding["verify"], *finding["remedy"]["steps"]))


def test_advice_for_a_wrapper_alone_and_for_health() -> None:
    wrapper = diagnose(io.BytesIO(b"RuntimeError: Engine core initialization failed. See root cause above."))
    assert wrapper.findings[0].code == "wrapped-error"
    assert diagnosis_document(wrapper, "en")["advice"] == ["Paste the whole text, from the first warning on. The lines above name the reason."]
    assert diagnosis_document(diagnose(io.BytesIO(b"all good")), "en")["advice"] == ["There is no trouble in this text."]
    assert diagnosis_document(diagnose(io.BytesIO(LIBTRITON.encode())), "en")["advice"] == []
