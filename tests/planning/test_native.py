"""The native route: which environment, which versions, which steps, what must be decided first."""

from dataclasses import replace
from typing import Any

import pytest

from app.model.facts import Disk, MachineFacts, Network, Python
from app.model.findings import Severity
from app.model.plan import Goal, Plan, RouteKind, RouteStatus, TorchChange, Verdict
from app.model.unknown import UNKNOWN
from tests.planning.build import REACHABLE, codes, gpu, kinds, linux, machine, plan, portable, python, with_os

SAGE = (Goal.TRITON, Goal.SAGEATTENTION)
VENV = "D:\\work\\venv\\Scripts\\python.exe"


def step(made: Plan, kind: str) -> Any:
    return next(one for one in made.steps if one.kind == kind)


def test_a_working_torch_stays_and_what_belongs_to_it_comes() -> None:
    made = plan(machine(), *SAGE)
    assert made.verdict is Verdict.READY
    assert made.route is RouteKind.NATIVE
    assert made.packages == {"torch": "2.10.0+cu128", "triton-windows": "3.6.0.post26", "sageattention": "2.2.0+cu128torch2.10.0andhigher.post6"}
    assert made.keeps == ("torch",)
    assert kinds(made) == ["check-free", "resolve", "download", "swap", "smoke-test"]
    resolve = step(made, "resolve").arguments
    assert resolve["requirements"][0] == "triton-windows==3.6.0.post26"
    assert resolve["requirements"][1].startswith("sageattention @ https://github.com/")
    assert "#sha256=" in resolve["requirements"][1]
    assert resolve["keeps"] == ("torch==2.10.0+cu128",)
    assert made.download_bytes > 60_000_000


def test_all_in_place_means_an_empty_plan_that_says_so() -> None:
    packages = {"triton-windows": "3.7.1.post27", "sageattention": "2.2.0+cu130torch2.10.0andhigher.post6"}
    made = plan(machine(python("2.13.0+cu130", packages=packages, in_use_by=("app (pid 7)",), writable=False)), *SAGE)
    assert made.verdict is Verdict.READY
    assert made.steps == ()
    assert made.summary is not None
    assert made.summary.code == "plan.summary-right"
    assert all(finding.severity is not Severity.BLOCKER for finding in made.findings)


@pytest.mark.parametrize("torch", ["2.10.0+cpu", "2.3.1+cu121", "2.15.0+cu130", "2.9.0+rocm7.10.0"])
def test_a_torch_that_cannot_stay_is_the_persons_decision(torch: str) -> None:
    asked = plan(machine(python(torch)), *SAGE)
    assert asked.verdict is Verdict.NEEDS_ACTION
    assert {option.code for option in asked.options} >= {"replace-torch", "new-environment"}
    replaced = plan(machine(python(torch)), *SAGE, torch_change=TorchChange.REPLACE)
    assert replaced.verdict is Verdict.READY
    assert replaced.packages["torch"] == "2.13.0+cu130"
    assert "torch" not in replaced.keeps
    assert "--index-url" in " ".join(step(replaced, "swap").argv)
    kept = plan(machine(python(torch)), *SAGE, torch_change=TorchChange.KEEP)
    assert kept.verdict is Verdict.NEEDS_ACTION
    assert kept.steps == ()


def test_each_option_leads_to_a_plan_that_is_ready() -> None:
    facts = machine(python("2.3.1+cu121"))
    for option in plan(facts, *SAGE).options:
        made = plan(facts, **{name: getattr(option.choice, name) for name in ("torch_change", "python", "new_env", "route")})
        assert made.verdict is Verdict.READY, option.code


def test_companions_are_replaced_with_torch_and_others_are_named() -> None:
    packages = {"torchvision": "0.20.1+cu124", "torchaudio": "2.5.1+cu124", "xformers": "0.0.28"}
    made = plan(machine(python("2.5.1+cu124", packages=packages), capability="12.0"), torch_change=TorchChange.REPLACE)
    assert made.packages["torch"] == "2.14.1+cu130"
    assert made.packages["torchvision"] == "0.29.1+cu130"
    notes = {one.code: one.text for verdict in made.routes for one in verdict.reasons}
    assert notes["recheck"].params["names"] == "torchaudio, xformers"


def test_no_sage_wheel_is_a_decision_and_keeping_torch_goes_on_without() -> None:
    facts = machine(python("2.7.1+cu118"))
    asked = plan(facts, *SAGE)
    assert asked.verdict is Verdict.NEEDS_ACTION
    assert "wheel-not-published" in codes(asked)
    assert asked.packages["torch"] == "2.7.1+cu118"
    assert {option.code for option in asked.options} >= {"replace-torch", "keep-torch", "new-environment"}
    kept = plan(facts, *SAGE, torch_change=TorchChange.KEEP)
    assert kept.verdict is Verdict.READY
    assert "sageattention" not in kept.packages
    changed = plan(facts, *SAGE, torch_change=TorchChange.REPLACE)
    assert changed.packages["torch"] == "2.13.0+cu130"
    assert "sageattention" in changed.packages


def test_volta_gets_triton_without_sage_and_is_told() -> None:
    made = plan(machine(python("2.6.0+cu126"), capability="7.0"), *SAGE)
    assert made.verdict is Verdict.READY
    assert made.packages["triton-windows"].startswith("3.2.")
    assert "sageattention" not in made.packages
    assert "gpu-lacks-feature" in codes(made)


def test_an_own_build_of_sage_is_left_alone() -> None:
    made = plan(machine(python("2.12.1+cu132", packages={"triton-windows": "3.7.1.post27", "sageattention": "2.2.0"})), *SAGE)
    assert made.steps == ()
    assert made.packages["sageattention"] == "2.2.0"
    assert {change.reason.code for change in made.changes} >= {"plan.change-self-built"}


def test_triton_and_triton_windows_are_untangled_in_one_exchange() -> None:
    made = plan(machine(python("2.7.1+cu128", packages={"triton": "3.1.0", "triton-windows": "3.3.1.post21"})))
    swap = step(made, "swap")
    assert swap.arguments["removes"] == ("triton",)
    assert step(made, "resolve").arguments["reinstall"] == ("triton-windows",)
    assert "uninstall -y triton &&" in " ".join(swap.argv)
    assert "--force-reinstall" in swap.argv
    assert "clear-caches" in kinds(made)


def test_without_pip_uv_installs_from_outside() -> None:
    made = plan(machine(python(has_pip=False)))
    assert step(made, "swap").argv[:3] == ("uv", "pip", "install")
    assert "pip-missing" in codes(made)


def test_a_wheelhouse_replaces_every_index_and_needs_no_network() -> None:
    facts = machine(network=Network(online=False))
    assert plan(facts).verdict is Verdict.NEEDS_ACTION
    made = plan(facts, *SAGE, wheelhouse="E:\\bundle")
    resolve = step(made, "resolve")
    assert resolve.arguments["sources"] == ()
    assert resolve.arguments["find_links"] == ("E:\\bundle",)
    assert all("://" not in pin for pin in resolve.arguments["requirements"])
    assert "--no-index" in resolve.argv


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (machine(python(writable=False)), "permission-denied"),
        (machine(python(in_use_by=("ComfyUI (pid 7)",))), "file-locked"),
        (machine(disks=(Disk("D:\\", 30_000_000),)), "disk-full"),
        (machine(driver=None), "driver-missing"),
        (machine(driver_version="472.12"), "driver-too-old"),
        (machine(network=Network(online=False)), "network-failed"),
        (machine(network=Network(online=True, reachable=REACHABLE | {"python-index-files": False})), "network-failed"),
    ],
)
def test_what_the_person_must_do_first_is_no_refusal_and_the_plan_is_shown(facts: MachineFacts, code: str) -> None:
    made = plan(facts)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert code in codes(made)
    assert made.packages["triton-windows"] == "3.6.0.post26"
    assert made.steps


def test_an_unreachable_download_place_matters_only_where_it_is_needed() -> None:
    without_github = Network(online=True, reachable=REACHABLE | {"github.com": False})
    assert plan(machine(network=without_github)).verdict is Verdict.READY
    needed = plan(machine(network=without_github), *SAGE)
    assert needed.verdict is Verdict.NEEDS_ACTION
    assert any(f.evidence == ("network.reachable.github.com",) for f in needed.findings)
    without_torch = Network(online=True, reachable=REACHABLE | {"download.pytorch.org": False})
    assert plan(machine(network=without_torch)).verdict is Verdict.READY
    assert plan(machine(python(None), network=without_torch)).verdict is Verdict.NEEDS_ACTION
    mirrored = Network(online=True, reachable=REACHABLE | {"download.pytorch.org": False, "mirror.nju.edu.cn": True})
    made = plan(machine(python(None), network=mirrored))
    assert made.verdict is Verdict.READY
    assert step(made, "resolve").arguments["sources"] == ("https://mirror.nju.edu.cn/pytorch/whl/cu130",)


def test_in_china_answering_mirrors_come_first_and_torch_never_from_the_package_mirror() -> None:
    network = Network(online=True, index_url="https://mirrors.example.cn/simple", reachable=REACHABLE | {"mirror.nju.edu.cn": True})
    made = plan(with_os(machine(python(None), network=network), locale="zh-CN"))
    assert step(made, "resolve").arguments["sources"][0].startswith("https://mirror.nju.edu.cn/")
    torch, _, rest = " ".join(step(made, "swap").argv).partition(" && ")
    assert "mirrors.example.cn" not in torch
    assert "mirrors.example.cn" in rest


# --- which environment ---------------------------------------------------------------------------------------------------


def test_the_app_comes_before_a_venv_and_a_venv_before_an_empty_one() -> None:
    app = portable("2.13.0+cu130")
    venv = python("2.13.0+cu130", packages={"triton-windows": "3.7.1.post27"})
    empty = python(None, "E:\\empty\\Scripts\\python.exe")
    assert plan(machine(empty, venv, app)).python.executable == app.executable  # type: ignore[union-attr]
    assert plan(machine(empty, venv)).python.executable == venv.executable  # type: ignore[union-attr]
    assert plan(machine(empty)).python.executable == empty.executable  # type: ignore[union-attr]


def test_of_two_apps_the_one_that_needs_less_is_taken() -> None:
    costly = replace(portable("2.5.1+cu124"), executable="E:\\a\\python_embeded\\python.exe")
    cheap = replace(portable("2.13.0+cu130"), executable="E:\\b\\python_embeded\\python.exe")
    made = plan(machine(costly, cheap, capability="12.0"), *SAGE)
    assert made.python is not None
    assert made.python.executable == cheap.executable


def test_for_comfyui_a_comfyui_is_preferred() -> None:
    forge = python("2.10.0+cu128", "E:\\forge\\venv\\Scripts\\python.exe", app="forge", app_root="E:\\forge")
    comfy = python("2.10.0+cu128", "E:\\comfy\\venv\\Scripts\\python.exe", app="comfyui", app_root="E:\\comfy")
    assert plan(machine(forge, comfy), Goal.COMFYUI).python.executable == comfy.executable  # type: ignore[union-attr]
    assert plan(machine(forge, comfy), Goal.TRITON).python.executable == forge.executable  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "unusable",
    [
        Python("C:\\WindowsApps\\python.exe", "store-alias", ""),
        python(kind="store"),
        python(kind="uv"),
        python(bits=32, arch="x86"),
        python(free_threaded=True),
        python(version="3.8.20"),
        python(base_ok=False),
        python(externally_managed=True),
    ],
)
def test_what_may_not_be_installed_into_is_never_chosen(unusable: Python) -> None:
    made = plan(machine(unusable))
    assert made.python is not None
    assert made.python.is_new
    assert unusable.executable not in " ".join(" ".join(one.argv) for one in made.steps if one.kind != "create-environment")
    named = plan(machine(unusable), python=unusable.executable)
    assert named.verdict is Verdict.NEEDS_ACTION
    assert named.python is not None
    assert named.python.is_new
    assert named.options


def test_a_new_environment_is_made_from_a_fitting_python_or_a_fetched_one() -> None:
    base = python(None, "C:\\Python313\\python.exe", kind="system", version="3.13.9")
    made = plan(machine(base), *SAGE)
    assert made.python is not None
    assert (made.python.is_new, made.python.base) == (True, base.executable)
    assert kinds(made)[0] == "create-environment"
    fetched = plan(machine(pythons=()), *SAGE)
    assert fetched.python is not None
    assert fetched.python.base is None
    assert kinds(fetched)[:2] == ["fetch-python", "create-environment"]
    assert fetched.python.version == "3.12"


def test_a_new_environment_goes_into_plain_letters_and_a_free_folder() -> None:
    facts = with_os(machine(pythons=()), user_profile="C:\\Users\\王小明")
    made = plan(facts)
    assert made.python is not None
    assert made.python.executable == "C:\\TritonSetup\\environments\\triton\\Scripts\\python.exe"
    broken = python(None, made.python.executable, base_ok=False)
    again = plan(replace(facts, pythons=(broken,)))
    assert again.python is not None
    assert again.python.executable == "C:\\TritonSetup\\environments\\triton-2\\Scripts\\python.exe"


def test_an_empty_venv_in_a_cloud_folder_is_not_taken_and_the_reason_is_told() -> None:
    facts = with_os(machine(python(None)), cloud_roots=("D:\\work",))
    made = plan(facts)
    assert made.python is not None
    assert made.python.is_new
    assert "onedrive-path" in codes(made)
    assert made.verdict is Verdict.READY


def test_a_deep_environment_that_was_named_gets_long_paths_switched_on() -> None:
    deep = python(executable="D:\\" + "deep\\" * 25 + "venv\\Scripts\\python.exe")
    made = plan(with_os(machine(deep), long_paths=False), python=deep.executable)
    assert "set-long-paths" in kinds(made)
    assert step(made, "set-long-paths").needs_admin


def test_a_python_that_is_not_known_is_asked_about() -> None:
    made = plan(machine(), python="Z:\\nowhere\\python.exe")
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.python is None
    assert made.steps == ()
    assert plan(machine(), Goal.COMFYUI, comfyui="Z:\\nowhere").verdict is Verdict.NEEDS_ACTION


def test_paths_compare_as_windows_compares_them() -> None:
    made = plan(machine(), python=VENV.upper().replace("\\", "/"))
    assert made.python is not None
    assert made.python.executable == VENV


def test_a_comfyui_folder_decides_even_from_inside_or_outside() -> None:
    first = portable("2.13.0+cu130")
    second = python("2.8.0+cu128", "E:\\git\\ComfyUI\\venv\\Scripts\\python.exe", app="comfyui", app_root="E:\\git\\ComfyUI")
    for folder in ("E:\\git\\ComfyUI", "e:\\git\\comfyui\\", "E:\\git\\ComfyUI\\custom_nodes"):
        made = plan(machine(first, second), Goal.COMFYUI, comfyui=folder)
        assert made.python is not None
        assert made.python.executable == second.executable


def test_vllm_beside_other_goals_is_left_to_a_plan_of_its_own() -> None:
    made = plan(machine(), Goal.TRITON, Goal.VLLM)
    assert "vllm" not in made.packages
    assert "vllm-apart" in {one.code for verdict in made.routes if verdict.route is RouteKind.NATIVE for one in verdict.reasons}


# --- the runtime and the build files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "runtime", "modes"),
    [
        (python(), None, ["redistributable"]),
        (python(), "14.29.30139.0", ["redistributable"]),
        (python(), UNKNOWN, []),
        (python(), "14.44.35211.0", []),
        (python(bundled_vc_runtime="14.29.30133.0"), "14.50.35719.0", ["beside"]),
        (python(version="3.10.11", bundled_vc_runtime="14.29.30133.0"), None, ["redistributable", "from-system"]),
        (portable(), None, ["package"]),
        (portable(bundled_vc_runtime="14.29.30133.0"), None, ["beside"]),
        (portable(packages={"msvc-runtime": "14.51.36231"}), None, []),
    ],
)
def test_a_current_runtime_comes_to_where_it_is_loaded_from(one: Python, runtime: Any, modes: list[str]) -> None:
    made = plan(machine(one, vc_runtime=runtime))
    assert [one.arguments["mode"] for one in made.steps if one.kind == "vc-runtime"] == modes
    assert all(one.needs_admin == (one.arguments["mode"] == "redistributable") for one in made.steps if one.kind == "vc-runtime")


def test_the_runtime_goes_beside_the_base_of_a_venv_where_it_is_known() -> None:
    made = plan(machine(python(bundled_vc_runtime="14.29.30133.0", base_executable="C:\\Python312\\python.exe")))
    assert step(made, "vc-runtime").arguments["python"] == "C:\\Python312\\python.exe"


def test_build_files_come_from_a_python_at_hand_or_from_archives() -> None:
    near = python(None, "C:\\Python313\\python.exe", kind="system", version="3.13.5")
    assert step(plan(machine(portable(), near)), "python-headers").arguments["from_folder"] == "C:\\Python313"
    alone = step(plan(machine(portable())), "python-headers").arguments
    assert "from_folder" not in alone
    (url,) = alone["urls"]
    assert url.endswith("/python/3.13.9")
    assert alone["hash_pages"][url].endswith("/python/3.13.9.json")
    unknown = plan(machine(portable(has_headers=UNKNOWN)))
    assert step(unknown, "python-headers").title.code == "step.python-headers-if-missing"


# --- cards and gaps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("facts", [machine(capability="6.1"), machine(gpus=(), driver=None), machine(gpus=(gpu(None, "amd"),), driver=None)])
def test_without_a_card_that_triton_runs_on_all_routes_are_refused_with_reasons(facts: MachineFacts) -> None:
    made = plan(facts, *SAGE)
    assert made.verdict is Verdict.BLOCKED
    assert made.route is None
    assert made.findings
    assert made.steps == ()
    assert all(verdict.status is RouteStatus.IMPOSSIBLE and verdict.reasons for verdict in made.routes)


@pytest.mark.parametrize("name", ["compute_capability", "memory_bytes", "driver_model", "index"])
def test_a_gap_in_a_card_makes_no_plan_bolder(name: str) -> None:
    facts = machine(python(None))
    assert isinstance(facts.gpus, tuple)
    less = replace(facts, gpus=(replace(facts.gpus[0], **{name: UNKNOWN}),))
    made = plan(less, *SAGE)
    if name == "compute_capability":
        assert made.verdict is Verdict.NEEDS_ACTION
        assert not made.packages
    else:
        assert made.packages == plan(facts, *SAGE).packages


def test_packages_that_could_not_be_read_are_asked_for() -> None:
    made = plan(machine(python(packages={}, executable=VENV)), python=VENV)
    assert made.verdict is Verdict.READY
    unread = replace(python(), packages=UNKNOWN)
    made = plan(machine(unread), *SAGE, python=VENV)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert (made.packages, made.steps, made.keeps) == ({}, (), ())
    assert made.options[0].code == "new-environment"


def test_a_card_of_another_generation_beside_it_changes_nothing_but_is_told() -> None:
    alone = plan(machine(python("2.8.0+cu128"), gpus=(gpu("12.0"),)), *SAGE)
    mixed = plan(machine(python("2.8.0+cu128"), gpus=(gpu("7.5", index=0), gpu("12.0", index=1))), *SAGE)
    assert mixed.packages == alone.packages
    assert "gpu-mixed" in codes(mixed)


def test_the_native_route_is_for_windows_only() -> None:
    made = plan(linux())
    assert next(verdict for verdict in made.routes if verdict.route is RouteKind.NATIVE).status is RouteStatus.IMPOSSIBLE
    assert plan(linux(), route=RouteKind.NATIVE).verdict is Verdict.BLOCKED


# --- finer rules ---------------------------------------------------------------------------------------------------------


def test_a_nightly_keeps_a_triton_of_its_time_and_gets_one_otherwise() -> None:
    nightly = "2.9.0.dev20250701+cu128"
    for installed in ("3.4.0.post20", "3.5.0.post21"):
        assert plan(machine(python(nightly, packages={"triton-windows": installed}))).steps == ()
    made = plan(machine(python(nightly, packages={"triton-windows": "3.2.0.post21"})))
    assert made.packages["triton-windows"].startswith("3.4.")
    assert "nightly" in {one.code for verdict in made.routes for one in verdict.reasons}


@pytest.mark.parametrize(("capability", "arch"), [("12.1", "x86_64"), ("10.0", "x86_64"), ("12.0", "arm64")])
def test_where_sage_has_no_wheel_at_all_triton_still_comes(capability: str, arch: str) -> None:
    torch = python("2.14.1+cu130", version="3.13.9", arch=arch, torch_arch_list=("sm_100", "sm_120"))
    made = plan(with_os(machine(torch, capability=capability), arch=arch), *SAGE)
    if capability == "10.0":
        assert made.packages["triton-windows"].startswith("3.8.")
    assert "wheel-not-published" in codes(made)
    assert "sageattention" not in made.packages


def test_comfyui_wanted_and_not_found_is_asked_for_and_the_plan_is_shown() -> None:
    made = plan(machine(pythons=()), Goal.COMFYUI)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.python is not None
    assert made.python.is_new
    assert made.options[0].choice.new_env is not None
    assert plan(machine(pythons=()), Goal.COMFYUI, new_env="D:\\mine").verdict is Verdict.READY


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (python(base_ok=False), "venv-broken"),
        (python(version="3.8.20", kind="conda"), "python-version-unsupported"),
        (python(bits=32, arch="x86", kind="system"), "wheel-unsupported"),
    ],
)
def test_why_a_python_at_hand_is_not_taken_is_told_and_does_not_stop_the_plan(broken: Python, code: str) -> None:
    made = plan(machine(broken))
    assert made.verdict is Verdict.READY
    assert code in codes(made)
    assert made.python is not None
    assert made.python.is_new


def test_a_folder_that_holds_an_environment_already_is_that_environment() -> None:
    made = plan(machine(), new_env="d:\\work\\venv\\")
    assert made.python is not None
    assert (made.python.executable, made.python.is_new) == (VENV, False)


def test_downloads_count_on_the_drive_where_they_land() -> None:
    tight = machine(python(None), disks=(Disk("C:\\", 1_000_000_000), Disk("D:\\", 500_000_000_000)))
    made = plan(tight)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert [f.text.params["root"] for f in made.findings if f.code == "disk-full"] == ["C:\\"]
    assert plan(machine(disks=(Disk("C:\\", 1_000_000_000), Disk("D:\\", 500_000_000_000)))).verdict is Verdict.READY


def test_a_configured_index_that_does_not_answer_is_left_out() -> None:
    silent = Network(online=True, index_url="https://mirror.example.cn/simple", reachable=REACHABLE | {"mirror.example.cn": False})
    made = plan(machine(network=silent))
    assert made.verdict is Verdict.READY
    assert "mirror.example.cn" not in " ".join(step(made, "swap").argv)
    both = replace(silent, reachable=REACHABLE | {"mirror.example.cn": False, "python-index": False})
    assert "network-failed" in codes(plan(machine(network=both)))


def test_a_torch_whose_build_is_not_known_is_asked_about() -> None:
    made = plan(machine(python("2.5.1", kind="conda", torch_arch_list=UNKNOWN)), *SAGE)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert made.steps == ()
    assert "unknown-torch" in {one.code for verdict in made.routes for one in verdict.reasons}


def test_where_no_torch_fits_it_is_said() -> None:
    made = plan(with_os(machine(pythons=()), arch="arm64"), *SAGE)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert "wheel-not-published" in codes(made)
    assert plan(machine(python("2.3.1+cu121", version="3.8.10")), python=VENV).python.is_new  # type: ignore[union-attr]


def test_a_new_torch_needs_the_driver_first_where_none_runs_on_it() -> None:
    made = plan(machine(python(None), capability="12.0", driver_version="472.12"))
    assert made.verdict is Verdict.NEEDS_ACTION
    assert "driver-too-old" in codes(made)
    assert made.packages["torch"].startswith("2.14.1+")
