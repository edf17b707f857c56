"""GPUs and drivers that answer, fail, stall or are not there."""

import dataclasses

from app.host.answers import NvmlAnswer, NvmlDevice
from app.probes.adapters import VIDEO_CONTROLLERS
from app.probes.nvidia_smi import FIELDS
from tests.machines.layout import DISPLAY_CLASS, GIB, POWERSHELL, SMI_EXE, Windows
from tests.machines.machine import Machine

ASKED = ("--format=csv,noheader,nounits",)
NO_ANSWER = NvmlAnswer(error=-1, message="no answer in 8 s")
OLD_HEADER = "| NVIDIA-SMI 566.36                 Driver Version: 566.36         CUDA Version: 12.7     |\r\n"
NEW_HEADER = "| NVIDIA-SMI 610.57.04    KMD Version: 610.57.04    CUDA UMD Version: 13.3 |\r\n"
ROW = "0, NVIDIA GeForce RTX 4090, 00000000:01:00.0, {driver}, 24564, 8.9, WDDM, Enabled\r\n"


def asks(fields: tuple[str, ...] = FIELDS) -> tuple[str, ...]:
    return (SMI_EXE, f"--query-gpu={','.join(fields)}", *ASKED)


def with_card(problem: int = 0, driver: str | None = "32.0.15.6636", name: str = "NVIDIA GeForce RTX 4090") -> Windows:
    machine = Windows()
    machine.adapter(name, r"PCI\VEN_10DE&DEV_2684&SUBSYS_0&REV_A1\4&1", problem, driver, 24 * GIB)
    return machine


def smi_second() -> Machine:
    machine = with_card()
    machine.nvml = NO_ANSWER
    machine.file(SMI_EXE)
    machine.says(asks(), ROW.format(driver="566.36"))
    machine.says((SMI_EXE,), OLD_HEADER)
    return Machine(
        "nvml-stalls-smi-answers",
        "NVML gives no answer, nvidia-smi does: old header",
        machine,
        {
            "gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "compute_capability": "8.9", "memory_bytes": 24564 << 20, "driver_model": "WDDM"}],
            "driver": {"version": "566.36", "cuda": "12.7", "problem": None},
        },
    )


def new_header() -> Machine:
    machine = with_card()
    machine.nvml = NO_ANSWER
    machine.file(SMI_EXE)
    machine.says(asks(), ROW.format(driver="610.57"))
    machine.says((SMI_EXE,), NEW_HEADER)
    return Machine("smi-new-header", "the header of the 610 branch", machine, {"driver": {"version": "610.57", "cuda": "13.3", "problem": None}})


def bad_fields() -> Machine:
    machine = with_card()
    machine.nvml = NO_ANSWER
    machine.file(SMI_EXE)
    known = tuple(field for field in FIELDS if field not in ("compute_cap", "driver_model.current"))
    machine.says(asks(), 'Field "compute_cap" is not a valid field to query.\r\n\r\n', 2)
    fewer = tuple(field for field in FIELDS if field != "compute_cap")
    machine.says(asks(fewer), 'Field "driver_model.current" is not a valid field to query.\r\n\r\n', 6)
    machine.says(asks(known), "0, NVIDIA GeForce GTX 1080, 00000000:01:00.0, 472.12, 8192, [Not Supported]\r\n")
    machine.says((SMI_EXE,), "| NVIDIA-SMI 472.12       Driver Version: 472.12       CUDA Version: 11.4     |\r\n")
    return Machine(
        "smi-old-fields",
        "an old nvidia-smi that knows neither compute_cap nor driver_model.current",
        machine,
        {
            "gpus": [{"name": "NVIDIA GeForce GTX 1080", "memory_bytes": 8192 << 20, "status": "ok"}],
            "driver": {"version": "472.12", "cuda": "11.4"},
        },
        unknown=["gpus[0].compute_capability", "gpus[0].display_active"],
    )


def truncated_smi() -> Machine:
    machine = with_card()
    machine.nvml = NO_ANSWER
    machine.file(SMI_EXE)
    machine.says(asks(), "0, NVIDIA GeForce RTX 4090, 00000000:01:00.0, 566.36, 245")
    return Machine(
        "smi-truncated",
        "nvidia-smi's answer ends in the middle of a row",
        machine,
        {"gpus": [{"name": "NVIDIA GeForce RTX 4090", "vendor": "nvidia"}], "driver": {"version": "566.36", "problem": "not-understood"}},
        [["gpus.compute_capability", "driver-does-not-tell"]],
        ["gpus[0].compute_capability"],
    )


def mismatch() -> Machine:
    machine = with_card()
    machine.nvml = NvmlAnswer(error=18, message="Driver/library version mismatch")
    machine.file(SMI_EXE)
    machine.says(asks(), "Failed to initialize NVML: Driver/library version mismatch\r\n", 18)
    return Machine(
        "driver-library-mismatch",
        "driver updated, not restarted",
        machine,
        {"driver": {"version": "566.36", "problem": "library-mismatch"}},
        unknown=["driver.cuda"],
    )


def not_loaded() -> Machine:
    machine = with_card(problem=43)
    machine.nvml = NvmlAnswer(error=9, message="Driver Not Loaded")
    machine.file(SMI_EXE)
    said = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    said += "Make sure that the latest NVIDIA driver is installed and running.\r\n\r\n"
    machine.says(asks(), said, 9)
    return Machine(
        "driver-not-loaded-error-43",
        "the card was stopped by its driver",
        machine,
        {"gpus": [{"vendor": "nvidia", "status": "error 43"}], "driver": {"problem": "driver-not-loaded"}},
    )


def library_gone() -> Machine:
    machine = with_card()
    program = machine.file(r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_1\nvidia-smi.exe")
    said = "NVIDIA-SMI couldn't find nvml.dll library in your system. Please make sure that the NVIDIA Display Driver is properly installed.\r\n"
    machine.says((program, f"--query-gpu={','.join(FIELDS)}", *ASKED), said, 12)
    return Machine(
        "nvml-dll-gone",
        "a driver in the device tree, its nvml.dll deleted",
        machine,
        {"driver": {"version": "566.36", "problem": "library-not-found"}, "gpus": [{"vendor": "nvidia", "status": "ok"}]},
    )


def everything_stalls() -> Machine:
    machine = with_card()
    machine.nvml = NO_ANSWER
    machine.file(SMI_EXE)
    machine.says(asks(), "", None, failure="timed-out", ms=6000.0)
    return Machine(
        "nvml-and-smi-stall",
        "neither source answers: what the system lists is still told",
        machine,
        {"gpus": [{"vendor": "nvidia", "name": "NVIDIA GeForce RTX 4090", "memory_bytes": 24 * GIB}], "driver": {"version": "566.36", "problem": "timed-out"}},
        unknown=["gpus[0].compute_capability", "driver.cuda"],
    )


def switched_off() -> Machine:
    machine = Windows(cpu="AMD Ryzen 9 7940HS w/ Radeon 780M Graphics")
    machine.adapter("AMD Radeon(TM) 780M", r"PCI\VEN_1002&DEV_15BF&SUBSYS_0&REV_C4\4&2", 0, "32.0.21030.2001", GIB // 2)
    machine.adapter("NVIDIA GeForce RTX 4060 Laptop GPU", r"PCI\VEN_10DE&DEV_28E0&SUBSYS_0&REV_A1\4&1", 22, "32.0.15.7652", 8 * GIB)
    machine.nvml = NvmlAnswer(driver="576.52", cuda=12090)
    return Machine(
        "hybrid-gpu-switched-off",
        "a hybrid laptop whose NVIDIA GPU is disabled",
        machine,
        {
            "gpus": [{"vendor": "nvidia", "status": "disabled"}, {"vendor": "amd", "compute_capability": None, "status": "ok"}],
            "driver": {"version": "576.52", "cuda": "12.9", "problem": None},
        },
        unknown=["gpus[0].compute_capability"],
    )


def one_lost() -> Machine:
    machine = Windows()
    machine.nvidia("591.44", 13010, ("NVIDIA GeForce RTX 5090", (12, 0), 32 * GIB), ("NVIDIA GeForce RTX 3090", (8, 6), 24 * GIB))
    lost = NvmlDevice(1, error=15)
    machine.nvml = dataclasses.replace(machine.nvml, devices=(machine.nvml.devices[0], lost))
    return Machine(
        "one-gpu-lost",
        "one of two GPUs has fallen off the bus",
        machine,
        {
            "gpus": [
                {"name": "NVIDIA GeForce RTX 5090", "compute_capability": "12.0", "status": "ok"},
                {"vendor": "nvidia", "index": 1, "status": "gpu-is-lost"},
            ]
        },
    )


def no_card() -> Machine:
    machine = Windows(virtualization=False)
    machine.adapter("Microsoft Hyper-V Video", r"VMBUS\{DA0A7802}\5&1", 0, "10.0.26100.1")
    machine.management(hypervisor=True)
    return Machine(
        "hyper-v-guest",
        "no card at all",
        machine,
        {"gpus": [{"vendor": "other", "name": "Microsoft Hyper-V Video"}], "driver": None, "cpu": {"virtualization": True}},
    )


def bare_card() -> Machine:
    machine = with_card(problem=28, driver=None, name="3D-Videocontroller")
    return Machine(
        "card-without-any-driver",
        "Windows has no driver for the card, not even its basic one",
        machine,
        {"gpus": [{"vendor": "nvidia", "name": "NVIDIA GPU (PCI 10DE:2684)", "status": "no-driver"}], "driver": None},
    )


def by_management() -> Machine:
    machine = Windows()
    for number, (name, ids) in enumerate((("NVIDIA GeForce GTX 970", r"pci\ven_10de&dev_13c2"), ("Parsec Virtual Display Adapter", "Root\\Parsec"))):
        machine.key(rf"{DISPLAY_CLASS}\000{number}", {"DriverDesc": name, "DriverVersion": "27.21.14.5671", "MatchingDeviceId": ids})
    rows = (
        '[{"Name":"Intel(R) UHD Graphics 770","PNPDeviceID":"PCI\\\\VEN_8086&DEV_4680&SUBSYS_0","DriverVersion":"31.0.101.4255","ConfigManagerErrorCode":0},'
        '{"Name":"Parsec Virtual Display Adapter","PNPDeviceID":"ROOT\\\\DISPLAY\\\\0000","DriverVersion":"0.45.0.0","ConfigManagerErrorCode":0}]'
    )
    machine.says((POWERSHELL, "-NoProfile", "-NonInteractive", "-Command", VIDEO_CONTROLLERS), rows)
    return Machine(
        "ghost-card-in-registry",
        "the registry still lists a card that was taken out; the device list does not",
        machine,
        {"gpus": [{"vendor": "intel", "name": "Intel(R) UHD Graphics 770"}, {"vendor": "other", "name": "Parsec Virtual Display Adapter"}], "driver": None},
    )


GPU_MACHINES = tuple(
    make()
    for make in (
        *(smi_second, new_header, bad_fields, truncated_smi, mismatch, not_loaded, library_gone, everything_stalls),
        *(switched_off, one_lost, no_card, bare_card, by_management),
    )
)
