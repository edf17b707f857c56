"""A stand-in for wsl.exe that keeps state: what it has installed, what waits for a restart, which distros it holds.

It plays the program as facts about the real one describe it: its own words are UTF-16LE and localized, codes are not, its
exit code is 0 even where a restart is due, Linux output passes through unchanged. A distro is an overlay of this very Linux
where the kernel allows it (root), else a folder that serves as its home; commands in it really run.

Started as a program: `wsl.py ARGUMENTS`, state in the folder named by STANDIN_WSL. From a test: `StandIn(folder)`.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

WORDS = {
    "en-US": {
        "absent": "The Windows Subsystem for Linux is not installed. You can install by running 'wsl.exe --install'.",
        "restart": "The requested operation is successful. Changes will not be effective until the system is rebooted.",
        "code": "Error code: ",
        "none": "Windows Subsystem for Linux has no installed distributions.",
    },
    "zh-CN": {
        "absent": "未安装适用于 Linux 的 Windows 子系统。可通过运行 “wsl.exe --install” 进行安装。",
        "restart": "请求的操作成功。直到重新启动系统前更改将不会生效。",
        "code": "错误代码: ",
        "none": "适用于 Linux 的 Windows 子系统没有已安装的分发版。",
    },
    "de-DE": {
        "absent": 'Das Windows-Subsystem für Linux ist nicht installiert. Sie können es mit "wsl.exe --install" installieren.',
        "restart": "Der angeforderte Vorgang wurde erfolgreich durchgeführt. Die Änderungen werden erst nach einem Neustart des Systems wirksam.",
        "code": "Fehlercode: ",
        "none": "Auf dem Windows-Subsystem für Linux sind keine Distributionen installiert.",
    },
}


class StandIn:
    """The state on disk, for tests that prepare or inspect it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "state.json"
        if not self._file.exists():
            self.write(
                {
                    "kind": "absent",
                    "restart_due": False,
                    "language": "en-US",
                    "platform": True,
                    "distros": {},
                    "fail": {},
                    "stall_s": {},
                    "gpu": True,
                    "calls": [],
                }
            )

    def read(self) -> dict:
        return json.loads(self._file.read_text(encoding="utf-8"))

    def write(self, state: dict) -> None:
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps(state, ensure_ascii=False, indent=1), encoding="utf-8")
        part.replace(self._file)

    def change(self, **values: object) -> None:
        self.write(self.read() | values)

    def restart_windows(self) -> None:
        """What a restart does: features and package that waited are there now; nothing runs any more."""
        state = self.read()
        if state["restart_due"]:
            state["kind"], state["platform"] = "package", True
        state["restart_due"] = False
        self.write(state)

    def calls(self) -> list[list[str]]:
        return self.read()["calls"]

    def add_distro(self, name: str) -> Path:
        """A distro as if it had been imported; returns the folder that holds what was changed in it."""
        self.change(kind="package")
        Call(self, []).register(name, self.folder / name, None)
        return self.folder / name / "upper"

    def program(self, folder: Path) -> Path:
        """A program file that acts on this state, to be started as wsl.exe."""
        program = folder / "wsl.exe"
        program.write_text(f"#!/bin/sh\nSTANDIN_WSL='{self.folder}' exec '{sys.executable}' '{Path(__file__).resolve()}' \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
        return program


@contextlib.contextmanager
def standing_in(programs: Path) -> Iterator[StandIn]:
    """A stand-in whose program lies in `programs`. Its distros lie on a plain disk, as an overlay cannot lie on every file system."""
    with tempfile.TemporaryDirectory(prefix="standin-", dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        standin = StandIn(Path(folder) / "state")
        programs.mkdir()
        standin.program(programs)
        yield standin


class Call:
    """One call of the program."""

    def __init__(self, standin: StandIn, arguments: list[str]) -> None:
        self.standin, self.arguments = standin, arguments
        self.state = standin.read()
        self.state["calls"].append(arguments)
        standin.write(self.state)

    def say(self, line: str, newline: str = "\r\n") -> None:
        sys.stdout.buffer.write((line + newline).encode("utf-16-le"))
        sys.stdout.buffer.flush()

    def words(self, key: str) -> str:
        return WORDS[self.state["language"]][key]

    def fail(self, code: str, context: str = "Service") -> int:
        self.say("…")
        self.say(f"{self.words('code')}Wsl/{context}/{code}")
        return 0xFF  # 4294967295 of the real one; a Linux process can only say the low byte

    def save(self) -> None:
        self.standin.write(self.state)

    def run(self) -> int:
        arguments = self.arguments
        verb = next((a for a in arguments if a.startswith("-")), "")
        if verb in {"-d", "--distribution"}:
            verb = "run"
        time.sleep(self.state["stall_s"].get(verb, 0))
        if verb in self.state["fail"]:
            return self.fail(self.state["fail"][verb], "InstallDistro" if "install" in verb else "Service")
        if self.state["kind"] in {"absent", "stub"} and verb not in {"--install", "--update"}:
            self.say(self.words("absent"))
            return 1
        if verb in {"run", "--import"} and not self.state["platform"]:
            return self.fail("WSL_E_VIRTUAL_MACHINE_PLATFORM_REQUIRED", "Service/CreateInstance/CreateVm")
        method = {
            "--install": self.install,
            "--update": self.update,
            "--import": self.import_,
            "--list": self.list,
            "-l": self.list,
            "--version": self.version,
            "--status": self.version,
            "--terminate": self.terminate,
            "-t": self.terminate,
            "--manage": self.manage,
            "--unregister": self.unregister,
            "run": self.run_inside,
        }.get(verb)
        if method is None:
            return self.fail("WSL_E_INVALID_USAGE")
        return method()

    def option(self, name: str) -> str | None:
        return self.arguments[self.arguments.index(name) + 1] if name in self.arguments else None

    def install(self) -> int:
        if "--no-distribution" in self.arguments:
            self.state["restart_due"] = self.state["kind"] != "package" or not self.state["platform"] or self.state["restart_due"]
            if self.state["restart_due"]:
                self.state["kind"] = "stub" if self.state["kind"] != "package" else "package"
                self.say(self.words("restart"))
            self.save()
            return 0
        if self.state["restart_due"]:
            self.say(self.words("restart"))
            return 0  # and nothing is installed: that is what the real one does
        source = self.option("--from-file")
        name = self.option("--name") or next((a for a in self.arguments[1:] if not a.startswith("-")), "Ubuntu")
        return self.register(name, Path(self.option("--location") or self.standin.folder / name), source)

    def import_(self) -> int:
        name, location, source = self.arguments[1:4]
        return self.register(name, Path(location), source)

    def register(self, name: str, location: Path, source: str | None) -> int:
        if name in self.state["distros"]:
            return self.fail("ERROR_ALREADY_EXISTS", "RegisterDistro")
        if location.exists() and any(location.iterdir()):
            return self.fail("ERROR_FILE_EXISTS", "RegisterDistro")
        location.mkdir(parents=True, exist_ok=True)
        upper = location / "upper"
        upper.mkdir()
        if source is not None:
            try:
                with tarfile.open(source) as archive:
                    archive.extraction_filter = getattr(tarfile, "tar_filter", lambda member, path: member)
                    archive.extractall(upper)
            except (OSError, tarfile.TarError):
                shutil.rmtree(location)
                return self.fail("WSL_E_NOT_A_LINUX_DISTRO", "RegisterDistro")
        if self.state["gpu"]:
            library = upper / "usr/lib/wsl/lib"
            library.mkdir(parents=True)
            (library / "libcuda.so.1").write_text("stand-in\n")
            smi = library / "nvidia-smi"
            smi.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA GeForce RTX 4070'\n")
            smi.chmod(0o755)
            (upper / "dev").mkdir()
            (upper / "dev/dxg").touch()
        self.state["distros"][name] = {"location": str(location), "running": False}
        self.save()
        return 0

    def update(self) -> int:
        self.state["kind"] = "package"
        self.save()
        return 0

    def list(self) -> int:
        if not self.state["distros"]:
            self.say(self.words("none"))
            return 0xFF
        for name, distro in self.state["distros"].items():
            self.say(name if {"-q", "--quiet"} & set(self.arguments) else f"  {name}  {'Running' if distro['running'] else 'Stopped'}  2")
        return 0

    def version(self) -> int:
        if self.state["kind"] == "inbox":
            return self.fail("WSL_E_INVALID_USAGE")
        self.say("WSL version: 2.7.3.0")
        self.say("Kernel version: 6.6.114.1-1")
        return 0

    def terminate(self) -> int:
        return 0 if self.arguments[1] in self.state["distros"] else self.fail("WSL_E_DISTRO_NOT_FOUND")

    def unregister(self) -> int:
        if self.arguments[1] not in self.state["distros"]:
            return self.fail("WSL_E_DISTRO_NOT_FOUND")
        shutil.rmtree(self.state["distros"].pop(self.arguments[1])["location"])
        self.save()
        return 0

    def manage(self) -> int:
        return self.terminate()

    def run_inside(self) -> int:
        name = self.option("-d") or self.option("--distribution")
        if name not in self.state["distros"]:
            return self.fail("WSL_E_DISTRO_NOT_FOUND")
        separator = next(i for i, a in enumerate(self.arguments) if a in {"-e", "--exec", "--"})
        return enter(Path(self.state["distros"][name]["location"]), self.arguments[separator + 1 :])


def enter(location: Path, argv: list[str]) -> int:
    """Runs argv inside the distro; output and exit code are the command's own."""
    keep = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_")) or name.lower().endswith("_proxy")}
    # What WSLENV names crosses into Linux, nothing else of the person's own.
    keep |= {name: os.environ[name] for entry in os.environ.get("WSLENV", "").split(":") if (name := entry.partition("/")[0]) in os.environ}
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "USER": "root"} | keep
    merged, work = location / "merged", location / "work"
    merged.mkdir(exist_ok=True)
    work.mkdir(exist_ok=True)
    script = (
        # In a chroot the root is no mount that could be made private; then the folder is made one.
        'mount --make-rprivate / 2>/dev/null || { mount --bind "$1" "$1" && mount --make-private "$1"; } || exit 97; '
        'mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/merged" || exit 97; '
        'mount -t proc proc "$1/merged/proc" 2>/dev/null; for d in null zero random urandom; do touch "$1/merged/dev/$d"; '
        'mount --bind "/dev/$d" "$1/merged/dev/$d"; done; folder=$1; shift; exec chroot "$folder/merged" "$@"'
    )
    return outside(["unshare", "-m", "--propagation", "unchanged", "sh", "-c", script, "sh", str(location), *argv], environment)


def outside(command: list[str], environment: dict[str, str]) -> int:
    """Runs a command that is no child of this program, as Linux processes are none of wsl.exe: to end one does not end the other.

    Output is passed on while this program lives. Returns the exit code.
    """
    output, errors, ending = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.dup2(output[1], 1)
        os.dup2(errors[1], 2)
        for end in (output[0], errors[0], ending[0], output[1], errors[1]):
            os.close(end)
        code = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode
        os.write(ending[1], str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    os.waitpid(child, 0)
    for end in (output[1], errors[1], ending[1]):
        os.close(end)
    copying = [threading.Thread(target=pass_on, args=pair) for pair in ((output[0], 1), (errors[0], 2))]
    for thread in copying:
        thread.start()
    for thread in copying:
        thread.join()
    return int(os.read(ending[0], 16) or b"255")


def pass_on(source: int, target: int) -> None:
    while content := os.read(source, 65536):
        os.write(target, content)


if __name__ == "__main__":
    sys.exit(Call(StandIn(Path(os.environ["STANDIN_WSL"])), sys.argv[1:]).run())
