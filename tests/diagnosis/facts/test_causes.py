"""Findings: what the facts show is told, what they do not show is not claimed."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from app.diagnosis import find_causes
from app.model.facts import Compiler, Disk, Distro, Driver, MachineFacts, Memory, Network, Python, Toolkit
from app.model.findings import Finding, Severity
from app.model.plan import Choice, Goal, RouteKind
from app.model.unknown import UNKNOWN
from app.texts import LANGUAGES, words
from tests.planning.build import TABLES, gpu, linux, machine, portable, python, with_os, wsl
from tests.planning.worlds import choices, machines

SAGE = Choice(goals=(Goal.TRITON, Goal.SAGEATTENTION))
MATCHED = {"triton-windows": "3.6.0.post26", "sageattention": "2.2.0+cu128torch2.10.0andhigher.post6"}
DEEP = "D:\\" + "deep\\" * 25 + "venv\\Scripts\\python.exe"
VENV = "D:\\work\\venv\\Scripts\\python.exe"


def causes(facts: MachineFacts, choice: Choice = SAGE) -> dict[str, Finding]:
    return {finding.code: finding for finding in reversed(find_causes(facts, TABLES, choice))}


def cuda_path(version: str, missing: tuple[str, ...] = (), variable: str = "CUDA_PATH", root: str = "C:\\cuda") -> dict[str, Any]:
    return {"toolkits": (Toolkit(version, "C:\\CUDA\\", missing),), "environment_variables": {variable: root}}


MACHINES: list[tuple[str, Severity, MachineFacts]] = [
    ("no-nvidia-gpu", Severity.BLOCKER, machine(gpus=(gpu(None, "intel"),), driver=None)),
    ("no-nvidia-gpu", Severity.BLOCKER, machine(gpus=(), driver=None)),
    ("no-nvidia-gpu", Severity.NOTE, linux()),
    ("amd-gpu", Severity.BLOCKER, machine(gpus=(gpu(None, "amd"),), driver=None)),
    ("gpu-too-old", Severity.BLOCKER, machine(capability="6.1")),
    ("gpu-too-old", Severity.BLOCKER, machine(python("2.8.0+cu128"), capability="7.0")),
    ("gpu-too-new", Severity.BLOCKER, machine(python("2.6.0+cu126"), capability="12.0")),
    ("gpu-too-new", Severity.BLOCKER, machine(python("2.13.0+cu130"), capability="12.1")),
    ("gpu-too-new", Severity.WARNING, machine(capability="13.5", pythons=())),
    ("gpu-lacks-feature", Severity.WARNING, machine(python("2.7.1+cu128"), capability="7.5")),
    ("gpu-mixed", Severity.WARNING, machine(gpus=(gpu("12.0"), gpu("7.5", index=1)))),
    ("gpu-hidden", Severity.BLOCKER, machine(gpus=(gpu(status="disabled"),))),
    ("gpu-hidden", Severity.WARNING, machine(environment_variables={"CUDA_VISIBLE_DEVICES": "-1"})),
    ("gpu-hidden", Severity.WARNING, machine(python(torch_cuda_available=False))),
    ("driver-missing", Severity.BLOCKER, machine(driver=None)),
    ("driver-missing", Severity.BLOCKER, machine(gpus=(gpu(status="no-driver"),))),
    ("driver-too-old", Severity.BLOCKER, machine(python("2.13.0+cu130"), driver_version="566.36")),
    ("driver-too-old", Severity.BLOCKER, machine(python("2.5.1+cu121"), driver_version="472.12")),
    ("driver-too-old", Severity.WARNING, machine(python("2.8.0+cu128"), driver_version="561.09")),
    ("driver-broken", Severity.BLOCKER, machine(driver=Driver("591.44", "13.1", "NVML: driver/library version mismatch"))),
    ("driver-broken", Severity.BLOCKER, machine(gpus=(gpu(status="error 43"),))),
    ("torch-missing", Severity.NOTE, machine(python(None))),
    ("torch-cpu-only", Severity.BLOCKER, machine(python("2.10.0+cpu"))),
    ("torch-cpu-only", Severity.BLOCKER, machine(python("2.10.0"))),
    ("torch-cpu-only", Severity.BLOCKER, machine(python("2.9.0+rocm7.10.0"))),
    ("triton-missing", Severity.NOTE, machine()),
    ("triton-torch-mismatch", Severity.BLOCKER, machine(python("2.3.1+cu121"))),
    ("triton-torch-mismatch", Severity.BLOCKER, machine(python("2.15.0+cu130"))),
    ("triton-torch-mismatch", Severity.WARNING, machine(python("2.6.0+cu124", packages={"triton-windows": "3.3.1.post19"}))),
    ("triton-torch-mismatch", Severity.WARNING, linux(gpus=(gpu("9.0"),), pythons=(python("2.8.0+cu128", "/v/bin/python", packages={"triton": "3.5.0"}),))),
    ("triton-too-old", Severity.NOTE, machine(python("2.6.0+cu124", packages={"triton-windows": "3.2.0.post11"}))),
    ("package-conflict", Severity.WARNING, machine(python(packages={"triton": "3.1.0", "triton-windows": "3.6.0.post26"}))),
    ("package-conflict", Severity.WARNING, machine(python(packages={"triton": "3.1.0"}))),
    ("package-conflict", Severity.WARNING, machine(python(packages={"pytorch-triton-rocm": "3.1.0"}))),
    ("package-conflict", Severity.NOTE, machine(python(leftovers=("~riton",)))),
    ("lookalike-package", Severity.WARNING, machine(python(packages={"triton-library": "1.0"}))),
    ("sage-missing", Severity.NOTE, machine()),
    ("sage-too-old", Severity.WARNING, machine(python(packages={"sageattention": "1.0.6"}))),
    ("sage-too-old", Severity.WARNING, machine(python("2.9.1+cu128", packages={"sageattention": "1.0.6"}), capability="12.0")),
    ("results-wrong", Severity.WARNING, machine(python("2.12.1+cu130", packages={"sageattention": "2.2.0+cu130torch2.10.0andhigher.post5"}))),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python("2.9.1+cu130", packages={"sageattention": "2.2.0+cu128torch2.8.0.post3"}))),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python("2.9.1+cu130", packages={"torchvision": "0.23.0+cu128"}))),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python("2.9.1+cu130", packages={"flash-attn": "2.8.3+cu128torch2.8"}))),
    ("wheel-unsupported", Severity.BLOCKER, machine(python(bits=32, arch="x86"))),
    ("wheel-unsupported", Severity.BLOCKER, machine(python(free_threaded=True))),
    ("wheel-not-published", Severity.BLOCKER, machine(python("2.8.0+cu128", version="3.14.0"))),
    ("python-version-unsupported", Severity.BLOCKER, machine(python("2.4.1+cu121", version="3.8.20"))),
    ("python-version-unsupported", Severity.BLOCKER, machine(python("2.15.0+cu130", version="3.15.0"))),
    ("dll-wrong-architecture", Severity.BLOCKER, machine(python(arch="arm64"))),
    ("store-alias", Severity.NOTE, machine(Python("C:\\WindowsApps\\python.exe", "store-alias", ""))),
    ("store-alias", Severity.WARNING, machine(python(kind="store"))),
    ("externally-managed", Severity.BLOCKER, machine(python(kind="uv"))),
    ("externally-managed", Severity.BLOCKER, machine(python(externally_managed=True))),
    ("venv-broken", Severity.BLOCKER, machine(python(base_ok=False))),
    ("permission-denied", Severity.BLOCKER, machine(python(writable=False))),
    ("file-locked", Severity.BLOCKER, machine(python(in_use_by=("ComfyUI (pid 7)",)))),
    ("pip-missing", Severity.NOTE, machine(python(has_pip=False))),
    ("ssl-module-missing", Severity.WARNING, machine(python(imports={"ssl": "DLL load failed while importing _ssl"}))),
    ("python-headers-missing", Severity.WARNING, machine(portable())),
    ("python-headers-missing", Severity.WARNING, linux(gpus=(gpu("9.0"),), pythons=(python("2.8.0+cu128", "/v/bin/python", has_headers=False),))),
    ("user-site-shadow", Severity.WARNING, machine(python(user_site=True, user_site_packages={"torch": "2.4.0"}))),
    ("vc-runtime-missing", Severity.WARNING, machine(vc_runtime=None)),
    ("vc-runtime-missing", Severity.WARNING, machine(vc_runtime="14.29.30139.0")),
    ("vc-runtime-stale", Severity.WARNING, machine(python(bundled_vc_runtime="14.29.30133.0"))),
    ("paging-file-too-small", Severity.WARNING, machine(memory=Memory(8_000_000_000, 9_600_000_000))),
    ("app-control-blocked", Severity.WARNING, with_os(machine(), app_control="enforced")),
    ("non-ascii-path", Severity.WARNING, with_os(machine(), user_profile="C:\\Users\\André")),
    ("non-ascii-path", Severity.WARNING, machine(python(executable="E:\\绘图\\python\\python.exe", kind="system"))),
    ("onedrive-path", Severity.WARNING, with_os(machine(), cloud_roots=("D:\\work",))),
    ("onedrive-path", Severity.WARNING, with_os(machine(python(executable="D:\\OneDrive - X\\venv\\Scripts\\python.exe")), cloud_roots=UNKNOWN)),
    ("long-path", Severity.WARNING, with_os(machine(python(executable=DEEP)), long_paths=False)),
    ("cuda-path-misconfigured", Severity.WARNING, machine(**cuda_path("11.8.89"))),
    ("cuda-path-misconfigured", Severity.WARNING, machine(**cuda_path("12.8", ("ptxas",)))),
    ("cuda-path-misconfigured", Severity.WARNING, machine(**cuda_path("12.8", root="C:\\gone"))),
    ("compiler-misconfigured", Severity.WARNING, machine(environment_variables={"CC": "C:\\VS\\bin\\;"})),
    ("compiler-misconfigured", Severity.WARNING, machine(environment_variables={"CC": "C:\\VS\\bin"})),
    ("wrong-python", Severity.NOTE, machine(environment_variables={"PYTHONHOME": "C:\\old"})),
    ("compiler-missing", Severity.BLOCKER, linux(gpus=(gpu("9.0"),))),
    ("network-failed", Severity.BLOCKER, machine(network=Network(online=False))),
    ("network-failed", Severity.BLOCKER, machine(network=Network(online=True, proxy=None, reachable={"python-index": False}))),
    ("proxy-failed", Severity.BLOCKER, machine(network=Network(online=True, proxy="http://p:1", reachable={"python-index": False}))),
    ("tls-inspection", Severity.NOTE, machine(network=Network(online=True, tls_inspected=True))),
    ("certificate-expired", Severity.WARNING, machine(network=Network(online=True, clock_skew_seconds=90_000.0))),
    ("wsl-not-installed", Severity.WARNING, machine(wsl=None)),
    ("wsl-not-installed", Severity.WARNING, machine(wsl=wsl(kind="stub"))),
    ("wsl-inbox-version", Severity.WARNING, machine(wsl=wsl(kind="inbox", version=None))),
    ("wsl-kernel-missing", Severity.WARNING, machine(wsl=wsl(kind="inbox", version=None, kernel=None))),
    ("wsl-feature-disabled", Severity.WARNING, machine(wsl=wsl(platform_enabled=False))),
    ("vc-runtime-missing", Severity.WARNING, machine(python(imports={"torch": 'OSError: [WinError 126] Error loading "D:\\x\\shm.dll"'}))),
    (
        "vc-runtime-missing",
        Severity.WARNING,
        machine(python(packages=MATCHED, imports={"triton": "ImportError: DLL load failed while importing libtriton: 动态"})),
    ),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python(packages=MATCHED, imports={"sageattention": "DLL load failed while importing _fused: x"}))),
    ("wsl-restart-pending", Severity.BLOCKER, machine(wsl=wsl(restart_pending=True))),
    ("wsl-virtualization-off", Severity.BLOCKER, machine(wsl=wsl(problem="Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED"))),
    ("wsl-version-1", Severity.WARNING, machine(wsl=wsl(distros=(Distro("Old", wsl_version=1),)))),
    ("wsl-driver-in-distro", Severity.WARNING, machine(wsl=wsl(distros=(Distro("U", wsl_version=2, driver_in_distro=True),)))),
    ("wsl-gpu-blocked", Severity.WARNING, machine(wsl=wsl(distros=(Distro("U", wsl_version=2, gpu_visible=False),)))),
    ("wsl-gpu-tcc", Severity.BLOCKER, machine(gpus=(gpu(driver_model="TCC"),), wsl=wsl(distros=(Distro("U", wsl_version=2, gpu_visible=False),)))),
    ("wsl-config-invalid", Severity.WARNING, machine(wsl=wsl(wslconfig={"memory": "8192"}))),
    ("wsl-config-invalid", Severity.WARNING, machine(wsl=wsl(wslconfig={"gpuSupport": "false"}))),
    ("wsl-memory", Severity.WARNING, machine(wsl=wsl(wslconfig={"memory": "4GB"}))),
    ("wsl-config-invalid", Severity.WARNING, machine(wsl=wsl(wslconfig={"kernel": "C:\\my\\bzImage"}))),
    ("wsl-network-broken", Severity.BLOCKER, machine(wsl=wsl(wslconfig={"networkingMode": "none"}))),
    ("wsl-libcuda", Severity.WARNING, machine(wsl=wsl(distros=(Distro("U", wsl_version=2, gpu_visible=True, libcuda=None),)))),
    ("wsl-virtualization-off", Severity.WARNING, machine(wsl=wsl(hypervisor_running=False))),
    ("mirror-cpu-wheel", Severity.NOTE, machine(python("2.9.1+cpu"), network=Network(online=True, index_url="https://mirror.example/simple"))),
    ("gpu-hidden", Severity.WARNING, machine(environment_variables={"TRITON_INTERPRET": "1"})),
    ("wrong-python", Severity.NOTE, machine(environment_variables={"PYTHONPATH": "C:\\old"})),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python("2.9.1+cu130", packages={"torchaudio": "2.8.0+cu130"}))),
    ("wheel-torch-mismatch", Severity.WARNING, machine(python("2.9.1+cu130", packages={"torchvision": "0.24.1+cu128"}))),
    *(
        (code, severity, machine(python(packages=MATCHED, imports={module: said})))
        for code, severity, module, said in (
            ("dll-dependency-missing", Severity.BLOCKER, "torch", "OSError: [WinError 126] Error loading fbgemm.dll"),
            ("dll-dependency-missing", Severity.BLOCKER, "torch", "DLL load failed while importing _C: The specified module could not be found."),
            ("dll-abi-mismatch", Severity.BLOCKER, "torch", "OSError: [WinError 127] c10_cuda.dll"),
            ("dll-init-failed", Severity.BLOCKER, "torch", "OSError: [WinError 1114] c10.dll"),
            ("paging-file-too-small", Severity.BLOCKER, "torch", "OSError: [WinError 1455] cublas64_12.dll"),
            ("app-control-blocked", Severity.BLOCKER, "torch", "OSError: [WinError 4551] c10.dll"),
            ("file-damaged", Severity.WARNING, "triton", "No module named 'triton.language'"),
            ("wrapped-error", Severity.WARNING, "triton", "RuntimeError: x"),
        )
    ),
]


@pytest.mark.parametrize(("code", "severity", "facts"), MACHINES, ids=[f"{code}-{n}" for n, (code, _, _) in enumerate(MACHINES)])
def test_a_cause_is_found_with_evidence_and_words(code: str, severity: Severity, facts: MachineFacts) -> None:
    finding = next((f for f in find_causes(facts, TABLES, SAGE) if f.code == code and f.severity is severity), None)
    assert finding is not None, sorted(f"{f.code} {f.severity.value}" for f in find_causes(facts, TABLES, SAGE))
    assert finding.evidence
    for language in LANGUAGES:
        assert "{" not in words(finding.text, language)
        assert finding.remedy is None or "{" not in words(finding.remedy.text, language)


def test_a_build_needs_compiler_sdk_and_git_only_where_it_is_asked_for() -> None:
    bare = machine(compilers=(), tools={"git": None})
    build = replace(SAGE, route=RouteKind.SOURCE)
    assert {"build-msvc-missing", "build-llvm-missing"} <= set(causes(bare, build))
    assert not {"build-msvc-missing", "build-llvm-missing"} & set(causes(bare))
    old = machine(compilers=(Compiler("msvc", toolset="14.16.27023"),))
    assert causes(old, build)["build-msvc-missing"].text.code.endswith("old")
    without_sdk = machine(compilers=(Compiler("msvc", toolset="14.44", windows_sdk=None),))
    assert "windows-sdk-missing" in causes(without_sdk, build)
    complete = machine(compilers=(Compiler("msvc", toolset="14.44", windows_sdk="10.0.26100.0"),), tools={"git": "2.50"})
    assert not {"build-msvc-missing", "windows-sdk-missing", "build-llvm-missing"} & set(causes(complete, build))


def test_vllm_is_measured_against_card_and_memory() -> None:
    wanted = Choice(goals=(Goal.VLLM,))
    assert "vllm-memory" in causes(machine(gpus=(gpu(memory_bytes=6_000_000_000),)), wanted)
    assert "vllm-gpu-unsupported" in causes(machine(capability="7.0"), wanted)
    assert not {"vllm-memory", "vllm-gpu-unsupported"} & set(causes(machine(), wanted))


@pytest.mark.parametrize(
    ("facts", "absent"),
    [
        (machine(gpus=(gpu(None, "amd"), gpu("8.6", index=1))), {"amd-gpu", "no-nvidia-gpu"}),
        (machine(python("2.9.0+rocm7.10.0"), gpus=(gpu(None, "amd"),), driver=None), {"torch-cpu-only", "driver-missing"}),
        (machine(gpus=(gpu("9.0", index=0), gpu("9.0", index=1))), {"gpu-mixed"}),
        (machine(gpus=(gpu("8.0", driver_model="TCC"),)), {"wsl-gpu-tcc"}),
        (machine(python(torch_arch_list=UNKNOWN)), {"gpu-too-new", "gpu-too-old"}),
        (machine(python("2.10.0", kind="conda", torch_arch_list=UNKNOWN)), {"torch-cpu-only"}),
        (machine(python(packages={"sageattention": "2.2.0"})), {"wheel-torch-mismatch", "sage-missing", "sage-too-old"}),
        (machine(python("2.6.0+cu126", packages={"sageattention": "1.0.6"}), capability="7.5"), {"sage-too-old"}),
        (machine(python("2.9.1+cu128", packages={"torchvision": "0.24.1+cu128"})), {"wheel-torch-mismatch"}),
        (machine(python(user_site=False, user_site_packages={"torch": "2.4.0"})), {"user-site-shadow"}),
        (machine(**cuda_path("12.8")), {"cuda-path-misconfigured"}),
        (machine(environment_variables={"CC": "C:\\VS\\cl.exe"}), {"compiler-misconfigured"}),
        (machine(network=Network(online=True, proxy="http://p:1", reachable={"python-index": True})), {"proxy-failed", "network-failed"}),
        (with_os(machine(), app_control="evaluation"), {"app-control-blocked"}),
        (machine(disks=(Disk("D:\\", 1),)), {"disk-full"}),
        (linux(), {"vc-runtime-missing", "python-headers-missing", "compiler-missing"}),
    ],
)
def test_what_is_no_fault_is_not_told(facts: MachineFacts, absent: set[str]) -> None:
    assert not absent & set(causes(facts))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(machines(), choices())
def test_every_finding_has_words_in_both_languages(facts: MachineFacts, choice: Choice) -> None:
    for finding in find_causes(facts, TABLES, choice):
        for language in LANGUAGES:
            assert words(finding.text, language)
            assert "{" not in words(finding.text, language)
            assert finding.remedy is None or "{" not in words(finding.remedy.text, language)


def test_unknown_facts_claim_nothing() -> None:
    blank = MachineFacts("machine/1", machine().os)
    assert find_causes(with_os(blank, user_profile=UNKNOWN, temp=UNKNOWN), TABLES) == ()
    unread = Python(VENV, "venv", "3.12.10")
    assert {f.code for f in find_causes(replace(machine(unread), wsl=UNKNOWN), TABLES, SAGE)} == set()


@pytest.mark.parametrize("name", [field.name for field in fields(MachineFacts) if field.default is UNKNOWN])
def test_a_missing_machine_fact_adds_no_finding(name: str) -> None:
    facts = machine(portable(), python("2.3.1+cu121"), vc_runtime=None, **cuda_path("11.8"))
    less = replace(facts, **{name: UNKNOWN})
    assert {f.code for f in find_causes(less, TABLES, SAGE)} <= {f.code for f in find_causes(facts, TABLES, SAGE)}


def test_the_gravest_comes_first() -> None:
    order = [finding.severity for finding in find_causes(machine(portable("2.3.1+cu121", writable=False)), TABLES, SAGE)]
    assert order == sorted(order, key=[Severity.BLOCKER, Severity.WARNING, Severity.NOTE].index)
