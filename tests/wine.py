"""A Windows Python under Wine: python3 dev.py wine [test|build|frozen] [arguments].

`test` (the default) runs the tests marked `windows` there, `build` makes dist/windows/TritonSetup.exe and the folder, `frozen`
runs the tests of the packaged program on that exe. Needs the kit that makes such a Python (folder `../shared/wine`, or
TRITON_SETUP_WINE_KIT) and root on Debian 12. What it makes lies in `.wine` (or TRITON_SETUP_WINE) and serves the next call.
Exit code 5 where the kit is not there. A pass is evidence for code paths, no proof of how a real Windows behaves.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KIT = Path(os.environ.get("TRITON_SETUP_WINE_KIT", ROOT.parent / "shared" / "wine"))
WINE = Path(os.environ.get("TRITON_SETUP_WINE", ROOT / ".wine"))
RUNNER = WINE / "run"
LOCK = ROOT / "requirements" / "dev.lock"
EXE = ROOT / "dist" / "windows" / "TritonSetup.exe"
NOT_HERE = 5


def prepare() -> None:
    """Makes Windows and its Python with the locked wheels, where they are not there yet."""
    stamp = WINE / "installed"
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if RUNNER.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not RUNNER.exists():
        subprocess.run([KIT / "setup.sh", WINE], check=True)
    packages = WINE / "python" / "Lib" / "site-packages"
    unpack = [
        *(sys.executable, "-m", "uv", "pip", "install", "--python-platform", "x86_64-pc-windows-msvc", "--python-version", "3.11"),
        *("--only-binary", ":all:", "--target"),
    ]
    subprocess.run([*unpack, packages, "--require-hashes", "-q", "-r", LOCK], check=True)
    # 13,000 files for the tests of a portable ComfyUI: minutes under Wine, seconds here.
    subprocess.run([*unpack, WINE / "torch", "-q", "torch==2.10.0", "numpy<2.4"], check=True)
    if sys.version_info[:2] == (3, 11):
        # As an environment has it that was used; there it takes half a minute at every import without.
        subprocess.run([sys.executable, "-m", "compileall", "-q", WINE / "torch" / "torch"], check=False)
    stamp.write_text(wanted)


def start(*argv: object, **environment: str) -> int:
    return subprocess.run([str(part) for part in argv], cwd=ROOT, env={**os.environ, **environment}, check=False).returncode


def lay_portable() -> None:
    """A portable ComfyUI for the tests that change one, with the hashes of its files; anew, whatever an earlier run left."""
    from tests.running.worlds import tree_of
    from tests.windows.portable import make_portable

    folder = WINE / "portable" / "整合包 便携版" / "ComfyUI_windows_portable"
    shutil.rmtree(WINE / "portable", ignore_errors=True)
    make_portable(folder, WINE / "python")
    (WINE / "portable" / "tree.json").write_text(json.dumps(tree_of(folder)), encoding="utf-8")


def test(arguments: list[str]) -> int:
    paths = [argument for argument in arguments if argument.startswith("tests")]
    if not paths or any("tests/windows/test_whole_portable.py".startswith(path.rstrip("/")) for path in paths):
        lay_portable()
    return start(RUNNER, "python.exe", "-m", "pytest", "-m", "windows and not frozen", "-p", "no:xdist", *arguments)


def build(arguments: list[str]) -> int:
    folders = ("--distpath", "dist/windows", "--workpath", "build/windows")
    return start(RUNNER, "python.exe", "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *folders, "installer.spec", *arguments)


def frozen(arguments: list[str]) -> int:
    return start(sys.executable, "-m", "pytest", "-m", "frozen", "tests/frozen", *arguments, TRITON_SETUP_PROGRAM=f"'{RUNNER}' '{EXE}'")


COMMANDS = {"test": test, "build": build, "frozen": frozen}


def main(arguments: list[str]) -> int:
    if not RUNNER.exists() and not (KIT / "setup.sh").exists():
        print(f"dev.py wine: skipped, no kit at {KIT}", file=sys.stderr)
        return NOT_HERE
    prepare()
    command = arguments.pop(0) if arguments and arguments[0] in COMMANDS else "test"
    return COMMANDS[command](arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
