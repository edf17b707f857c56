#!/usr/bin/env python3
"""Everything a developer does, with one file and no tool besides Python: python3 dev.py run|test|lint|bench|build|tables|docs|wine|lock [arguments].

The first call makes `.venv` and fills it from the lock files (hashes checked); later calls start at once.
Written so that a Python of any age can read it and say what is missing: no f-strings, no annotations.
"""

from __future__ import print_function

import ctypes
import hashlib
import os
import subprocess
import sys
import sysconfig

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
WINDOWS = os.name == "nt"
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if WINDOWS else os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "installed")
OLDEST = (3, 11)

# What Qt links to, and fonts for both languages: where it is found, and the Debian package that brings it.
SYSTEM = (
    ("libEGL.so.1", "libegl1"),
    ("libGL.so.1", "libgl1"),
    ("libdbus-1.so.3", "libdbus-1-3"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ("/usr/share/fonts/opentype/inter", "fonts-inter"),
    ("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "fonts-noto-cjk"),
)


def stop(*lines):
    sys.exit("\n".join(lines))


def check_python():
    if sys.version_info >= OLDEST:
        return
    folders = os.environ.get("PATH", "").split(os.pathsep)
    newer = ["python3.%d" % minor for minor in range(14, OLDEST[1] - 1, -1)]
    here = [name for name in newer if any(os.path.isfile(os.path.join(folder, name)) for folder in folders)]
    if here:
        stop("Python %d.%d is too old, but a newer one is here: %s dev.py %s" % (sys.version_info[:2] + (here[0], " ".join(sys.argv[1:]))))
    stop(
        "Python %d.%d is too old: 3.11 or newer is needed." % sys.version_info[:2],
        "  Debian 12, Ubuntu 24.04 or newer: sudo apt-get install -y python3 python3-venv",
        "  Windows 10 and 11: winget install Python.Python.3.13, then: py -3.13 dev.py",
    )


def is_here(thing):
    if thing.startswith("/"):
        return os.path.exists(thing)
    try:
        ctypes.CDLL(thing)
    except OSError:
        return False
    return True


def missing_packages():
    """The Debian packages that are needed and not here; none on other systems."""
    if WINDOWS or not os.path.exists("/usr/bin/apt-get"):
        return []
    missing = [package for thing, package in SYSTEM if not is_here(thing)]
    try:
        import ensurepip  # noqa: F401  Debian ships Python without it
    except ImportError:
        missing.insert(0, "python%d.%d-venv" % sys.version_info[:2])
    return missing


def install_system_packages(must_have_qt, is_first_time):
    missing = missing_packages()
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends"] + missing
    if os.geteuid() == 0:
        print("dev.py: installing " + " ".join(missing), file=sys.stderr)
        env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        if subprocess.call(["apt-get", "-qq", "update"], env=env) or subprocess.call(command[:2] + ["-qq"] + command[2:], env=env, stdout=subprocess.DEVNULL):
            stop("dev.py: the system's packages could not be installed; apt-get said why above.")
        return
    advice = "  sudo apt-get update && sudo " + " ".join(command)
    if must_have_qt or missing[0].endswith("-venv"):
        stop("dev.py: some system packages are missing. Give this command once, then start again:", advice)
    if is_first_time:
        print("dev.py: the terminal works; the window needs system packages that are missing. To add them:\n" + advice, file=sys.stderr)


def wanted(lock):
    """What the stamp says when the venv holds exactly this lock, for this Python, in this place."""
    with open(os.path.join(ROOT, "requirements", lock + ".lock"), "rb") as file:
        return "{} {} {} {}".format(lock, hashlib.sha256(file.read()).hexdigest(), sys.version.split()[0], VENV)


def installed():
    try:
        with open(STAMP, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def prepare(lock, must_have_qt=True):
    """Makes the venv hold the lock. `dev` holds all that `runtime` does."""
    now = installed()
    is_ready = os.path.exists(PYTHON) and now in (wanted(lock), wanted("dev"))
    install_system_packages(must_have_qt, is_first_time=not is_ready)
    if is_ready:
        return
    same_python = now.split()[2:3] in ([], [sys.version.split()[0]]) and now.split(" ", 3)[3:] in ([], [VENV])
    if not (os.path.exists(PYTHON) and same_python):
        call(sys.executable, "-m", "venv", "--clear", VENV)
    if now:
        os.remove(STAMP)
    print("dev.py: installing what requirements/{}.lock names into .venv (once)".format(lock), file=sys.stderr)
    file = os.path.join(ROOT, "requirements", lock + ".lock")
    call(PYTHON, "-I", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--require-hashes", "-r", file)
    with open(os.path.join(sysconfig.get_path("purelib", "venv", {"base": VENV}), "project.pth"), "w", encoding="utf-8") as path:
        path.write(ROOT + "\n")  # so that `-m app` is found from any folder
    with open(STAMP, "w", encoding="utf-8") as stamp:
        stamp.write(wanted(lock))


def call(*argv, **environment):
    """Runs a program from the project's folder; stops with its exit code when it fails."""
    code = subprocess.call(argv, cwd=ROOT, env=dict(os.environ, **environment))
    if code:
        sys.exit(code if code > 0 else 128 - code)


def become(*argv):
    """Hands this process over to `python argv`, so that signals and the terminal are the program's own."""
    if not WINDOWS:
        os.execv(PYTHON, (PYTHON,) + argv)
    child = subprocess.Popen((PYTHON,) + argv)
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:  # the child got it too and decides
            continue


def run(arguments):
    prepare("runtime", must_have_qt=bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and not arguments)
    os.environ["TRITON_SETUP_COMMAND"] = "{} {} run".format("py" if WINDOWS else "python3", os.path.relpath(__file__))
    become("-m", "app", *arguments)


def test(arguments):
    prepare("dev")
    os.chdir(ROOT)
    become("-m", "pytest", *arguments)


def lint(arguments):
    prepare("dev")
    failed = [
        " ".join(check)
        for check in (("ruff", "check"), ("ruff", "format", "--check"), ("mypy",), ("importlinter.cli", "lint"))
        if subprocess.call((PYTHON, "-m") + check + tuple(arguments), cwd=ROOT)
    ]
    if failed:
        stop("dev.py lint: not clean: " + ", ".join(failed))


def bench(arguments):
    prepare("dev")
    os.chdir(ROOT)
    become("-m", "tests.bench", *arguments)


def build(arguments):
    prepare("dev")
    os.chdir(ROOT)
    os.environ.update(PYTHONHASHSEED="0")
    become("-m", "PyInstaller", "--noconfirm", "installer.spec", *arguments)


def tables(arguments):
    prepare("dev")
    os.chdir(ROOT)
    become("-m", "tests.upkeep.compare_tables", *arguments)


def docs(arguments):
    prepare("dev")
    os.chdir(ROOT)
    become("-m", "tests.upkeep.write_docs", *arguments)


def wine(arguments):
    prepare("dev")
    os.chdir(ROOT)
    become("-m", "tests.wine", *arguments)


def lock(arguments):
    """Resolves anew for every system and Python that pyproject.toml allows; `--upgrade` takes newer versions."""
    prepare("dev")
    common = ("-m", "uv", "pip", "compile", "-q", "--universal", "--python-version", "3.11", "--generate-hashes", "pyproject.toml")
    header = ("--custom-compile-command", "python3 dev.py lock")
    call(PYTHON, *(common + header + ("-o", "requirements/runtime.lock") + tuple(arguments)))
    call(PYTHON, *(common + header + ("--group", "dev", "-c", "requirements/runtime.lock", "-o", "requirements/dev.lock") + tuple(arguments)))


COMMANDS = {"run": run, "test": test, "lint": lint, "bench": bench, "build": build, "tables": tables, "docs": docs, "wine": wine, "lock": lock}


def main():
    check_python()
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        stop("usage: python3 dev.py " + "|".join(COMMANDS) + " [arguments]")
    COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    main()
