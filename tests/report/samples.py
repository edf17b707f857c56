"""Reports as real sessions leave them: one that failed on a private machine, one that went well, one of facts only."""

import json
from dataclasses import replace

from app.model.events import LogLine, Outcome, RunFinished, RunStarted, StepFinished, StepStarted
from app.model.facts import (
    Compiler,
    Cpu,
    Disk,
    Distro,
    Driver,
    Gap,
    Gpu,
    MachineFacts,
    Memory,
    Network,
    OperatingSystem,
    Python,
    Toolkit,
    Wsl,
)
from app.model.findings import Diagnosis, Finding, LogFinding, LogRemedy, Remedy, Severity
from app.model.plan import Choice, Goal, PackageChange, Plan, PlannedPython, Reason, RouteKind, RouteStatus, RouteVerdict, Step, Verdict
from app.model.proof import Benchmark, Check, Level, Proof, ProofVerdict
from app.model.report import Report
from app.model.text import Text

PORTABLE = "D:\\AI\\ComfyUI_windows_portable\\python_embeded\\python.exe"


def machine_facts(user: str = "user", **changes: object) -> MachineFacts:
    home = f"C:\\Users\\{user}"
    facts = MachineFacts(
        schema="machine/1",
        captured_at="2026-11-29T14:02:11+00:00",
        source="live",
        os=OperatingSystem(
            family="windows",
            name="Windows 11 Pro 25H2",
            version="10.0.26200",
            arch="x86_64",
            locale="en-US",
            ansi_code_page=1252,
            long_paths=False,
            elevated=False,
            pending_restart=False,
            user_profile=home,
            temp=f"{home}\\AppData\\Local\\Temp",
            edition="Professional",
            app_control="off",
            antivirus=("Windows Defender",),
            cloud_roots=(f"{home}\\OneDrive",),
        ),
        cpu=Cpu("13th Gen Intel(R) Core(TM) i7-13700K", 16, True),
        memory=Memory(34_359_738_368, 51_539_607_552),
        disks=(Disk("C:\\", 99_857_989_632, 257_698_037_760, "NTFS", "fixed"), Disk("D:\\", 947_040_288_768, 1_515_264_462_028, "NTFS", "fixed")),
        gpus=(Gpu("nvidia", "NVIDIA GeForce RTX 4070", 0, "8.9", 12_878_610_432, "WDDM", "ok", True),),
        driver=Driver("572.16", "12.8", None),
        toolkits=(Toolkit("12.8", "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8", ()),),
        compilers=(
            Compiler(
                "msvc", "Visual Studio Build Tools 2022", "17.14", "14.44.35207", "10.0.26100.0", "C:\\Program Files\\Microsoft Visual Studio\\2022\\BuildTools"
            ),
        ),
        vc_runtime="14.44.35211.0",
        tools={"git": "2.50.1.windows.1", "cmake": None, "ninja": None, "uv": "0.9.7", "nvcc": "12.8", "winget": "1.12.350"},
        wsl=Wsl(
            version="2.6.3.0",
            kernel="6.6.87.2-1",
            default_version=2,
            platform_enabled=True,
            problem=None,
            distros=(Distro("Ubuntu-24.04", 2, True, "24.04", "3.12.3"),),
        ),
        network=Network(True, None, None, {"python-index": True, "download.pytorch.org": True, "github.com": True}, False, 0.4),
        pythons=(
            Python(
                PORTABLE,
                "embedded",
                "3.12.10",
                64,
                "x86_64",
                False,
                "comfyui-portable",
                "D:\\AI\\ComfyUI_windows_portable",
                "0.3.68",
                True,
                (),
                True,
                False,
                "14.29.30139.0",
                False,
                packages={
                    "torch": "2.8.0+cu128",
                    "torchvision": "0.23.0+cu128",
                    "numpy": "2.2.6",
                    "pip": "25.3",
                    "einops": "0.8.1",
                    "transformers": "4.57.1",
                    "safetensors": "0.6.2",
                },
                torch_arch_list=("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"),
            ),
            Python(
                f"{home}\\AppData\\Local\\Programs\\Python\\Python313\\python.exe", "system", "3.13.7", 64, "x86_64", has_pip=True, packages={"pip": "25.2"}
            ),
        ),
        environment_variables={"CUDA_PATH": "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.8", "PATH": "C:\\Windows\\system32;C:\\Windows"},
        gaps=(Gap("wsl", "timed-out", "wsl.exe gave no answer in 10 s"),),
    )
    return replace(facts, **changes)


def plan(facts: MachineFacts | None = None, verdict: Verdict = Verdict.READY) -> Plan:
    return Plan(
        verdict=verdict,
        route=RouteKind.NATIVE,
        routes=(
            RouteVerdict(RouteKind.NATIVE, RouteStatus.READY, (Reason("ready-made", Text("route.ready-made")),)),
            RouteVerdict(RouteKind.WSL2, RouteStatus.NEEDS_ACTION, (Reason("wsl-costs", Text("route.wsl-costs")),)),
            RouteVerdict(RouteKind.SOURCE, RouteStatus.IMPOSSIBLE, (Reason("build-tools-missing", Text("route.build-tools-missing")),)),
            RouteVerdict(RouteKind.LINUX, RouteStatus.IMPOSSIBLE, (Reason("not-linux", Text("route.not-linux")),)),
        ),
        python=PlannedPython(PORTABLE, "embedded", "3.12.10"),
        findings=(
            Finding(
                "vc-runtime-stale",
                Severity.WARNING,
                Text("finding.vc-runtime-stale.text", {"version": "14.29.30139.0"}),
                ("pythons[0].bundled_vc_runtime",),
                Remedy("vc-runtime-beside", Text("finding.vc-runtime-stale.remedy"), True),
            ),
            Finding(
                "python-headers-missing", Severity.WARNING, Text("finding.python-headers-missing.text", {"version": "3.12"}), ("pythons[0].has_headers",), None
            ),
        ),
        packages={"torch": "2.8.0+cu128", "triton-windows": "3.4.0.post21", "sageattention": "2.2.0+cu128torch2.8.0.post3"},
        steps=(
            Step(
                "download",
                "download",
                Text("step.download", {"packages": "triton-windows, sageattention"}),
                argv=("uv", "pip", "download", "triton-windows==3.4.0.post21"),
                download_bytes=46_100_000,
                weight=5,
            ),
            Step(
                "install",
                "install",
                Text("step.swap", {"packages": "triton-windows, sageattention"}),
                argv=(PORTABLE, "-m", "pip", "install", "triton-windows==3.4.0.post21"),
                weight=3,
            ),
            Step("test", "smoke-test", Text("step.smoke-test"), argv=(PORTABLE, "-s", "-c", "import triton"), weight=2),
        ),
        download_bytes=46_100_000,
        disk_bytes=212_000_000,
        keeps=("torch", "torchvision", "numpy"),
        choice=Choice(goals=(Goal.TRITON, Goal.SAGEATTENTION), python=PORTABLE),
        changes=(
            PackageChange("triton-windows", None, "3.4.0.post21", Text("plan.change-triton-new")),
            PackageChange("sageattention", "1.0.6", "2.2.0+cu128torch2.8.0.post3", Text("plan.change-sage-follows")),
        ),
    )


def log_events(lines: list[str] | None = None) -> tuple[LogLine, ...]:
    lines = lines or [
        "import triton",
        "Traceback (most recent call last):",
        '  File "<string>", line 1, in <module>',
        '  File "D:\\AI\\ComfyUI_windows_portable\\python_embeded\\Lib\\site-packages\\triton\\__init__.py", line 8, in <module>',
        "    from .runtime import (",
        "ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed.",
        "loaded: D:\\AI\\ComfyUI_windows_portable\\python_embeded\\msvcp140.dll 14.29.30139.0",
        "put back 41 files",
    ]
    return tuple(
        LogLine("test", line, f"2026-11-29T14:03:{40 + index % 20:02d}Z", "stderr" if "Error" in line else "stdout") for index, line in enumerate(lines)
    )


def failed_report(user: str = "user", lines: list[str] | None = None) -> Report:
    facts = machine_facts(user)
    return Report(
        created_at="2026-11-29T14:03:45+00:00",
        program_version="1.0",
        facts=facts,
        choice=Choice(goals=(Goal.TRITON, Goal.SAGEATTENTION), python=PORTABLE),
        plan=plan(),
        events=(
            RunStarted("20261129-140301", ("download", "install", "test"), (5, 3, 2), "2026-11-29T14:03:01Z"),
            StepStarted("download", Text("step.download", {"packages": "triton-windows, sageattention"}), "2026-11-29T14:03:01Z"),
            StepFinished("download", Outcome.DONE, 21.4),
            StepStarted("install", Text("step.swap", {"packages": "triton-windows, sageattention"}), "2026-11-29T14:03:22Z"),
            StepFinished("install", Outcome.DONE, 17.9),
            StepStarted("test", Text("step.smoke-test"), "2026-11-29T14:03:40Z"),
            *log_events(lines),
            StepFinished("test", Outcome.FAILED, 1.8, Text("run.smoke-failed", {"module": "triton", "reason": "DLL load failed while importing libtriton"}), 1),
            RunFinished(
                "20261129-140301",
                Outcome.FAILED,
                42.9,
                Text("run.smoke-failed", {"module": "triton", "reason": "DLL load failed while importing libtriton"}),
                put_back=True,
            ),
        ),
        diagnosis=Diagnosis(
            findings=(
                LogFinding(
                    "vc-runtime-stale",
                    0.93,
                    Text("cause.vc-runtime-stale.title"),
                    Text("cause.vc-runtime-stale.explanation"),
                    ((6, 7),),
                    LogRemedy("vc-runtime-beside", (Text("finding.vc-runtime-stale.remedy"),), True),
                    Text("cause.check.libtriton-imports"),
                    ("https://github.com/triton-lang/triton-windows",),
                ),
                LogFinding(
                    "dll-init-failed",
                    0.31,
                    Text("cause.dll-init-failed.title"),
                    Text("cause.dll-init-failed.explanation"),
                    ((6, 6),),
                    LogRemedy("look", (), False),
                    Text("cause.check.libtriton-imports"),
                ),
            ),
            healthy=False,
            context={"torch": "2.8.0+cu128"},
        ),
    )


def _benchmark(
    kernel: str, implementation: str, shape: str, dtype: str, ms: float, value: float, unit: str, ratio: float | None, ceiling: float | None
) -> Benchmark:
    return Benchmark(
        kernel,
        implementation,
        shape,
        dtype,
        ms,
        ms * 0.99,
        ms * 1.02,
        value,
        unit,
        2.1e-6,
        1e-3,
        "float64",
        ratio,
        ceiling,
        {"clock_mhz": 2475, "power_w": 187.5},
    )


def good_report(user: str = "user") -> Report:
    proof = Proof(
        level=Level.BENCHMARK,
        verdict=ProofVerdict.FAST,
        checks=(
            Check("import-triton", "passed", "3.4.0", {"seconds": 0.8}),
            Check("add-odd", "passed", "98,432 elements, largest error 0", {"error": 0.0}),
            Check("dot-fp16", "passed", "512 × 512 × 512, largest error 2.1e-06", {"error": 2.1e-06}),
            Check("dot-fp8", "skipped", "", {"reason": "card-lacks-type"}),
        ),
        benchmarks=(
            _benchmark("add", "triton", "98432000", "float32", 2.57, 459.0, "GB/s", 0.99, 504.2),
            _benchmark("add", "pytorch", "98432000", "float32", 2.55, 462.0, "GB/s", 1.0, 504.2),
            _benchmark("softmax", "triton", "8192x4096", "float32", 0.59, 448.0, "GB/s", 1.02, 504.2),
            _benchmark("softmax", "pytorch", "8192x4096", "float32", 0.60, 441.0, "GB/s", 1.0, 504.2),
            _benchmark("matmul", "triton", "4096x4096x4096", "float16", 2.50, 54.9, "TFLOP/s", 0.97, 58.3),
            _benchmark("matmul", "pytorch", "4096x4096x4096", "float16", 2.43, 56.6, "TFLOP/s", 1.0, 58.3),
        ),
        compile_cold_s=3.1,
        compile_warm_s=0.21,
        device={"name": "NVIDIA GeForce RTX 4070", "capability": "8.9", "driver": "572.16"},
        python=PORTABLE,
    )
    report = failed_report(user)
    done = tuple(replace(event, outcome=Outcome.DONE, problem=None, exit_code=0) if isinstance(event, StepFinished) else event for event in report.events[:-1])
    return replace(report, events=(*done, RunFinished("20261129-140301", Outcome.DONE, 41.2)), proof=proof, diagnosis=None, plan=replace(plan(), findings=()))


def facts_report(user: str = "user") -> Report:
    return Report("2026-11-29T14:03:45+00:00", "1.0", machine_facts(user), Choice())


def recording(user: str = "user") -> bytes:
    home = f"C:\\Users\\{user}"
    return json.dumps(
        {
            "schema": "recording/1",
            "family": "windows",
            "environment": {"USERNAME": user, "USERPROFILE": home, "LOCALAPPDATA": f"{home}\\AppData\\Local"},
            "queries": [
                {
                    "argv": ["nvidia-smi", "-q"],
                    "exit_code": 0,
                    "stdout": {"text": "Driver Version : 572.16\nCUDA Version : 12.8\nProduct Name : NVIDIA GeForce RTX 4070\n", "encoding": "utf-8"},
                    "stderr": {"text": "", "encoding": "utf-8"},
                    "milliseconds": 210.0,
                }
            ],
            "files": {f"{home}\\pip\\pip.ini": {"text": "[global]\ntimeout = 60\n", "encoding": "utf-8"}},
            "names": {f"{home}\\AppData\\Local\\Programs\\Python": ["Python313/"]},
        },
        ensure_ascii=False,
    ).encode()
