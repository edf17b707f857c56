"""NVML through a fake nvml.dll, nvidia-smi through a stand-in that answers, stalls and fails."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.probes.gpus import look_at_gpus
from app.probes.nvidia_smi import ask_nvidia_smi
from tests.windows.probing import FAKES, Moved, look_through, needs_fakes, needs_wine, stand_in

pytestmark = [pytest.mark.windows, needs_fakes]
ROOT = Path(__file__).resolve().parents[2]
READ = """
import json, os, pathlib, sys
from app.host.nvml import read_nvml
from app.model import codec
for text, seconds in json.loads(sys.stdin.read()):
    pathlib.Path(os.environ["FAKE_NVML"]).write_text(text, encoding="ascii")
    print(json.dumps(codec.dump(read_nvml(seconds))), flush=True)
os._exit(0)
"""
LAPTOP = """driver = 566.36
cuda = 12070
count = 2
*.driver_model = 0
0.name = NVIDIA GeForce RTX 4070 Laptop GPU
0.cc = 8.9
0.memory.total = 8188M
1.name = NVIDIA GeForce RTX 3090
1.cc = 8.6
1.memory.total = 24576M
"""


@pytest.fixture
def nvml(request: pytest.FixtureRequest) -> Iterator[str]:
    """The fake library where the driver puts its own: only in a throw-away Windows."""
    target = Path(os.environ["WINDIR"]) / "System32" / "nvml.dll"
    assert not target.exists()
    shutil.copy(FAKES / request.param, target)
    yield request.param
    target.unlink()


def read_all(folder: Path, *questions: tuple[str, float]) -> list[dict[str, Any]]:
    """Each text of facts read through NVML, all in one child: a library cannot be taken out of a process again."""
    environment = {**os.environ, "FAKE_NVML": str(folder / "gpus.txt"), "PYTHONPATH": str(ROOT)}
    answer = subprocess.run([sys.executable, "-c", READ], env=environment, input=json.dumps(questions).encode(), capture_output=True, check=True, timeout=120)
    return [json.loads(line) for line in answer.stdout.splitlines()]


@needs_wine
@pytest.mark.parametrize("nvml", ["nvml.dll", "nvml_old.dll"], indirect=True)
def test_driver_library_current_and_old(nvml: str, tmp_path: Path) -> None:
    begun = time.monotonic()
    plain, lost, unloaded, mismatch, hanging = read_all(
        tmp_path,
        (LAPTOP, 30.0),
        (LAPTOP + "1.error.nvmlDeviceGetMemoryInfo = 15\n1.error.nvmlDeviceGetCudaComputeCapability = 15\n", 30.0),
        ("error.nvmlInitWithFlags = 9\n", 30.0),
        ("error.nvmlInitWithFlags = 18\n", 30.0),
        (LAPTOP + "delay.nvmlSystemGetDriverVersion = 60000\n", 0.5),
    )
    assert time.monotonic() - begun < 50
    assert (plain["error"], plain["driver"], plain["cuda"], len(plain["devices"])) == (None, "566.36", 12070, 2)
    first = plain["devices"][0]
    assert (first["name"], first["compute_capability"], first["memory_bytes"]) == ("NVIDIA GeForce RTX 4070 Laptop GPU", [8, 9], 8188 << 20)
    # The old library lacks the newer call for the driver model; the older call tells it.
    assert first["driver_model"] == 0
    # A lost GPU costs itself only.
    assert (lost["devices"][0]["memory_bytes"], lost["devices"][1]["error"]) == (8188 << 20, 15)
    assert (unloaded["error"], mismatch["error"], hanging["error"]) == (9, 18, -1)


def test_smi_answers_and_forgets_a_field(tmp_path: Path) -> None:
    folder = tmp_path / "System32"
    rules = """[*compute_cap*]
stdout_text = Field "compute_cap" is not a valid field to query.\\r\\n
exit = 2
[--query-gpu=*]
stdout_text = 0, NVIDIA GeForce GTX 1660, 00000000:01:00.0, 441.66, 6144, WDDM, Enabled\\r\\n
[]
stdout_text = | NVIDIA-SMI 441.66   Driver Version: 441.66   CUDA Version: 10.2 |\\r\\n
"""
    program = stand_in(folder, "nvidia-smi", rules)
    answer = ask_nvidia_smi(look_through(Moved()), str(program))
    assert [(gpu.name, gpu.memory_bytes, gpu.compute_capability, gpu.driver_model) for gpu in answer.gpus] == [
        ("NVIDIA GeForce GTX 1660", 6144 << 20, None, "WDDM")
    ]
    assert (answer.driver, answer.cuda) == ("441.66", "10.2")


def test_smi_that_stalls_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.probes.nvidia_smi.TIMEOUT_S", 1.0)
    stand_in(tmp_path / "System32", "nvidia-smi", "[*]\nhang = 1\n")
    look = look_through(Moved(SystemRoot=str(tmp_path), PATH=""), "gpus")
    begun = time.monotonic()
    look_at_gpus(look)
    facts, _, readings = look.taken()
    assert time.monotonic() - begun < 20
    assert facts["driver"].problem == "timed-out"
    assert any("timed-out" in reading.raw for reading in readings)


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\\r\\n", 9, "driver-not-loaded"),
        ("No devices were found\\r\\n", 6, "no-devices"),
        ("\\xb4\\xed\\xce\\xf3\\r\\n", 255, "exit code 255"),
    ],
)
def test_smi_failures_are_named(text: str, code: int, problem: str, tmp_path: Path) -> None:
    program = stand_in(tmp_path, "nvidia-smi", f"[*]\nstdout_text = {text}\nexit = {code}\n")
    assert ask_nvidia_smi(look_through(Moved()), str(program)).problem == problem
