"""Every payload kernel compiles for every kind of card with every Triton that the table says so of. No card, no torch.

The newest versions run each time; TRITON_SETUP_TRITON_VERSIONS=all (or a list) runs the others. This is what the rows
of assets/tables/cards.toml come from.
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

pytestmark = [pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(1200)]

ALL = ("3.1.0", "3.2.0", "3.3.1", "3.4.0", "3.5.1", "3.6.0", "3.7.0", "3.8.0", "3.9.0")
PACKAGE = "triton-windows" if sys.platform == "win32" else "triton"


def chosen() -> tuple[str, ...]:
    wanted = os.environ.get("TRITON_SETUP_TRITON_VERSIONS", "3.7.0")
    return ALL if wanted == "all" else tuple(wanted.split(","))


@pytest.fixture(scope="module", params=chosen())
def triton(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    version: str = request.param
    folder = tmp_path_factory.mktemp(f"triton-{version}")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", folder, f"{PACKAGE}=={version}"], check=True)
    return version, folder


@pytest.fixture(scope="module")
def compiled(triton: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Check]:
    environment = {"PYTHONPATH": str(triton[1]), "TRITON_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    payload = Payload("payload_ahead.py", ahead_targets(None), 600.0, environment, ahead_arguments())
    heard = run_payload(Target(sys.executable, LiveHost(), lambda _: None, Cancel()), payload)
    return {check.code: check for check in heard.checks}


@pytest.mark.parametrize("capability", sorted(cards()))
def test_kernels_compile_as_the_table_says(triton: tuple[str, Path], compiled: dict[str, Check], capability: str):
    minor = ".".join(triton[0].split(".")[:2])
    row = cards()[capability]
    known_to_fail = minor in row.get("fails_with", ()) or number(minor) < number(row["first_triton"])
    check = compiled[ahead_targets(capability)[0]]
    assert check.outcome == ("failed" if known_to_fail else "passed"), f"triton {triton[0]}: {check.detail}"
    if not known_to_fail:
        least = {"7.5": 6, "8.0": 7, "8.6": 7, "8.9": 8, "9.0": 8, "12.0": 8}[capability]
        assert check.numbers["kernels"] == least + (3 if capability == "9.0" and number(minor) >= (3, 4) else 0)


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
