"""What is known of the machine re-ranks causes: rules that are whole, that hold only for known facts, and that leave texts alone without them."""

import io
import tomllib
from dataclasses import replace

import pytest

from app.diagnosis.logs import diagnose
from app.diagnosis.logs.causes import remedies
from app.diagnosis.logs.machine import machine_signs, rules, weigh
from app.diagnosis.logs.signatures import signatures
from app.model.facts import Driver, Gpu, MachineFacts, OperatingSystem, Python
from app.resources import assets

WINDOWS = OperatingSystem(family="windows", version="10.0.26100", arch="x86_64")
CARD = Gpu(vendor="nvidia", name="NVIDIA GeForce RTX 4070", compute_capability="8.9")
MACHINE = MachineFacts(schema="machine/1", os=WINDOWS, gpus=(CARD,), driver=Driver("591.44", "13.1", None), vc_runtime="14.44.35211.0")
AMD = (Gpu(vendor="amd", name="AMD Radeon RX 7800 XT"),)
NONE = (Gpu(vendor="other", name="Microsoft Basic Display Adapter"),)
OLD = (Gpu(vendor="nvidia", name="NVIDIA GeForce GTX 1060", compute_capability="6.1"),)

NO_CUDA = "AssertionError: Torch not compiled with CUDA enabled"
NO_TRITON = "ModuleNotFoundError: No module named 'triton'"
NO_SAGE = "ModuleNotFoundError: No module named 'sageattention'"
NO_TORCH = "ModuleNotFoundError: No module named 'torch'"
NO_GPU = "torch.cuda.is_available()\nFalse"
NO_DRIVER = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU."
NO_FILE = "ERROR: No matching distribution found for triton-windows"
LIBTRITON = "ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed."


def python(folder: str = "D:\\AI\\venv\\Scripts", version: str = "3.12.10", **packages: str) -> Python:
    return Python(f"{folder}\\python.exe", "venv", version, packages={name.replace("_", "-"): text for name, text in packages.items()})


def likely(text: str, facts: MachineFacts | None = None) -> dict[str, float]:
    return {found.code: found.confidence for found in diagnose(io.BytesIO(text.encode()), facts).findings}


@pytest.mark.parametrize(
    ("text", "facts", "code"),
    [
        (NO_CUDA, replace(MACHINE, gpus=AMD), "amd-gpu"),
        (NO_CUDA, replace(MACHINE, gpus=NONE), "no-nvidia-gpu"),
        (NO_CUDA, replace(MACHINE, gpus=()), "no-nvidia-gpu"),
        (NO_CUDA, replace(MACHINE, pythons=(python(torch="2.9.1+cu128"),)), "wrong-python"),
        (NO_CUDA, replace(MACHINE, pythons=(python(torch="2.9.1+cpu"),)), "torch-cpu-only"),
        (NO_CUDA, replace(MACHINE, pythons=(python(torch="2.9.1"),)), "torch-cpu-only"),
        (NO_GPU, replace(MACHINE, gpus=AMD), "amd-gpu"),
        (NO_GPU, replace(MACHINE, driver=Driver("566.36", "12.7", None), pythons=(python(torch="2.9.1+cu130"),)), "driver-too-old"),
        (NO_TRITON, replace(MACHINE, gpus=AMD), "amd-gpu"),
        (NO_TRITON, replace(MACHINE, gpus=OLD), "gpu-too-old"),
        (NO_SAGE, replace(MACHINE, gpus=OLD), "gpu-too-old"),
        (NO_TRITON, replace(MACHINE, pythons=(python(torch="2.9.1+cu128", triton_windows="3.5.1.post24"),)), "wrong-python"),
        (NO_TRITON, replace(MACHINE, pythons=(python(torch="2.9.1+cu128"),)), "triton-missing"),
        (NO_SAGE, replace(MACHINE, pythons=(python(sageattention="2.2.0", triton_windows="3.5.1.post24"),)), "wrong-python"),
        (NO_CUDA, replace(MACHINE, gpus=OLD), "gpu-too-old"),
        (NO_TORCH, replace(MACHINE, pythons=(python(torch="2.9.1+cu128"),)), "wrong-python"),
        (NO_FILE, replace(MACHINE, pythons=(python(version="3.7.9"),)), "python-version-unsupported"),
        (NO_FILE, replace(MACHINE, pythons=(replace(python(), bits=32),)), "wheel-unsupported"),
        (LIBTRITON, replace(MACHINE, pythons=(replace(python(), bundled_vc_runtime=None),)), "dll-init-failed"),
    ],
)
def test_the_machine_puts_another_cause_first(text: str, facts: MachineFacts, code: str) -> None:
    found = likely(text, facts)
    assert next(iter(found)) == code
    assert found[code] > 0.5


def test_the_replaced_cause_stays_below_and_lends_its_lines() -> None:
    found = diagnose(io.BytesIO(f"first\nsecond\n{NO_TRITON}".encode()), replace(MACHINE, gpus=OLD)).findings
    assert found[0].lines == found[1].lines == ((3, 3),)
    assert found[1].code == "triton-missing"
    assert found[1].confidence < 0.5


def test_a_cause_that_the_machine_rules_out_is_never_sure() -> None:
    assert likely(NO_DRIVER)["driver-missing"] > 0.5
    assert likely(NO_DRIVER, MACHINE)["driver-missing"] < 0.5
    assert "no-nvidia-gpu" not in likely(NO_DRIVER, MACHINE)


def test_what_the_machine_contradicts_is_still_no_health() -> None:
    diagnosis = diagnose(io.BytesIO(NO_GPU.encode()), replace(MACHINE, pythons=(python(torch="2.9.1+cu128"),)))
    assert not diagnosis.healthy
    assert all(found.confidence <= 0.5 for found in diagnosis.findings)


WITH, WITHOUT = python("D:\\a\\venv\\Scripts", torch="2.9.1+cu128", triton_windows="3.5.1.post24"), python("C:\\py\\Python312", torch="2.9.1+cpu")
UNREAD = Python("E:\\b\\venv\\Scripts\\python.exe", "venv", "3.12.10")


@pytest.mark.parametrize("pythons", [(WITH, WITHOUT), (WITH, UNREAD)])
@pytest.mark.parametrize(("text", "code"), [(NO_TRITON, "triton-missing"), (NO_CUDA, "torch-cpu-only")])
def test_what_holds_for_some_pythons_only_decides_nothing(text: str, code: str, pythons: tuple[Python, ...]) -> None:
    assert next(iter(likely(text, replace(MACHINE, pythons=pythons)))) == code


def test_of_several_pythons_the_one_that_the_text_names_decides() -> None:
    facts = replace(MACHINE, pythons=(WITH, WITHOUT))
    text = 'File "{}\\Lib\\site-packages\\x.py", line 1\n' + NO_CUDA
    assert next(iter(likely(text.format("D:\\a\\venv"), facts))) == "wrong-python"
    assert next(iter(likely(text.format("C:\\py\\Python312"), facts))) == "torch-cpu-only"


def test_a_python_that_has_what_it_does_not_find_has_lost_its_files() -> None:
    text = f'File "D:\\a\\venv\\Lib\\site-packages\\x.py", line 1\n{NO_TRITON}'
    assert next(iter(likely(text, replace(MACHINE, pythons=(WITH,))))) == "package-conflict"


@pytest.mark.parametrize("said", ["Device: cuda:0 NVIDIA GeForce RTX 5090\n", "Total VRAM 24564 MB\nDevice: cuda:0 NVIDIA GeForce RTX 3090 : native\n"])
def test_a_text_of_another_machine_is_read_without_this_one(said: str) -> None:
    assert likely(said + NO_CUDA, replace(MACHINE, gpus=AMD)) == likely(said + NO_CUDA)


def test_on_linux_a_text_of_linux_is_of_no_other_system() -> None:
    text = "E: Unable to locate package triton-windows\n/usr/lib/python3.12/x.py\nbash: wsl.exe: command not found"
    linux = MachineFacts(schema="machine/1", os=OperatingSystem(family="linux", version="6.1", arch="x86_64"))
    assert "not-windows" not in likely(text, linux)


def test_rules_name_causes_and_signs_that_exist() -> None:
    names = {row.id for row in signatures()} | machine_signs(MACHINE, None).keys() | {"facts-no-nvidia", "facts-runtime-right"}
    table = tomllib.loads((assets() / "tables" / "log_machine.toml").read_text(encoding="utf-8"))
    assert all(row.keys() <= {"when", "without", "causes", "keeps", "least", "instead"} for row in table.values())
    for rule in rules():
        assert {*rule.when, *rule.without} <= names
        assert rule.causes | rule.instead.keys() <= remedies().keys()
        assert any(sign.startswith("facts-") for sign in rule.when)
        assert 0 <= rule.keeps < 1


def test_without_facts_no_rule_holds() -> None:
    scores = dict.fromkeys(remedies(), 0.9)
    assert weigh(scores, {row.id for row in signatures()}) == (scores, {})
