"""The GPU facts of a real NVIDIA driver: NVML and nvidia-smi must tell the same. Needs no Qt."""

import pytest

from app.host.live_readings import LiveReadings
from app.model.cancel import Cancel
from app.model.unknown import UNKNOWN
from app.probes import scan
from app.probes.look import Look, Shared
from app.probes.nvidia_smi import ask_nvidia_smi

pytestmark = pytest.mark.gpu


def test_nvml_and_nvidia_smi_agree() -> None:
    facts = scan(LiveReadings(), lambda _: None, Cancel(), only=frozenset({"gpus"})).facts
    assert facts.driver not in (None, UNKNOWN)
    assert facts.driver.problem is None
    look = Look(LiveReadings(), "gpus", Cancel(), Shared())
    program = look.program_on_path("nvidia-smi")
    assert program is not None
    smi = ask_nvidia_smi(look, program)
    own = [gpu for gpu in facts.gpus if gpu.vendor == "nvidia"]
    assert [(gpu.name, gpu.compute_capability) for gpu in own] == [(gpu.name, gpu.compute_capability) for gpu in smi.gpus]
    assert facts.driver.version == smi.driver
    assert facts.driver.cuda == smi.cuda
    for one, other in zip(own, smi.gpus, strict=True):
        # nvidia-smi rounds to MiB and may leave out what the driver reserves.
        assert abs(one.memory_bytes - other.memory_bytes) < 2 << 30


def test_reading_the_driver_is_quick() -> None:
    result = scan(LiveReadings(), lambda _: None, Cancel(), only=frozenset({"gpus"}))
    assert result.milliseconds < 5000
