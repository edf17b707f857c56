"""Runs the tests marked `windows` on a Windows Python under Wine: python3 dev.py wine [pytest arguments].

Needs the kit that makes such a Python (folder `../shared/wine`, or TRITON_SETUP_WINE_KIT) and root on Debian 12. What it
makes lies in `.wine` (or TRITON_SETUP_WINE) and serves the next call. Exit code 5 where the kit is not there.
A pass is evidence for code paths, no proof of how a real Windows behaves.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KIT = Path(os.environ.get("TRITON_SETUP_WINE_KIT", ROOT.parent / "shared" / "wine"))
WINE = Path(os.environ.get("TRITON_SETUP_WINE", ROOT / ".wine"))
LOCK = ROOT / "requirements" / "dev.lock"
NOT_HERE = 5


def prepare() -> Path:
    """The program that starts Windows programs; makes Windows and Python with the locked wheels first, where needed."""
    runner, stamp = WINE / "run", WINE / "installed"
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if runner.exists() and stamp.exists() and stamp.read_text() == wanted:
        return runner
    if not runner.exists():
        subprocess.run([KIT / "setup.sh", WINE], check=True)
    packages = WINE / "python" / "Lib" / "site-packages"
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "install", "--python-platform", "x86_64-pc-windows-msvc", "--python-version", "3.11"),
            *("--only-binary", ":all:", "--require-hashes", "--target", packages, "-q", "-r", LOCK),
        ],
        check=True,
    )
    stamp.write_text(wanted)
    return runner


def main(arguments: list[str]) -> int:
    if not (WINE / "run").exists() and not (KIT / "setup.sh").exists():
        print(f"dev.py wine: skipped, no kit at {KIT}", file=sys.stderr)
        return NOT_HERE
    runner = prepare()
    return subprocess.run([runner, "python.exe", "-m", "pytest", "-m", "windows", *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
