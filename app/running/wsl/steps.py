"""The steps of the WSL route: switch it on, bring a distro of our own, act in it.

Nothing here removes a distro, and none that the person made is touched unless the plan names it by their choice.
"""

from pathlib import Path
from typing import Final

import psutil

from app.host.elevation import InstallWslPackage, StartHypervisorAtBoot, ask_elevated
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.acts import UndoneByCommand
from app.running.fetching import fetch_file
from app.running.journal import read_acts
from app.running.restart import RestartNeeded
from app.running.run import Run, list_argument, text_argument
from app.running.wsl.config import set_keys
from app.running.wsl.linux import Linux, call_wsl, wsl_program
from app.running.wsl.own import LXSS, registered, write_down

_FIRST_START_S: Final = 180.0
_ENABLED: Final = "wsl-enabled"
_SAME_BOOT_S: Final = 30.0
"""Windows corrects its clock, and with it the time it says it was started."""


def enable_wsl(step: Step, run: Run) -> None:
    """Switches WSL on by Windows' own installer. RestartNeeded while a restart is due: wsl.exe says 0 even then.

    `feature`: the package answers, but the feature behind it is off. `start_hypervisor`: another program had switched it off at boot.
    """
    if is_restart_due(run):
        run.say(step, "Windows must restart before WSL can be used")
        raise RestartNeeded
    done, hypervisor = run.note(_ENABLED), step.arguments.get("start_hypervisor") is True
    wants_more = done is None and (hypervisor or step.arguments.get("feature") is True)
    has_restarted = not isinstance(done, dict) or abs(psutil.boot_time() - done.get("booted", 0.0)) > _SAME_BOOT_S
    if has_restarted and not wants_more and is_wsl_ready(run, step):
        return
    if done is None and hypervisor:
        _elevated(StartHypervisorAtBoot("start-hypervisor-at-boot"), run)
    if has_restarted and (not hypervisor or not is_wsl_ready(run, step)):
        _install_package(step, run)
    if done is None:
        # Nothing in Windows tells that the hypervisor waits for a restart, so the boot it was switched on in is noted.
        run.keep_note(_ENABLED, {"booted": psutil.boot_time() if hypervisor else 0.0})
    if has_restarted and not hypervisor and not is_restart_due(run) and is_wsl_ready(run, step):
        return
    run.say(step, "Windows must restart before WSL can be used")
    raise RestartNeeded


def update_wsl(step: Step, run: Run) -> None:
    """Brings the WSL package up to date; what it prints and its code say why where it cannot."""
    call_wsl(run, step, "--update")


def install_distro(step: Step, run: Run) -> None:
    """Downloads an image, hash checked, and registers it under a name of our own. One that is there already is kept."""
    name, folder = text_argument(step, "distro"), Path(text_argument(step, "folder"))
    if name not in distros(run):
        image = _download_image(step, run)
        # Not an act of the journal: an undo must never take the disk of a distro away.
        folder.parent.mkdir(parents=True, exist_ok=True)
        call_wsl(run, step, "--import", name, str(folder), str(image), "--version", "2")
        run.say(step, f"registered {name} in {folder}")
    write_down(run.places, run.host, name, str(folder))
    Linux(run, name).check(step, ("/bin/true",), timeout_s=_FIRST_START_S)


def act_in_distro(step: Step, run: Run) -> None:
    """Runs `command` in `distro`. `undo` is the command in the distro that takes it back, noted before.

    `makes` is a file that the command makes. One that was there before this run is kept: it is not made again, and no undo takes it away.
    """
    linux = Linux(run, text_argument(step, "distro"), text_argument(step, "user", "root"))
    command, undo, makes = list_argument(step, "command"), list_argument(step, "undo"), text_argument(step, "makes")
    if not undo:
        linux.check(step, command)
        return
    act = UndoneByCommand(linux.argv(*undo))
    if act in read_acts(run.folder):
        run.say(step, "was interrupted before: begins again from nothing")
        linux.check(step, undo)
    elif makes and linux.execute(step, ("test", "-e", makes))[0] == 0:
        run.say(step, f"keeps {makes}, which is there already")
        return
    with run.act(act):
        linux.check(step, command)


def check_distro_gpu(step: Step, run: Run) -> None:
    """The driver must be reachable: /dev/dxg, WSL's libcuda, and no Linux driver in the way."""
    linux = Linux(run, text_argument(step, "distro"))
    for path, code, cause in (
        ("/dev/dxg", "wsl.no-gpu-device", "wsl-gpu-blocked"),
        ("/usr/lib/wsl/lib/libcuda.so.1", "wsl.no-libcuda", "wsl-libcuda"),
    ):
        if linux.execute(step, ("test", "-e", path))[0]:
            raise Problem(Text(code, {"distro": linux.distro}), cause=cause)
    found, lines = linux.execute(step, ("sh", "-c", "dpkg-query -W -f '${Package}\\n' 'libnvidia-compute-*' 2>/dev/null"))
    if found == 0 and any(lines):
        raise Problem(Text("wsl.driver-in-distro", {"distro": linux.distro, "package": lines[0]}), cause="wsl-driver-in-distro")


def write_wslconfig(step: Step, run: Run) -> None:
    """Sets keys of section [wsl2] in the person's .wslconfig; everything else in it stays, an undo brings the old file back."""
    path = Path(text_argument(step, "path"))
    values = step.arguments.get("values")
    if not isinstance(values, dict):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": "values"}))
    before = path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else ""
    after = set_keys(before, "wsl2", {str(key): str(value) for key, value in values.items()})
    if after != before:
        run.write_file(path, after.encode("utf-8", "surrogateescape"))
        run.say(step, f"wrote {path}; it counts after the next `wsl --shutdown` or restart")


def distros(run: Run) -> tuple[str, ...]:
    """Names of the registered distros, by the registry where there is one: wsl.exe's own list is localized when empty."""
    if run.host.family == "windows":
        return tuple(distro.name for distro in registered(run.host))
    answer = run.answer(lambda: run.host.query((wsl_program(run), "--list", "--quiet")))
    text = answer.stdout.decode("utf-16-le", "replace")
    return tuple(line.strip() for line in text.splitlines() if line.strip()) if answer.exit_code == 0 else ()


def is_restart_due(run: Run) -> bool:
    """A volatile key that only a restart removes (WslInstall.cpp of github.com/microsoft/WSL)."""
    return run.host.registry(f"{LXSS}\\InstallStatus") is not None


def is_wsl_ready(run: Run, step: Step) -> bool:
    """Whether the packaged WSL answers. On Windows it is asked only where the registry says that it is installed."""
    if run.host.family == "windows" and run.host.registry(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Lxss\MSI") is None:
        return False
    answer = run.answer(lambda: run.host.query((wsl_program(run), "--version"), timeout_s=60.0))
    run.say(step, f"wsl.exe --version: exit code {answer.exit_code}")
    return answer.exit_code == 0


def _install_package(step: Step, run: Run) -> None:
    if run.host.system().elevated:
        call_wsl(run, step, "--install", "--no-distribution")
    else:
        _elevated(InstallWslPackage("install-wsl-package"), run)


def _elevated(operation: InstallWslPackage | StartHypervisorAtBoot, run: Run) -> None:
    result = ask_elevated(operation, run.places.state / "elevation", run.cancel)
    if not result.is_done:
        raise Problem(Text("wsl.failed", {"exit_code": result.exit_code, "wsl_code": "-"}), cause="wsl-feature-disabled")


def _download_image(step: Step, run: Run) -> Path:
    """The image, from its own address or else from a mirror; the hash decides whether it is the right one."""
    url, sha256 = text_argument(step, "url"), text_argument(step, "sha256")
    size = step.arguments.get("size_bytes")
    target = run.places.cache / "images" / url.rsplit("/", 1)[-1]
    target.parent.mkdir(parents=True, exist_ok=True)
    failed: Problem | None = None
    for address in (url, *list_argument(step, "mirrors")):
        try:
            fetch_file(step, run, address, target, sha256=sha256, size_bytes=size if isinstance(size, int) else None)
        except Problem as problem:
            run.say(step, f"not from {address}: {problem.text.code}")
            failed = failed or problem
        else:
            return target
    assert failed is not None
    raise failed
