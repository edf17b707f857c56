"""A session with values made by hand: pages are tested without any engine behind them."""

from dataclasses import replace

from app.model.cancel import Cancel
from app.model.events import Event, LogLine, Outcome, RunFinished, RunStarted, StepFinished, StepProgress, StepStarted
from app.model.facts import Compiler, Cpu, Disk, Distro, Driver, Gpu, MachineFacts, Memory, Network, OperatingSystem, Python, Wsl
from app.model.findings import Diagnosis, LogFinding, LogRemedy
from app.model.plan import Choice, Goal, PackageChange, Plan, PlannedPython, Reason, RouteKind, RouteStatus, RouteVerdict, Step, Verdict, Where
from app.model.proof import Benchmark, Check, Level, Proof, ProofVerdict
from app.model.text import Text
from app.planning import EnvironmentOffer, Fit
from app.session import Session

EMBEDDED = r"D:\AI\ComfyUI_windows_portable\python_embeded\python.exe"


def said(text: str) -> Text:
    """A text as a foreign string: no catalogue holds it, so it is shown as it is."""
    return Text(text)


FACTS = MachineFacts(
    schema="machine/1",
    source="hand-written",
    captured_at="2026-11-29T16:42:00+00:00",
    os=OperatingSystem("windows", "10.0.26100", "x86_64", name="Windows 11 24H2", long_paths=False, elevated=False, pending_restart=False),
    cpu=Cpu("AMD Ryzen 7 7700", 8, True),
    memory=Memory(32 * 1024**3),
    disks=(Disk("C:\\", 4_100_000_000, 512_000_000_000), Disk("D:\\", 148_000_000_000, 1_000_000_000_000)),
    gpus=(Gpu("nvidia", "NVIDIA GeForce RTX 4070", 0, "8.9", 12 * 1024**3, "WDDM"),),
    driver=Driver("572.16", "12.8", None),
    toolkits=(),
    compilers=(Compiler("msvc", "Build Tools 2022", "17.14"),),
    vc_runtime="14.44.35211.0",
    wsl=Wsl("2.6.1.0", distros=(Distro("Ubuntu-24.04", 2, True),)),
    network=Network(online=True, proxy=None),
    pythons=(
        Python(
            EMBEDDED,
            "embedded",
            "3.12.10",
            app="comfyui-portable",
            app_root=r"D:\AI\ComfyUI_windows_portable\ComfyUI",
            packages={"torch": "2.8.0+cu128", "numpy": "2.2.6"},
        ),
        Python(r"D:\ComfyUI\.venv\Scripts\python.exe", "venv", "3.12.9", app="comfyui-desktop", app_root=r"D:\ComfyUI", packages={"torch": "2.7.1+cu128"}),
    ),
)


def reason(code: str, text: str) -> Reason:
    return Reason(code, said(text))


ROUTES = (
    RouteVerdict(
        RouteKind.NATIVE,
        RouteStatus.READY,
        (
            reason("wheel-fits", "There is a Triton 3.4 for your torch 2.8 and Python 3.12"),
            reason("gpu-supported", "Your driver and your card are supported"),
            reason("no-restart", "No restart, no administrator password"),
        ),
    ),
    RouteVerdict(
        RouteKind.WSL2,
        RouteStatus.NEEDS_ACTION,
        (
            reason("wsl-missing", "WSL2 must be added first: one restart, one administrator prompt"),
            reason("slow-files", "Your models on drive D: load more slowly from Linux"),
        ),
    ),
    RouteVerdict(RouteKind.SOURCE, RouteStatus.IMPOSSIBLE, (reason("disk-full", "Needs more room on drive C: than the 4 GB that are free"),)),
    RouteVerdict(RouteKind.LINUX, RouteStatus.IMPOSSIBLE, (reason("not-linux", "This PC runs Windows"),)),
)

STEPS = (
    Step("check", "check-free", said("Check that ComfyUI is closed"), weight=4),
    Step(
        "download",
        "download",
        said("Download 3 packages and check them"),
        ("uv", "pip", "download", "triton-windows==3.4.0.post21"),
        Where.DOWNLOAD,
        download_bytes=74_000_000,
        weight=60,
    ),
    Step("aside", "move-aside", said("Move the old files aside"), weight=5, undo=said("They are moved back")),
    Step("install", "install", said("Install without touching anything else"), ("uv", "pip", "install", "--offline", "triton-windows"), weight=16),
    Step("test", "smoke-test", said("Test on your graphics card"), weight=22),
)

PLAN = Plan(
    verdict=Verdict.READY,
    route=RouteKind.NATIVE,
    routes=ROUTES,
    python=PlannedPython(EMBEDDED, "embedded", "3.12.10"),
    findings=(),
    packages={"torch": "2.8.0+cu128", "triton-windows": "3.4.0.post21", "sageattention": "2.2.0+cu128torch2.8.0.post3"},
    steps=STEPS,
    download_bytes=74_000_000,
    disk_bytes=312_000_000,
    keeps=("torch", "numpy"),
    choice=Choice(goals=(Goal.COMFYUI,)),
    changes=(
        PackageChange("triton-windows", None, "3.4.0.post21", said("new")),
        PackageChange("sageattention", "1.0.6", "2.2.0+cu128torch2.8.0.post3", said("newer")),
        PackageChange("Python build files", None, "3.12.10", said("new")),
    ),
)


TIME = "2026-11-30T14:02:{:02}+00:00"


def log(second: int, step: str, line: str) -> LogLine:
    return LogLine(step, line, TIME.format(second))


EVENTS: tuple[Event, ...] = (
    RunStarted("run-1", tuple(step.id for step in STEPS), tuple(step.weight for step in STEPS), TIME.format(10)),
    StepStarted("check", said("ComfyUI is closed"), TIME.format(10)),
    log(11, "check", "ComfyUI portable: no program holds its files"),
    log(12, "keep", "torch 2.8.0+cu128, torchvision, numpy: unchanged"),
    StepFinished("check", Outcome.DONE, 1.2),
    StepStarted("download", said("Downloading"), TIME.format(12)),
    log(12, "download", "python-headers-3.12.10.zip"),
    log(13, "done", "0.4 MB, sha256 matches"),
    log(13, "download", "sageattention-2.2.0+cu128torch2.8.0.post3-cp39-abi3-win_amd64.whl"),
    log(36, "done", "27.5 MB, sha256 matches"),
    log(36, "download", "triton_windows-3.4.0.post21-cp312-cp312-win_amd64.whl"),
    StepProgress("download", 0.58, "triton-windows 3.4.0.post21", 3, 3, 15_100_000, 46_100_000, 1_200_000.0, 26.0),
)

FAILED_EVENTS: tuple[Event, ...] = (
    *EVENTS[:-1],
    StepFinished("download", Outcome.DONE, 44.0),
    StepStarted("test", said("Test on your graphics card"), TIME.format(40)),
    log(40, "test", "import triton"),
    log(41, "test", "ImportError: DLL load failed while importing libtriton"),
    log(41, "test", "loaded: D:\\AI\\python_embeded\\msvcp140.dll  14.29.30139"),
    StepFinished("test", Outcome.FAILED, 1.0, said("Triton does not load"), 1),
    log(41, "put back", "41 files"),
    RunFinished("run-1", Outcome.FAILED, 52.0, said("Triton does not load"), put_back=True),
)

CAUSE = LogFinding(
    "vc-runtime-stale",
    0.95,
    said("An old Visual C++ runtime lies beside this Python"),
    said("Triton needs 14.42 or newer. This Python loads its own copy first, which is 14.29."),
    ((2, 3),),
    LogRemedy("replace-vc-runtime", (said("Put the new runtime beside this Python"), said("Start the app again")), True),
    said("The import then works"),
)
GUESS = LogFinding(
    "antivirus-blocked",
    0.3,
    said("the virus scanner holds a file back"),
    said("Two lines fit, but no file was reported as blocked."),
    ((4, 4),),
    LogRemedy("look-at-scanner", (said("Look into the protection history"),), False),
    said("The file is there again"),
)
DIAGNOSIS = Diagnosis((CAUSE, GUESS), healthy=False)
ERROR_TEXT = """Total VRAM 12282 MB, total RAM 32463 MB
Using sage attention
  from triton.backends import backends
ImportError: DLL load failed while importing libtriton: The specified procedure could not be found.
"""


def bench(kernel: str, implementation: str, value: float, unit: str, ceiling: float, dtype: str = "float32") -> Benchmark:
    return Benchmark(kernel, implementation, "16777216", dtype, 0.44, 0.43, 0.45, value, unit, 0.0, 1e-6, "torch", 0.99, ceiling)


PROOF = Proof(
    Level.BENCHMARK,
    ProofVerdict.FAST,
    (
        Check("import-torch", "passed", "torch 2.8.0", {"torch": "2.8.0+cu128", "import_s": 2.1}),
        Check("import-triton", "passed", "triton 3.4.0", {"triton": "3.4.0"}),
        Check("torch-sees-gpu", "passed", "RTX 4070", {"name": "RTX 4070", "compute_capability": "8.9"}),
        Check("add-odd", "passed", "6 lengths", {"lengths": 6}),
        Check("softmax", "passed", "4 shapes", {"shapes": 4}),
        Check("dot-fp8", "skipped", "not offered", {"reason": "card-lacks-type"}),
    ),
    (
        bench("add", "triton", 459, "GB/s", 504),
        bench("add", "torch", 462, "GB/s", 504),
        bench("softmax", "triton", 448, "GB/s", 504),
        bench("softmax", "torch", 441, "GB/s", 504),
        bench("matmul", "triton", 54.9, "TFLOP/s", 58.3, "float16"),
        bench("matmul", "torch", 56.6, "TFLOP/s", 58.3, "float16"),
    ),
    3.1,
    0.2,
    {"name": "RTX 4070"},
    python=EMBEDDED,
)


PYTHONS = FACTS.pythons
assert isinstance(PYTHONS, tuple)
FORGE = Python(r"D:\SM\Packages\forge\venv\Scripts\python.exe", "venv", "3.10.11", app="forge", packages={"torch": "2.3.1+cu121"})
STORE = Python(r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\PythonSoftwareFoundation.Python.3.13\python.exe", "store", "3.13.5", packages={})
OFFERS = (
    EnvironmentOffer(
        Fit.RECOMMENDED,
        r"D:\AI\ComfyUI_windows_portable\python_embeded",
        (Reason("target-app", said("Your ComfyUI starts with this Python, and its torch has a matching Triton.")), reason("headers", "Build files are added")),
        said("Adds triton-windows 3.4.0.post21. torch 2.8.0+cu128 stays"),
        Choice(goals=(Goal.COMFYUI,), python=EMBEDDED),
        replace(PYTHONS[0], in_use_by=()),
        0,
    ),
    EnvironmentOffer(
        Fit.FITS,
        r"D:\ComfyUI\.venv",
        (reason("in-use", "A program is using it: python.exe"),),
        said("Adds triton-windows 3.3.1.post21. torch 2.7.1+cu128 stays"),
        Choice(goals=(Goal.COMFYUI,), python=PYTHONS[1].executable),
        PYTHONS[1],
        1,
    ),
    EnvironmentOffer(
        Fit.FITS, r"C:\Users\me\triton", (Reason("apart", said("Kept apart from all apps.")),), said("Installs torch and Triton"), Choice(new_env=r"C:\t")
    ),
    EnvironmentOffer(Fit.IMPOSSIBLE, r"D:\SM", (reason("flaw-version", "No Triton for torch 2.3"),), said("Nothing"), Choice(), FORGE, 2),
    EnvironmentOffer(Fit.IMPOSSIBLE, r"C:\Users", (reason("flaw-store", "Windows hides its files"),), said("Nothing"), Choice(), STORE, 3),
)


class SampleSession(Session):
    """Shows what it is given; runs nothing."""

    def __init__(self, home: str | None = None, language: str = "en") -> None:
        super().__init__(home, language)
        self.fixed_plan = PLAN

    def runs(self) -> tuple:
        return ()

    def environments(self) -> tuple[EnvironmentOffer, ...]:
        return OFFERS

    def scan(self, cancel: Cancel, folders: tuple[str, ...] = (), only: frozenset[str] | None = None) -> MachineFacts:
        self.facts = FACTS
        return FACTS

    def decide(self, choice: Choice) -> Plan:
        self.choice = choice
        # A route that is asked for is the route of the plan.
        self.plan = replace(self.fixed_plan, choice=choice, route=choice.route or self.fixed_plan.route)
        return self.plan
