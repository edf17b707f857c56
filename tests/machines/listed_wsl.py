"""WSL in all its states and languages. Texts follow Microsoft's published resource files."""

from app.probes.wsl_distros import _INSIDE
from tests.machines.layout import LXSS, SERVICES, WSL_EXE, Windows
from tests.machines.machine import Machine

GUID = "{11111111-2222-3333-4444-555555555555}"


def utf16(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode("utf-16-le")


def versions(labels: tuple[str, str], ends: str = "\n") -> str:
    return f"{labels[0]} 2.6.3.0{ends}{labels[1]} 6.6.87.2-1{ends}WSLg: 1.0.71{ends}Windows: 10.0.26100.4061{ends}"


def languages() -> tuple[Machine, ...]:
    """`wsl --version` where wsl.exe ignores the wish for UTF-8, in five languages."""
    rows = (
        ("zh-CN", 936, 936, "王小明", ("WSL 版本:", "内核版本:")),
        ("ja-JP", 932, 932, "山田", ("WSL バージョン:", "カーネル バージョン:")),
        ("de-DE", 1252, 850, "Jürgen", ("WSL-Version:", "Kernelversion:")),
        ("ru-RU", 1251, 866, "Иван", ("Версия WSL:", "Версия ядра:")),
        ("fr-FR", 1252, 850, "Zoé", ("Version WSL\u00a0:", "Version du noyau\u00a0:")),
    )
    machines = []
    for locale, ansi, oem, user, labels in rows:
        machine = Windows(locale=locale, ansi=ansi, oem=oem, user=user)
        machine.wsl_package(said=utf16(versions(labels)), status=utf16("1: Ubuntu\n2: 2\n"))
        machine.distro("Ubuntu", GUID, default=True, flavor="ubuntu", os="24.04")
        machine.runs_distros()
        machines.append(
            Machine(
                f"wsl-{locale.lower()}",
                f"{locale}: UTF-16 without a mark, translated labels",
                machine,
                {
                    "os": {"locale": locale, "ansi_code_page": ansi, "user_profile": rf"C:\Users\{user}"},
                    "wsl": {
                        "version": "2.6.3.0",
                        "kernel": "6.6.87.2-1",
                        "kind": "package",
                        "problem": None,
                        "distros": [{"name": "Ubuntu", "wsl_version": 2, "release": "Ubuntu 24.04"}],
                    },
                },
                [["wsl.distros.inside", "not-running"]],
            )
        )
    return tuple(machines)


def stub() -> Machine:
    machine = Windows()
    machine.file(WSL_EXE)
    return Machine("wsl-stub", "wsl.exe is there, WSL is not: it must not be started", machine, {"wsl": None})


def restart_pending() -> Machine:
    machine = Windows()
    machine.file(WSL_EXE)
    machine.key(rf"{LXSS}\InstallStatus", {"": "VirtualMachinePlatform"})
    return Machine(
        "wsl-restart-pending",
        "the component was switched on, Windows has not restarted",
        machine,
        {"wsl": {"kind": "stub", "restart_pending": True, "distros": []}, "os": {"pending_restart": True}},
    )


def virtualization_off() -> Machine:
    machine = Windows(virtualization=False)
    said = "默认版本：2\n当前计算机配置不支持 WSL2。\n请启用“虚拟机平台”可选组件，并确保在 BIOS 中启用虚拟化。\n有关信息，请访问 https://aka.ms/enablevirtualization\n"
    machine.wsl_package(status=utf16(said))
    return Machine(
        "wsl-virtualization-off",
        "`wsl --status` ends with 0 and says it in Chinese: only the address tells",
        machine,
        {"wsl": {"problem": "virtualization-off", "kind": "package", "hypervisor_running": False}, "cpu": {"virtualization": False}},
    )


def broken() -> Machine:
    machine = Windows(locale="ru-RU", ansi=1251, oem=866)
    machine.wsl_package(said=b"", status="")
    machine.queries = [spoken for spoken in machine.queries if spoken.argv[:1] != (WSL_EXE,)]
    said = utf16("Класс не зарегистрирован\nКод ошибки: Wsl/CallMsi/Install/REGDB_E_CLASSNOTREG\n")
    machine.says((WSL_EXE, "--version"), said, 0xFFFFFFFF)
    return Machine(
        "wsl-half-removed",
        "every call ends with a translated label and an untranslated code",
        machine,
        {"wsl": {"problem": "REGDB_E_CLASSNOTREG", "kind": "package"}},
        [["wsl.version", "failed"]],
        ["wsl.version", "wsl.kernel"],
    )


def stalls() -> Machine:
    machine = Windows()
    machine.wsl_package()
    machine.queries = [spoken for spoken in machine.queries if spoken.argv[:1] != (WSL_EXE,)]
    machine.says((WSL_EXE, "--version"), "", None, failure="timed-out", ms=8000.0)
    return Machine(
        "wsl-stalls", "wsl.exe gives no answer", machine, {"wsl": {"problem": "timed-out", "kind": "package"}}, [["wsl.version", "timed-out"]], ["wsl.version"]
    )


def truncated() -> Machine:
    machine = Windows(locale="ja-JP", ansi=932, oem=932)
    machine.wsl_package(said=utf16("WSL バージョン: 2.6.3.0\nカーネル バ")[:-1], status=utf16("既定のバージョン: 2\n")[:7])
    return Machine(
        "wsl-truncated", "an answer cut in the middle of a letter", machine, {"wsl": {"version": "2.6.3.0", "kind": "package"}}, unknown=["wsl.kernel"]
    )


def others_only() -> Machine:
    machine = Windows()
    machine.wsl_package()
    machine.distro("docker-desktop", GUID, default=True)
    return Machine("wsl-docker-only", "only Docker's own distribution", machine, {"wsl": {"distros": [], "version": "2.6.3.0"}})


def first_generation() -> Machine:
    machine = Windows(build=19045, display="22H2", locale="de-DE", oem=850)
    machine.file(WSL_EXE)
    machine.key(rf"{SERVICES}\LxssManager", {"Start": 2})
    machine.key(LXSS, {"DefaultVersion": 1})
    machine.distro("Ubuntu-20.04", GUID, flags=0x7, default=True)
    machine.distro("Debian", GUID.replace("1", "2"), state=3)
    return Machine(
        "wsl-inbox-version-1",
        "the inbox WSL with a distribution of version 1 and one half installed",
        machine,
        {
            "wsl": {
                "kind": "inbox",
                "version": None,
                "kernel": None,
                "platform_enabled": False,
                "default_version": 1,
                "distros": [{"name": "Ubuntu-20.04", "wsl_version": 1}],
            }
        },
        [["wsl.distros", "not-ready"]],
    )


def ready_inside() -> Machine:
    machine = Windows()
    machine.wsl_package()
    machine.distro("Ubuntu-24.04", GUID, default=True)
    machine.runs_distros("Ubuntu-24.04")
    said = 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\n@@\nPython 3.12.3\n@@\n/dev/dxg\n/usr/lib/wsl/lib/libcuda.so.1\n@@\n'
    said += "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1\n@@\n"
    machine.says((WSL_EXE, "--distribution", "Ubuntu-24.04", "--user", "root", "--exec", "/bin/sh", "-c", _INSIDE), said)
    machine.file(rf"{machine.home}\.wslconfig", "\ufeff[wsl2]\nmemory=8GB # for games\ngpuSupport = false\nnetworkingMode=mirrored\nvmIdleTimeout=1\n")
    return Machine(
        "wsl-running-ready",
        "a running distribution with a GPU; the person's .wslconfig",
        machine,
        {
            "wsl": {
                "distros": [
                    {
                        "release": "Ubuntu 24.04.3 LTS",
                        "python": "3.12.3",
                        "gpu_visible": True,
                        "driver_in_distro": False,
                        "libcuda": "/usr/lib/wsl/lib/libcuda.so.1",
                    }
                ],
                "wslconfig": {"memory": "8GB", "gpusupport": "false", "networkingmode": "mirrored"},
            }
        },
    )


WSL_MACHINES = (
    *languages(),
    *(make() for make in (stub, restart_pending, virtualization_off, broken, stalls, truncated, others_only, first_generation, ready_inside)),
)
