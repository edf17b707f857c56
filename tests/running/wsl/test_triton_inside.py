"""Real Triton in a real environment in the distro, made by the run and proven through wsl.exe."""

import os
import subprocess
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import places
from app.model.cancel import Cancel
from app.model.events import Outcome
from app.model.proof import Level
from app.proof import prove
from tests.running.conftest import Bench
from tests.running.wsl.test_route import DISTRO, plan_of, step
from tests.standins.wsl import StandIn

TORCH_PYTHON = os.environ.get("TRITON_SETUP_TORCH_PYTHON", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux"),
    pytest.mark.skipif(not TORCH_PYTHON, reason="no Python with torch: set TRITON_SETUP_TORCH_PYTHON"),
]
WSLPATH = '#!/bin/sh\nfor last; do :; done\nprintf "%s\\n" "$last"\n'


def test_a_kernel_of_the_proof_runs_in_an_environment_of_the_run(wsl: StandIn, bench: Bench) -> None:
    upper = wsl.add_distro(DISTRO)
    (upper / "usr/bin").mkdir(parents=True, exist_ok=True)
    (upper / "usr/bin/wslpath").write_text(WSLPATH)
    (upper / "usr/bin/wslpath").chmod(0o755)
    base = os.path.realpath(TORCH_PYTHON)
    packages = subprocess.run([TORCH_PYTHON, "-c", "import torch; print(torch.__path__[0])"], capture_output=True, text=True, check=True).stdout.strip()
    if Path(packages).stat().st_dev != Path("/").stat().st_dev:
        pytest.skip("the packages lie on a file system that the distro does not lie over")
    folder = "/opt/triton-setup/triton"
    made = step("wsl-command", "venv", distro=DISTRO, command=(base, "-m", "venv", "--without-pip", folder), undo=("rm", "-rf", folder))
    # Stands for pip, which would fetch the same wheels again: what is on the disk under the distro is put on the path.
    path = "import pathlib, sys, sysconfig; pathlib.Path(sysconfig.get_path('purelib'), 'wheels.pth').write_text(sys.argv[1])"
    filled = step("wsl-command", "packages", distro=DISTRO, command=(f"{folder}/bin/python", "-c", path, str(Path(packages).parent)))
    seen = step("wsl-command", "test", distro=DISTRO, command=(f"{folder}/bin/python", "-c", "import torch, triton; print('triton', triton.__version__)"))
    finished = bench.run(plan_of(made, filled, seen))
    assert finished.outcome is Outcome.DONE, bench.events
    proof = prove(f"{folder}/bin/python", Level.KERNEL, LiveHost(), lambda _: None, Cancel(), places=places(str(bench.places.state.parent)), distro=DISTRO)
    outcomes = {check.code: check.outcome for check in proof.checks}
    assert outcomes["import-triton"] == "passed", proof.checks
    assert outcomes["add-odd"] == "passed", proof.checks
    assert proof.backend == "interpreter", "there is no card here, and the proof says so"
