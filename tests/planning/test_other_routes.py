"""Linux, WSL2, a build from source, vLLM."""

from dataclasses import replace
from typing import Any

import pytest

from app.model.facts import Compiler, Cpu, Disk, Distro, Driver, MachineFacts, Memory, Network, Python, Toolkit
from app.model.plan import Goal, Plan, RouteKind, RouteStatus, TorchChange, Verdict
from app.model.text import Text
from app.model.unknown import UNKNOWN
from tests.planning.build import codes, gpu, kinds, linux, machine, plan, python, with_os, wsl

MSVC = Compiler("msvc", "Visual Studio Build Tools 2022", "17.14", "14.44.35207", "10.0.26100.0", "C:\\VS\\BuildTools")


def status(made: Plan, route: RouteKind) -> RouteStatus:
    return next(verdict.status for verdict in made.routes if verdict.route is route)


def step(made: Plan, kind: str) -> Any:
    return next(one for one in made.steps if one.kind == kind)


# --- Linux ---------------------------------------------------------------------------------------------------------------


def test_linux_without_a_card_gets_a_private_environment_with_the_cpu_build() -> None:
    made = plan(linux())
    assert (made.verdict, made.route) == (Verdict.READY, RouteKind.LINUX)
    assert made.packages == {"torch": "2.13.0", "triton": "3.7.1", "numpy": "2.3.5"}
    assert made.python is not None
    assert made.python.is_new
    assert made.python.base == "/usr/bin/python3"
    assert kinds(made) == ["create-environment", "resolve", "download", "swap", "smoke-test"]
    assert step(made, "resolve").arguments["sources"] == ("https://download.pytorch.org/whl/cpu",)
    assert step(made, "create-environment").undo is not None
    assert "no-gpu-proof" in {one.code for verdict in made.routes for one in verdict.reasons}


def test_the_cpu_index_is_left_out_where_it_does_not_answer() -> None:
    network = linux().network
    assert network is not UNKNOWN
    silent = replace(network, reachable={"python-index": True, "download.pytorch.org": False})
    made = plan(linux(network=silent))
    assert made.verdict is Verdict.READY
    assert step(made, "resolve").arguments["sources"] == ()


def test_an_environment_of_ours_that_is_right_is_found_again() -> None:
    first = plan(linux())
    assert first.python is not None
    ours = Python(first.python.executable, "venv", "3.11.2", packages={"torch": "2.13.0+cpu", "triton": "3.7.1", "numpy": "2.3.5"})
    again = plan(linux(ours))
    assert again.python is not None
    assert (again.python.executable, again.python.is_new, again.steps) == (ours.executable, False, ())
    assert again.verdict is Verdict.READY


def test_a_foreign_environment_on_a_machine_without_a_card_is_not_changed() -> None:
    other = Python("/home/u/venv/bin/python", "venv", "3.11.2", packages={"torch": "2.13.0+cpu"})
    made = plan(linux(other))
    assert made.python is not None
    assert made.python.is_new


@pytest.mark.parametrize(
    ("driver", "torch", "source"),
    [("595.58.03", "2.15.0", ()), ("535.54.03", "2.14.1+cu126", ("https://download.pytorch.org/whl/cu126",))],
)
def test_linux_with_a_card_gets_the_torch_its_driver_runs(driver: str, torch: str, source: tuple[str, ...]) -> None:
    facts = linux(gpus=(gpu("9.0"),), driver=Driver(driver), compilers=(Compiler("gcc"),))
    made = plan(facts)
    assert made.packages["torch"] == torch
    assert made.packages["triton"] == {"2.15.0": "3.9.0", "2.14.1+cu126": "3.8.0"}[torch]
    assert step(made, "resolve").arguments["sources"] == source


def test_linux_needs_a_compiler_for_a_card() -> None:
    made = plan(linux(gpus=(gpu("9.0"),), driver=Driver("595.58.03")))
    assert made.verdict is Verdict.NEEDS_ACTION
    assert "compiler-missing" in codes(made)


def test_on_linux_without_a_card_sage_is_left_out_and_told() -> None:
    made = plan(linux(), Goal.TRITON, Goal.SAGEATTENTION)
    assert made.verdict is Verdict.READY
    assert "sageattention" not in made.packages
    assert "gpu-lacks-feature" in codes(made)


def test_a_mismatched_triton_on_linux_is_brought_to_torchs() -> None:
    venv = python("2.8.0+cu128", "/home/u/venv/bin/python", packages={"triton": "3.5.0"})
    made = plan(linux(venv, gpus=(gpu("9.0"),), driver=Driver("595.58.03"), compilers=(Compiler("gcc"),)))
    assert made.packages == {"torch": "2.8.0+cu128", "triton": "3.4.0"}
    assert made.keeps == ("torch",)


# --- WSL2 ----------------------------------------------------------------------------------------------------------------


def test_a_machine_without_wsl_gets_features_restart_and_a_distro_of_ours() -> None:
    made = plan(machine(), route=RouteKind.WSL2)
    assert (made.verdict, made.route) == (Verdict.READY, RouteKind.WSL2)
    assert "wsl-not-installed" in codes(made)
    assert kinds(made)[:3] == ["wsl-enable", "wsl-install-distro", "wsl-check-gpu"]
    enable, distro = step(made, "wsl-enable"), step(made, "wsl-install-distro")
    assert enable.needs_admin
    assert enable.needs_restart
    assert len(distro.arguments["sha256"]) == 64
    assert made.python is not None
    assert made.python.executable == "/opt/triton-setup/triton/bin/python"


def test_the_chosen_index_or_that_of_windows_serves_in_the_distro_too() -> None:
    mirror, chosen = "https://mirror.example/simple", "https://chosen.example/simple"
    network = Network(online=True, proxy=None, index_url=mirror, reachable={})
    for choice, url in (({}, mirror), ({"index_url": chosen}, chosen)):
        made = plan(machine(network=network, wsl=wsl(), driver_version="596.36"), route=RouteKind.WSL2, **choice)
        install = next(one.argv for one in made.steps if one.id == "wsl-torch")
        assert install[install.index("--index-url") + 1] == url


def test_a_healthy_distro_is_used_in_a_folder_of_our_own() -> None:
    made = plan(machine(wsl=wsl()), route=RouteKind.WSL2)
    assert "wsl-install-distro" not in kinds(made)
    commands = [one for one in made.steps if one.kind == "wsl-command"]
    assert all(one.arguments["distro"] == "Ubuntu-24.04" for one in commands)
    environment = next(one for one in commands if one.id == "wsl-environment")
    assert environment.arguments["undo"] == ("rm", "-rf", "/opt/triton-setup/triton")


@pytest.mark.parametrize(
    "distro",
    [
        Distro("Old", wsl_version=1, gpu_visible=False),
        Distro("Theirs", wsl_version=2, driver_in_distro=True, gpu_visible=False, python="3.10.12"),
        Distro("Theirs", wsl_version=2, gpu_visible=True, python="3.12.3", libcuda="/usr/lib/x86_64-linux-gnu/libcuda.so.1"),
        Distro("Theirs", wsl_version=2, gpu_visible=True, python="3.8.10"),
        Distro("Theirs", wsl_version=2, gpu_visible=False, python="3.12.3"),
        Distro("Theirs", wsl_version=2),
        Distro("Theirs", gpu_visible=True, python="3.12.3"),
    ],
)
def test_a_distro_that_is_not_known_to_be_well_is_left_alone(distro: Distro) -> None:
    made = plan(machine(wsl=wsl(distros=(distro,))), route=RouteKind.WSL2)
    assert step(made, "wsl-install-distro").arguments["distro"] == "TritonSetup"
    assert distro.name not in " ".join(" ".join(one.argv) for one in made.steps)


@pytest.mark.parametrize(
    ("problem", "kind", "feature"),
    [
        ("Wsl/0x80070424", "wsl-update", None),
        ("Wsl/Service/REGDB_E_CLASSNOTREG", "wsl-update", None),
        ("Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_SERVICE_NOT_AVAILABLE", "wsl-enable", True),
        ("Wsl/WSL_E_WSL_OPTIONAL_COMPONENT_REQUIRED", "wsl-enable", True),
    ],
)
def test_what_wsl_says_is_wrong_with_it_is_repaired_first(problem: str, kind: str, feature: bool | None) -> None:
    made = plan(machine(wsl=wsl(problem=problem)), route=RouteKind.WSL2)
    assert (made.verdict, kinds(made)[0]) == (Verdict.READY, kind)
    assert step(made, kind).arguments.get("feature") is feature
    assert all(finding.remedy and finding.remedy.automatic for finding in made.findings if finding.evidence == ("wsl.problem",))


def test_a_fault_that_only_a_person_can_mend_waits() -> None:
    made = plan(machine(wsl=wsl(problem="Wsl/Service/WSL_E_DISK_CORRUPTED")), route=RouteKind.WSL2)
    assert made.verdict is Verdict.NEEDS_ACTION


def test_old_wsl_is_updated_and_wrong_settings_are_repaired() -> None:
    facts = machine(wsl=wsl(kind="inbox", version=None, wslconfig={"memory": "8192", "gpuSupport": "false"}), memory=Memory(32 * 1024**3))
    made = plan(facts, route=RouteKind.WSL2)
    assert kinds(made)[:2] == ["wsl-update", "wsl-config"]
    assert step(made, "wsl-config").arguments["values"] == {"memory": "21GB", "gpuSupport": "true"}
    assert step(made, "wsl-config").arguments["path"] == "C:\\Users\\user\\.wslconfig"


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (with_os(machine(), version="10.0.17763"), "os-too-old"),
        (with_os(machine(), version="10.0.19041"), "os-too-old-for-gpu"),
        (with_os(machine(), arch="arm64"), "arm"),
        (linux(), "not-windows"),
        (machine(capability="6.1"), "gpu-too-old"),
    ],
)
def test_where_wsl2_cannot_be_the_reason_is_told(facts: MachineFacts, code: str) -> None:
    verdict = next(one for one in plan(facts).routes if one.route is RouteKind.WSL2)
    assert verdict.status is RouteStatus.IMPOSSIBLE
    assert [one.code for one in verdict.reasons] == [code]


@pytest.mark.parametrize(
    "facts",
    [
        machine(cpu=Cpu(virtualization=False)),
        machine(wsl=wsl(restart_pending=True)),
        machine(gpus=(gpu(driver_model="TCC"),), wsl=wsl()),
        machine(wsl=UNKNOWN),
        machine(gpus=UNKNOWN, wsl=wsl()),
        machine(disks=(Disk("C:\\", 5_000_000_000),), wsl=wsl()),
    ],
)
def test_where_wsl2_waits_for_the_person_it_needs_action(facts: MachineFacts) -> None:
    made = plan(facts, route=RouteKind.WSL2)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert status(made, RouteKind.WSL2) is RouteStatus.NEEDS_ACTION


def test_windows_drivers_decide_in_wsl_by_their_own_numbers() -> None:
    assert plan(machine(driver_version="580.50", wsl=wsl()), route=RouteKind.WSL2).packages["torch"] == "2.15.0+cu130"
    assert plan(machine(driver_version="596.36", wsl=wsl()), route=RouteKind.WSL2).packages["torch"] == "2.15.0"
    assert plan(machine(driver_version="566.36", wsl=wsl()), route=RouteKind.WSL2).packages["torch"] == "2.14.1+cu126"


def test_native_comes_first_and_wsl2_is_offered_where_native_waits() -> None:
    made = plan(machine(python(writable=False), wsl=wsl()))
    assert made.route is RouteKind.NATIVE
    assert "route-wsl2" in {option.code for option in made.options}


# --- source --------------------------------------------------------------------------------------------------------------


def test_a_build_takes_the_branch_of_torchs_triton_and_names_the_ready_made_way() -> None:
    made = plan(machine(python("2.9.1+cu130"), compilers=(MSVC,)), route=RouteKind.SOURCE)
    assert (made.verdict, made.route) == (Verdict.READY, RouteKind.SOURCE)
    assert made.packages["triton-windows"] == "3.5.1"
    build = step(made, "source-build")
    assert build.arguments["reference"] == "release/3.5.x-windows"
    assert build.arguments["vcvars"] == "C:\\VS\\BuildTools\\VC\\Auxiliary\\Build\\vcvars64.bat"
    assert all("==" in pin for pin in build.arguments["requirements"])
    assert kinds(made) == ["check-toolchain", "check-free", "source-build", "resolve", "swap", "smoke-test"]
    assert {option.code for option in made.options} == {"ready-made"}
    assert made.keeps == ("torch",)


def test_missing_tools_are_steps_with_the_administrators_consent() -> None:
    made = plan(machine(python("2.9.1+cu130"), tools={"git": None}), route=RouteKind.SOURCE)
    assert {"build-msvc-missing", "build-llvm-missing"} <= codes(made)
    assert step(made, "fetch-build-tools").needs_admin
    assert kinds(made)[:3] == ["fetch-build-tools", "command", "check-toolchain"]


def test_old_branches_build_from_their_python_folder() -> None:
    assert step(plan(machine(python("2.7.1+cu128"), compilers=(MSVC,)), route=RouteKind.SOURCE), "source-build").arguments["subfolder"] == "python"
    assert step(plan(machine(python("2.8.0+cu128"), compilers=(MSVC,)), route=RouteKind.SOURCE), "source-build").arguments["subfolder"] == ""


def test_other_packages_of_a_source_plan_come_ready_made() -> None:
    made = plan(machine(python("2.9.1+cu130"), compilers=(MSVC,)), Goal.TRITON, Goal.SAGEATTENTION, route=RouteKind.SOURCE)
    resolves = [one.arguments for one in made.steps if one.kind == "resolve"]
    assert [str(pin).partition(" @ ")[0].partition("==")[0] for one in resolves for pin in one["requirements"]] == ["sageattention", "triton-windows"]
    assert resolves[1]["find_links"] == ("C:\\tbuild\\wheels",)


NVCC = Toolkit("12.6", root="C:\\CUDA\\v12.6", missing_parts=())


def without_wheel(*toolkits: Toolkit, **choice: Any) -> Plan:
    """A torch that SageAttention has no wheel for."""
    facts = machine(python("2.4.1+cu124"), compilers=(MSVC,), toolkits=toolkits, **choice)
    return plan(facts, Goal.TRITON, Goal.SAGEATTENTION, route=RouteKind.SOURCE)


def test_sage_is_built_where_no_wheel_fits_the_torch_that_stays() -> None:
    made = without_wheel(Toolkit("12.1", root="C:\\old", missing_parts=()), NVCC)
    assert (made.verdict, made.packages["sageattention"], made.packages["torch"]) == (Verdict.READY, "2.2.0", "2.4.1+cu124")
    build = step(made, "source-build")
    assert build.arguments["beside"] == "D:\\work\\venv\\Scripts\\python.exe"
    assert build.arguments["reference"] == "abi3"
    assert build.arguments["variables"]["CUDA_HOME"] == NVCC.root
    assert build.arguments["variables"]["SAGEATTENTION_CUDA_ARCH_LIST"] == "8.9"
    assert [one.id for one in made.steps][-4:] == ["build-sage", "resolve-sage", "swap-sage", "test"]
    assert "sageattention" in made.steps[-1].arguments["modules"]
    assert "torch==2.4.1+cu124" in made.steps[-2].arguments["keeps"]
    assert "wheel-not-published" not in codes(made)


@pytest.mark.parametrize(
    "toolkits",
    [
        (),
        (Toolkit("13.0", root="C:\\CUDA", missing_parts=()),),
        (Toolkit("12.1", root="C:\\CUDA", missing_parts=()),),
        (replace(NVCC, missing_parts=("nvcc",)),),
    ],
)
def test_without_a_fitting_toolkit_sage_is_not_built(toolkits: tuple[Toolkit, ...]) -> None:
    made = without_wheel(*toolkits)
    assert made.verdict is not Verdict.READY
    assert "source-build" not in kinds(made)


def test_there_is_nothing_to_build_for_a_torch_without_a_branch() -> None:
    made = plan(machine(python("2.5.1+cu124"), compilers=(MSVC,)), route=RouteKind.SOURCE)
    assert made.verdict is Verdict.BLOCKED
    assert "no-branch" in {one.code for verdict in made.routes if verdict.route is RouteKind.SOURCE for one in verdict.reasons}


def test_a_build_around_a_torch_that_must_change_waits_for_the_decision() -> None:
    asked = plan(machine(python("2.3.1+cu121"), compilers=(MSVC,)), route=RouteKind.SOURCE)
    assert asked.verdict is Verdict.NEEDS_ACTION
    assert plan(machine(python("2.3.1+cu121"), compilers=(MSVC,)), route=RouteKind.SOURCE, torch_change=TorchChange.REPLACE).verdict is Verdict.READY


# --- vLLM ----------------------------------------------------------------------------------------------------------------


def test_vllm_goes_to_a_healthy_wsl2_else_to_the_community_build_in_its_own_environment() -> None:
    official = plan(machine(wsl=wsl()), Goal.VLLM)
    assert (official.route, official.packages["vllm"]) == (RouteKind.WSL2, "0.33.0")
    community = plan(machine(cpu=Cpu(virtualization=False)), Goal.VLLM)
    assert community.route is RouteKind.NATIVE
    assert community.packages == {"vllm": "0.26.0+cu132", "torch": "2.11.0+cu130", "triton-windows": "3.6.0.post26"}
    assert community.python is not None
    assert community.python.is_new
    assert "vllm-windows-unsupported" in codes(community)


@pytest.mark.parametrize("where", [{"wsl": None}, {"cpu": Cpu(virtualization=False)}])
def test_a_vllm_server_listens_on_this_pc_only(where: dict[str, Any]) -> None:
    made = plan(machine(**where), Goal.VLLM, model="Qwen/Qwen3-4B")
    start = step(made, "vllm-start")
    assert start.arguments["host"] == "127.0.0.1"
    assert "--host 127.0.0.1" in " ".join(start.argv)
    assert "api-key" not in " ".join(start.argv)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        (machine(capability="7.0"), Verdict.BLOCKED),
        (machine(driver_version="566.36"), Verdict.NEEDS_ACTION),
        (machine(gpus=UNKNOWN), Verdict.NEEDS_ACTION),
        (linux(), Verdict.BLOCKED),
        (with_os(machine(), arch="arm64"), Verdict.BLOCKED),
    ],
)
def test_where_vllm_cannot_or_must_wait_it_is_told(facts: MachineFacts, verdict: Verdict) -> None:
    made = plan(facts, Goal.VLLM)
    assert made.verdict is verdict


def test_vllm_on_linux_brings_the_torch_it_pins() -> None:
    facts = linux(gpus=(gpu("9.0"),), driver=Driver("595.58.03"), compilers=(Compiler("gcc"),))
    made = plan(facts, Goal.VLLM)
    assert made.packages == {"vllm": "0.33.0", "torch": "2.14.0", "triton": "3.8.0"}
    assert made.python is not None
    assert made.python.is_new
    assert plan(replace(facts, driver=Driver("535.54.03")), Goal.VLLM).verdict is Verdict.NEEDS_ACTION


def test_a_blocked_download_of_wsl_is_told() -> None:
    network = machine().network
    assert network is not UNKNOWN
    silent = replace(network, reachable={"python-index": True, "raw.githubusercontent.com": False, "releases.ubuntu.com": False})
    made = plan(machine(network=silent), route=RouteKind.WSL2)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert {f.evidence[0] for f in made.findings if f.code == "wsl-download-blocked"} == {
        "network.reachable.raw.githubusercontent.com",
        "network.reachable.releases.ubuntu.com",
    }
    assert plan(machine(network=silent, wsl=wsl()), route=RouteKind.WSL2).verdict is Verdict.READY


def test_the_distro_that_was_named_is_used_and_ours_before_the_persons() -> None:
    theirs, ours = Distro("Theirs", wsl_version=2, gpu_visible=True, python="3.12.3"), Distro("TritonSetup", 2, gpu_visible=True, python="3.12.3")
    ill = Distro("Ill", wsl_version=2, gpu_visible=False, python="3.12.3")
    facts = machine(wsl=wsl(distros=(theirs, ill, ours)))
    used = {step.arguments["distro"] for step in plan(facts, route=RouteKind.WSL2).steps if step.kind == "wsl-command"}
    assert used == {"TritonSetup"}
    named = plan(facts, route=RouteKind.WSL2, distro="Ill")
    assert {step.arguments["distro"] for step in named.steps if step.kind == "wsl-command"} == {"Ill"}
    assert "wsl-gpu-blocked" in codes(named)


def test_sage_in_wsl_is_the_version_of_the_package_index_where_the_card_can_use_it() -> None:
    goals = (Goal.TRITON, Goal.SAGEATTENTION)
    assert plan(machine(wsl=wsl()), *goals, route=RouteKind.WSL2).packages["sageattention"] == "1.0.6"
    assert "sageattention" not in plan(machine(wsl=wsl(), capability="12.0"), *goals, route=RouteKind.WSL2).packages


def test_an_asked_way_that_cannot_be_is_not_the_end_where_another_can() -> None:
    refused = plan(with_os(machine(), version="10.0.17763"), route=RouteKind.WSL2)
    assert refused.summary == Text("plan.summary-blocked-way")
    assert "route-native" in {option.code for option in refused.options}
    assert plan(machine(gpus=(), driver=None), route=RouteKind.WSL2).summary == Text("plan.summary-blocked")


@pytest.mark.parametrize("torch", ["2.3.1+cu121", "2.15.0+cu130"])
def test_a_torch_without_triton_waits_for_another_torch_and_no_way_claims_more(torch: str) -> None:
    made = plan(machine(python(torch)))
    (cause,) = [finding for finding in made.findings if finding.code == "triton-torch-mismatch"]
    assert cause.remedy is not None
    assert cause.remedy.text.code == "finding.triton-torch-mismatch.none-remedy"
    assert "ready-made" not in {reason.code for verdict in made.routes for reason in verdict.reasons}
