"""A Python inside a WSL distro, with a stand-in for wsl.exe that runs what stands behind -e."""

import os
import sys
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.host.places import Places
from app.model.cancel import Cancel
from app.model.proof import Level, Proof, ProofVerdict
from app.proof import prove

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")

WSL = """#!/bin/sh
printf '%s\\n' "$*" >> "$WSL_LOG"
while [ "$1" != -e ]; do shift; done
shift
unset TRITON_CACHE_DIR TRITON_INTERPRET
exec "$@"
"""
WSLPATH = '#!/bin/sh\nprintf "%s\\n" "$2"\n'
BROKEN = "#!/bin/sh\necho 'There is no distribution with the supplied name.'\nexit 255\n"


def stand_in(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    stand_in(tmp_path, "wsl.exe", WSL)
    stand_in(tmp_path, "wslpath", WSLPATH)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("WSL_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def prove_inside(own_places: Places) -> Proof:
    return prove(sys.executable, Level.KERNEL, LiveHost(), lambda _: None, Cancel(), places=own_places, distro="Ubuntu Test", compute_capability="8.9")


def test_payloads_run_in_the_distro_with_a_cache_of_its_own(log: Path, own_places: Places):
    proof = prove_inside(own_places)
    # This Python has no torch: the answer came from inside, and says so.
    assert proof.verdict is ProofVerdict.FAILS
    assert "No module named 'torch'" in next(check.detail for check in proof.checks if check.code == "import-torch")
    lines = log.read_text().splitlines()
    assert all(line.startswith("-d Ubuntu Test -u root --cd ~ -e ") for line in lines)
    kernels = next(line for line in lines if "payload_kernels.py" in line and " env " in line)
    cache = kernels.split("TRITON_CACHE_DIR=")[1].split("/triton ")[0]
    assert cache.startswith("/tmp/proof-")
    assert "TRITON_INTERPRET=" in kernels
    assert lines[-1].endswith(f"-e rm -rf -- {cache}")
    assert not Path(cache).exists()
    assert not own_places.cache.exists()


def test_a_distro_that_does_not_start_is_named(log: Path, own_places: Places):
    stand_in(log.parent, "wsl.exe", BROKEN)
    proof = prove_inside(own_places)
    first = proof.checks[0]
    assert (proof.verdict, first.code, first.outcome) == (ProofVerdict.FAILS, "import-torch", "failed")
    assert "There is no distribution with the supplied name." in first.detail
