"""Every payload kernel, compiled on a Windows Python with the real triton-windows wheels, down to machine code.

No card is needed, only the wheel: its compiler, its ptxas.exe, and its TinyCC for the launcher. One version each time;
TRITON_SETUP_TRITON_VERSIONS=all (or a list) runs the others.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.model.cancel import Cancel
from app.model.proof import Check
from app.proof.cards import ahead_arguments, ahead_targets, cards
from app.proof.payloads import Payload, Target, run_payload

pytestmark = [pytest.mark.windows, pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(1200)]

ALL = ("3.2.0.post21", "3.3.1.post21", "3.4.0.post21", "3.5.1.post24", "3.6.0.post26", "3.7.1.post27", "3.8.0.post29")
ERROR_INTERNAL = "[WinError 1359]"


def chosen() -> tuple[str, ...]:
    wanted = os.environ.get("TRITON_SETUP_TRITON_VERSIONS", ALL[-1])
    return ALL if wanted == "all" else tuple(wanted.split(","))


@pytest.fixture(scope="module", params=chosen())
def triton(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    # setuptools: Triton 3.2 imports it to find compilers.
    folder = tmp_path_factory.mktemp("triton")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(folder)]
    subprocess.run([*pip, f"triton-windows=={request.param}", "setuptools"], check=True)
    return request.param, folder


@pytest.fixture(scope="module")
def compiled(triton: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Check]:
    environment = {
        "PYTHONPATH": str(triton[1]),
        "TRITON_CACHE_DIR": str(tmp_path_factory.mktemp("cache")),
        # Triton looks for its TinyCC in the Python it is installed in; here it lies in a folder of its own.
        "CC": str(triton[1] / "triton" / "runtime" / "tcc" / "tcc.exe"),
    }
    # All kernels for the newest kind of card, a few for each: the rest differs in nothing that Windows is part of.
    few = Payload("payload_ahead.py", ahead_targets(None), 600.0, environment, ahead_arguments(few=True))
    everything = Payload("payload_ahead.py", ("launcher", *ahead_targets("8.9")), 600.0, environment, ahead_arguments())
    return {check.code: check for payload in (few, everything) for check in checks_of(payload)}


def checks_of(payload: Payload) -> tuple[Check, ...]:
    """What the payload says. Wine now and then cannot start a program and says that the fault is its own: asked once more."""
    target = Target(sys.executable, LiveHost(), lambda _: None, Cancel())
    checks = run_payload(target, payload).checks
    if any(ERROR_INTERNAL in check.detail for check in checks):
        checks = run_payload(target, payload).checks
    return checks


@pytest.mark.parametrize("capability", sorted(cards()))
def test_kernels_compile_as_the_table_says(triton: tuple[str, Path], compiled: dict[str, Check], capability: str):
    minor = ".".join(triton[0].split(".")[:2])
    row = cards()[capability]
    known_to_fail = minor in row.get("fails_with", ()) or float(minor) < float(row["first_triton"])
    check = compiled[ahead_targets(capability)[0]]
    assert check.outcome == ("failed" if known_to_fail else "passed"), f"triton-windows {triton[0]}: {check.detail}"


def test_all_kernels_compile_for_a_common_card(compiled: dict[str, Check]):
    assert compiled["compiles-sm89"].numbers["kernels"] == 8


def test_the_launcher_is_built_by_the_compiler_of_the_wheel(compiled: dict[str, Check]):
    assert compiled["launcher"].outcome == "passed", compiled["launcher"].detail
    assert compiled["launcher"].numbers["size_bytes"] > 10_000
