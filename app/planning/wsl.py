"""The WSL2 route: Linux inside Windows, in a distro and a folder of our own.

kind                arguments
wsl-enable          start_hypervisor, feature
wsl-update          none
wsl-config          path, values
wsl-install-distro  distro, folder, url, sha256, size_bytes, mirrors (other addresses of the same file)
wsl-check-gpu       distro
wsl-command         distro, user, command, undo, makes
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from app.model.facts import Distro, Wsl
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import PackageChange, PlannedPython, Reason, RouteKind, Step, Where
from app.model.text import Text
from app.model.unknown import UNKNOWN, known
from app.planning.draft import Draft, reason, refused
from app.planning.relevant import is_of_wsl, place_of
from app.planning.routes import hardware_refusal
from app.planning.sage import no_sage_at_all
from app.planning.situation import Situation
from app.planning.sources import torch_index, unreachable
from app.planning.steps import spoken_size, title, undo
from app.planning.vllm import driver_findings, is_vllm_alone, server_steps, with_model_size
from app.planning.wsl_comfyui import comfyui_notes, comfyui_options, comfyui_steps, is_wanted, torch_pins
from app.planning.wsl_config import config_steps
from app.planning.wsl_packages import LinuxPackages, linux_packages, portable_sage, usual_index
from app.tables.builds import at_least, minor_of, numbers
from app.tables.machine import can_start_hypervisor, disk_of, driver_version, is_windows, main_capability, nvidia_gpus, wsl_hides_gpus

PACKAGE_CODES = frozenset({"wsl-not-installed", "wsl-inbox-version", "wsl-feature-disabled"})
CARD_CODES = frozenset({"gpu-mixed", "driver-missing", "driver-broken", "gpu-hidden", "gpu-too-new", "network-failed", "proxy-failed", "tls-inspection"})


def plan_wsl(case: Situation, findings: tuple[Finding, ...]) -> Draft:
    """The draft of the route; impossible where Windows, the card or the system cannot."""
    facts, rules = case.facts, case.tables.wsl
    if not is_windows(facts):
        return refused(RouteKind.WSL2, reason("not-windows"))
    if refusal := hardware_refusal(case, findings, RouteKind.WSL2):
        return refusal
    if facts.os.arch != "x86_64":
        return refused(RouteKind.WSL2, reason("bits" if facts.os.arch == "x86" else "arm"))
    build = (*numbers(facts.os.version), 0, 0, 0)[2]
    if build < rules.oldest_build:
        return refused(RouteKind.WSL2, reason("os-too-old", build=rules.oldest_build))
    if build < rules.oldest_gpu_build:
        return refused(RouteKind.WSL2, reason("os-too-old-for-gpu", build=rules.oldest_gpu_build))
    if is_vllm_alone(case) and (too_old := [finding for finding in findings if finding.code == "vllm-gpu-unsupported"]):
        return refused(RouteKind.WSL2, reason("vllm-unsupported"), findings=tuple(too_old))
    distro = choose_distro(case)
    packages = linux_packages(case, distro)
    found = _findings(case, findings, distro) + (unreachable(case, packages.work) if packages else ())
    needs = _needs(case, packages)
    if packages is None or facts.wsl is UNKNOWN or facts.gpus is UNKNOWN:
        return Draft(RouteKind.WSL2, found, needs=needs, summary=Text("plan.summary-unknown"))
    name = distro.name if distro else rules.distro
    python = f"{folder_inside(case)}/bin/python"
    why = "vllm" if is_vllm_alone(case) else "torch-chosen"
    server = server_steps(case, python, name) if is_vllm_alone(case) else []
    steps = [*_prepare(case, distro), *_inside(case, name, packages), *server]
    version = known(distro.python, None) or rules.python if distro else rules.python
    return Draft(
        RouteKind.WSL2,
        found,
        PlannedPython(python, "venv", version, is_new=True),
        packages.packages,
        tuple(steps),
        changes=tuple(PackageChange(package, None, number, Text(f"plan.change-{why}")) for package, number in packages.packages.items()),
        disk_bytes=rules.room_bytes,
        needs=needs,
        notes=_notes(case, distro, steps),
        options=comfyui_options(case),
        summary=Text("plan.summary-wsl"),
    )


def _needs(case: Situation, packages: LinuxPackages | None) -> tuple[Reason, ...]:
    """The facts without which nothing may be chosen, and what is missing where nothing fits."""
    facts = case.facts
    needs = []
    if facts.wsl is UNKNOWN:
        needs.append(reason("unknown-wsl"))
    if facts.gpus is UNKNOWN:
        needs.append(reason("unknown-gpus"))
    elif main_capability(facts) in (UNKNOWN, None):
        needs.append(reason("unknown-capability"))
    elif driver_version(facts) is UNKNOWN:
        needs.append(reason("unknown-driver"))
    elif packages is None:
        needs.append(reason("no-torch"))
    return tuple(needs)


def choose_distro(case: Situation) -> Distro | None:
    """The distro to use: the named one, else the person's own where all is well in it; None means one of ours."""
    wsl = known(case.facts.wsl, None)
    distros = known(wsl.distros, ()) if wsl else ()
    if case.choice.distro:
        return next((distro for distro in distros if distro.name == case.choice.distro), None)
    ours = next((distro for distro in distros if distro.name == case.tables.wsl.distro), None)
    if ours and is_healthy(case, ours):
        return ours
    healthy = [distro for distro in distros if is_healthy(case, distro)]
    return next((distro for distro in healthy if known(distro.default, False)), healthy[0] if healthy else None)


def is_healthy(case: Situation, distro: Distro) -> bool:
    """Whether nothing known speaks against a distro, and version and Python are known to be right."""
    libcuda = known(distro.libcuda, None)
    python = known(distro.python, None)
    # Where .wslconfig hides the cards from every distro, the plan sets that right, and a distro is not to blame.
    sees_gpu = wsl_hides_gpus(case.facts) or (known(distro.gpu_visible, None) is True and distro.libcuda is not None)
    return (
        known(distro.wsl_version, 0) == 2
        and sees_gpu
        and not known(distro.driver_in_distro, False)
        and (libcuda is None or libcuda.startswith("/usr/lib/wsl/"))
        and python is not None
        and at_least(python, case.tables.wsl.oldest_python)
        and (not is_vllm_alone(case) or minor_of(python) in case.tables.vllm_linux.pythons)
    )


def folder_inside(case: Situation) -> str:
    """The environment's folder in the distro: one for vLLM, one for all else."""
    return f"{case.tables.wsl.folder}/{'vllm' if is_vllm_alone(case) else 'triton'}"


def _findings(case: Situation, findings: tuple[Finding, ...], distro: Distro | None) -> tuple[Finding, ...]:
    """The machine's cards, driver and network, and WSL; of distros only the one that is used or would be, were it well."""
    distros = [d.name for d in known(known(case.facts.wsl, None).distros, ())] if known(case.facts.wsl, None) else []  # type: ignore[union-attr]  # known above
    kept = []
    for finding in findings:
        about = next((int(e.split("[")[1].split("]")[0]) for e in finding.evidence if e.startswith("wsl.distros[")), None)
        if about is not None:
            if distro is None or distros[about] == distro.name:
                kept.append(finding)
        elif is_of_wsl(finding) or (finding.code in CARD_CODES and place_of(finding) is None):
            kept.append(finding)
    cards = [gpu.driver_model == "TCC" for _, gpu in nvidia_gpus(case.facts)]
    if any(cards) and not any(f.code == "wsl-gpu-tcc" for f in kept):
        remedy = Remedy("switch-to-wddm", Text("finding.wsl-gpu-tcc.remedy"), automatic=False)
        severity = Severity.BLOCKER if all(cards) else Severity.WARNING
        kept.append(Finding("wsl-gpu-tcc", severity, Text("finding.wsl-gpu-tcc.text"), ("gpus",), remedy))
    capability = known(main_capability(case.facts), None)
    if case.choice.wants_sage and capability and not portable_sage(case, capability):
        kept.append(no_sage_at_all(""))
    kept += _room(case)
    kept += _blocked_downloads(case, distro)
    if is_vllm_alone(case):
        kept += with_model_size(case, tuple(finding for finding in findings if finding.code.startswith("vllm-")))
        kept += driver_findings(case, case.tables.vllm_windows.driver_floor, case.tables.vllm_linux.torch)
    return tuple(kept)


def _blocked_downloads(case: Situation, distro: Distro | None) -> list[Finding]:
    """Hosts that WSL's own installer or the image needs and that are known not to answer."""
    network, wsl = known(case.facts.network, None), known(case.facts.wsl, None)
    reachable = known(network.reachable, {}) if network and network.online is not False else {}
    hosts = []
    if case.facts.wsl is None or (wsl and (wsl.kind in {"stub", "inbox"} or wsl.version is None)):
        hosts += ["raw.githubusercontent.com", "github.com"]
    if distro is None:
        hosts.append(urlsplit(case.tables.wsl.image_url).hostname or "")
    remedy = Remedy("other-network", Text("finding.wsl-download-blocked.remedy"), automatic=False)
    return [
        Finding("wsl-download-blocked", Severity.BLOCKER, Text("finding.wsl-download-blocked.text", {"host": host}), (f"network.reachable.{host}",), remedy)
        for host in hosts
        if reachable.get(host) is False
    ]


def _room(case: Situation) -> list[Finding]:
    profile = known(case.facts.os.user_profile, None) or "C:\\"
    disk = known(disk_of(case.facts, profile), None)
    needed = case.tables.wsl.room_bytes
    if disk is None or disk.free_bytes >= needed:
        return []
    params = {"root": disk.root, "free": spoken_size(disk.free_bytes), "needed": spoken_size(needed)}
    remedy = Remedy("make-room", Text("finding.disk-full.remedy", params), automatic=False)
    return [Finding("disk-full", Severity.BLOCKER, Text("finding.disk-full.text", params), ("disks",), remedy)]


def _prepare(case: Situation, distro: Distro | None) -> list[Step]:
    """What makes WSL itself and a distro ready."""
    wsl = known(case.facts.wsl, None)
    rules = case.tables.wsl
    steps = []
    act = case.tables.wsl_act(known(wsl.problem, None) or "") if wsl else ""
    if wsl is None or wsl.kind == "stub" or wsl.platform_enabled is False or act == "enable" or can_start_hypervisor(case.facts):
        steps.append(_enable(case, wsl, is_off=act == "enable" or (wsl is not None and wsl.platform_enabled is False)))
    elif wsl.kind == "inbox" or act == "update" or (wsl.kind is UNKNOWN and wsl.version is None) or _is_kept_from_gpu(case, wsl):
        steps.append(Step("wsl-update", "wsl-update", title("wsl-update"), ("wsl.exe", "--update"), needs_admin=True, download_bytes=None, weight=3.0))
    steps += config_steps(case, wsl)
    if distro is None:
        profile = known(case.facts.os.user_profile, None)
        folder = f"{profile}\\AppData\\Local\\TritonSetup\\wsl\\{rules.distro}" if profile and profile.isascii() else f"C:\\TritonSetup\\wsl\\{rules.distro}"
        image = rules.image_url.rpartition("/")[2]
        steps.append(
            Step(
                "wsl-distro",
                "wsl-install-distro",
                title("wsl-install-distro", image=rules.image, distro=rules.distro),
                ("wsl.exe", "--import", rules.distro, folder, image, "--version", "2"),
                download_bytes=rules.image_bytes,
                undo=undo("wsl-distro"),
                arguments={
                    "distro": rules.distro,
                    "folder": folder,
                    "url": rules.image_url,
                    "sha256": rules.image_sha256,
                    "size_bytes": rules.image_bytes,
                    "mirrors": rules.image_mirrors,
                },
                weight=4.0,
            )
        )
    return steps


def _is_kept_from_gpu(case: Situation, wsl: Wsl) -> bool:
    """Whether a distro of version 2 sees no card, and nothing but WSL itself is to blame."""
    if wsl_hides_gpus(case.facts) or any(gpu.driver_model == "TCC" for _, gpu in nvidia_gpus(case.facts)):
        return False
    return any(d.gpu_visible is False and d.wsl_version == 2 and not known(d.driver_in_distro, False) for d in known(wsl.distros, ()))


def _enable(case: Situation, wsl: Wsl | None, *, is_off: bool) -> Step:
    """Features and package at once; wsl.exe does both and says 0 even where a restart is due."""
    return Step(
        "wsl-enable",
        "wsl-enable",
        title("wsl-first" if wsl is None or wsl.kind == "stub" else "wsl-enable"),
        ("wsl.exe", "--install", "--no-distribution"),
        needs_admin=True,
        needs_restart=True,
        download_bytes=None,
        arguments={"start_hypervisor": can_start_hypervisor(case.facts), "feature": is_off},
        weight=5.0,
    )


def _inside(case: Situation, distro: str, packages: LinuxPackages) -> list[Step]:
    """What happens in the distro: compiler, environment, packages, test. Nothing of NVIDIA's driver goes in."""
    folder, rules = folder_inside(case), case.tables.wsl
    python = f"{folder}/bin/python"
    pins = [f"{name}=={version}" for name, version in packages.packages.items()]
    usual = usual_index(case)
    index = ("--index-url", torch_index(case, packages.tag)) if packages.tag else ()
    apt = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-o", "DPkg::Lock::Timeout=120")
    beside = torch_pins(case, packages.packages["torch"]) if is_wanted(case) else []
    family = [*(pin for pin in pins if pin.startswith("torch==") or not index), *beside]
    rest = [pin for pin in pins if pin not in family]
    pip = (python, "-m", "pip", "install", "--progress-bar", "raw")
    inside = _Inside(distro)
    steps = [
        inside.check_gpu(),
        inside.command("wsl-lists", "wsl-lists", (*apt, "update"), size=None),
        inside.command("wsl-compiler", "wsl-packages", (*apt, "install", *rules.packages), size=None),
        inside.command("wsl-environment", "wsl-environment", ("python3", "-m", "venv", folder), taken_back=("rm", "-rf", folder), makes=python),
        inside.command("wsl-torch", "wsl-install", (*pip, *(index or usual), *family), size=None, packages=", ".join(family)),
    ]
    if rest:
        steps.append(inside.command("wsl-rest", "wsl-install", (*pip, *usual, *rest), size=None, packages=", ".join(rest)))
    modules = ["torch", "triton", *(name for name in ("sageattention", "vllm") if name in packages.packages)]
    test = (python, "-c", f"import {', '.join(modules)}; assert torch.cuda.is_available()")
    steps.append(inside.command("wsl-test", "wsl-test", test))
    return [*steps, *(comfyui_steps(case, distro, folder, [*usual, *pins, *beside], inside.command) if is_wanted(case) else [])]


@dataclass(frozen=True, slots=True)
class _Inside:
    """Makes the steps that act in one distro."""

    distro: str

    def argv(self, command: tuple[str, ...]) -> tuple[str, ...]:
        return ("wsl.exe", "-d", self.distro, "-u", "root", "--cd", "~", "-e", *command)

    def check_gpu(self) -> Step:
        argv = self.argv(("/usr/lib/wsl/lib/nvidia-smi", "-L"))
        words = title("wsl-gpu", distro=self.distro)
        return Step("wsl-gpu", "wsl-check-gpu", words, argv, Where.WSL, arguments={"distro": self.distro}, weight=0.3)

    def command(
        self,
        identifier: str,
        key: str,
        command: tuple[str, ...],
        *,
        size: int | None = 0,
        taken_back: tuple[str, ...] = (),
        makes: str = "",
        packages: str = "",
    ) -> Step:
        arguments: dict[str, str | tuple[str, ...]] = {"distro": self.distro, "user": "root", "command": command, "undo": taken_back, "makes": makes}
        return Step(
            identifier,
            "wsl-command",
            title(key, distro=self.distro, packages=packages),
            self.argv(command),
            Where.WSL,
            download_bytes=size,
            undo=undo("wsl-environment") if taken_back else None,
            arguments=arguments,
            weight=6.0 if size is None else 1.0,
        )


def _notes(case: Situation, distro: Distro | None, steps: list[Step]) -> tuple[Reason, ...]:
    notes = [reason("wsl-distro", distro=distro.name) if distro else reason("wsl-new-distro")]
    if any(step.needs_restart for step in steps):
        notes.append(reason("wsl-restart"))
    notes.append(reason("wsl-official") if is_vllm_alone(case) else reason("wsl-costs"))
    return (*notes, *comfyui_notes(case))
