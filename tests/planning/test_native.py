"""The native route: which versions, which steps, what must be decided first."""

from dataclasses import replace
from typing import Any

import pytest

from app.model.facts import Disk, MachineFacts, Network
from app.model.findings import Severity
from app.model.plan import Goal, Plan, RouteKind, TorchChange, Verdict
from app.model.unknown import UNKNOWN
from tests.planning.build import REACHABLE, codes, kinds, machine, plan, python, with_os

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


def test_where_no_torch_fits_it_is_said() -> None:
    made = plan(with_os(machine(pythons=()), arch="arm64"), *SAGE)
    assert made.verdict is Verdict.NEEDS_ACTION
    assert "wheel-not-published" in codes(made)
    assert plan(machine(python("2.3.1+cu121", version="3.8.10")), python=VENV).python.is_new


def test_what_is_not_known_of_a_download_leaves_the_rest_known() -> None:
    one = plan(machine(python(None)))
    assert one.download.wording == "about"
    assert one.download.bytes > 1_000_000_000
    family = plan(machine(python("2.3.1+cu121", packages={"torchvision": "0.18.1+cu121"})), torch_change=TorchChange.REPLACE)
    assert family.download.wording == "at-least-about"
    assert family.download.bytes > 1_000_000_000
    assert plan(machine(python())).download.wording == "exact"
    assert family.download_bytes == 0, "of the contract: what is known for sure"


def test_where_nothing_is_done_nothing_is_asked_or_claimed() -> None:
    done = python("2.10.0+cu128", packages={"triton-windows": "3.6.0.post26", "numpy": "2.0"}, user_site_packages={"numpy": "1.26.4"}, user_site=True)
    made = plan(machine(replace(done, in_use_by=("python.exe (pid 7)",))))
    assert made.steps == ()
    remedies = {finding.code: finding.remedy for finding in made.findings}
    assert remedies["file-locked"] is None
    shadow = remedies["user-site-shadow"]
    assert shadow is not None
    assert not shadow.automatic


def test_where_no_way_is_left_none_is_advised() -> None:
    made = plan(with_os(machine(), arch="arm64"), Goal.VLLM)
    assert made.verdict is Verdict.BLOCKED
    assert all(finding.remedy is None or finding.remedy.code != "another-route" for finding in made.findings)


def test_nothing_is_said_of_changes_where_the_packages_are_not_known() -> None:
    made = plan(machine(replace(python(), packages=UNKNOWN)))
    assert not {reason.code for verdict in made.routes for reason in verdict.reasons} & {"target-only", "target-fits"}


def test_a_bundle_is_advised_only_where_it_serves() -> None:
    offline = Network(online=False)
    for facts, code in ((machine(python(None), network=offline), "bundle"), (machine(network=offline, wsl=None), "connect")):
        made = plan(facts, route=None if code == "bundle" else RouteKind.WSL2)
        (cause,) = [finding for finding in made.findings if finding.code == "network-failed"]
        assert cause.remedy is not None
        assert cause.remedy.code == code


def test_a_network_that_nobody_asked_is_named() -> None:
    for network, told in ((UNKNOWN, True), (Network(online=True), False)):
        made = plan(machine(network=network))
        assert told == ("network-not-asked" in {one.code for verdict in made.routes if verdict.route is RouteKind.NATIVE for one in verdict.reasons})
