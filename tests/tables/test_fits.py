"""Questions to the tables."""

import pytest

from app.tables import load_tables
from app.tables.builds import at_least, minor_of, numbers, sage_build, torch_build
from app.tables.fits import Wish, arch_list_covers, audio_for, code_for_gpu, pick_sage, pick_torch, torch_row, vision_for
from app.tables.machine import capability_of

TABLES = load_tables()


@pytest.mark.parametrize(
    ("capability", "driver", "pythons", "sage", "torch"),
    [
        ("8.9", "591.44", ("3.12",), False, "2.14.1+cu130"),
        ("8.9", "591.44", ("3.12",), True, "2.13.0+cu130"),
        ("8.9", "566.36", ("3.12",), False, "2.14.1+cu126"),
        ("12.0", "576.02", ("3.12",), True, "2.11.0+cu128"),
        ("12.0", "591.44", ("3.13",), True, "2.13.0+cu130"),
        ("7.5", "580.88", ("3.12",), True, "2.6.0+cu126"),
        ("7.0", "566.36", ("3.11",), False, "2.6.0+cu126"),
        ("7.5", "591.44", ("3.14",), False, "2.14.1+cu130"),
        ("8.6", "572.83", ("3.9",), True, "2.8.0+cu128"),
        ("12.1", "616.58", ("3.12",), False, "2.14.1+cu130"),
        ("10.0", "591.44", ("3.12",), True, None),
        ("8.6", "472.12", ("3.12",), False, "2.7.1+cu118"),
        ("8.6", "450.00", ("3.12",), False, None),
        ("8.6", "591.44", ("3.15",), False, None),
        ("8.6", None, ("3.12",), False, "2.14.1+cu130"),
    ],
)
def test_a_torch_is_picked_for_card_driver_and_python(capability: str, driver: str | None, pythons: tuple[str, ...], sage: bool, torch: str | None) -> None:
    found = capability_of(capability)
    assert found is not None
    picked = pick_torch(TABLES, Wish(found, driver, "x86_64", pythons, sage))
    assert (picked[0].version if picked else None) == torch


def test_no_torch_is_picked_for_windows_on_arm() -> None:
    assert pick_torch(TABLES, Wish((12, 1), "616.58", "arm64", ("3.13",))) is None


def test_linux_takes_what_the_package_index_gives_where_the_driver_runs_it() -> None:
    newest = pick_torch(TABLES, Wish((9, 0), "595.58.03", "x86_64", ("3.12",), windows=False))
    older = pick_torch(TABLES, Wish((9, 0), "535.54.03", "x86_64", ("3.12",), windows=False))
    assert newest is not None
    assert older is not None
    assert newest[0].tag == newest[0].row.linux[0]
    assert older[0].tag == "cu126"


@pytest.mark.parametrize(
    ("torch", "python", "capability", "sage"),
    [
        ("2.10.0+cu128", "3.12", "8.6", "2.2.0+cu128torch2.10.0andhigher.post6"),
        ("2.13.0+cu132", "3.13", "12.0", "2.2.0+cu130torch2.10.0andhigher.post6"),
        ("2.14.1+cu126", "3.12", "8.6", "2.2.0+cu128torch2.10.0andhigher.post6"),
        ("2.9.1+cu130", "3.14", "8.0", "2.2.0+cu130torch2.9.1.post6"),
        ("2.9.0+cu128", "3.12", "8.9", "2.2.0+cu128torch2.9.0andhigher.post4"),
        ("2.8.0+cu129", "3.9", "8.6", "2.2.0+cu128torch2.8.0.post3"),
        ("2.7.0+cu128", "3.11", "8.6", "2.1.1+cu128torch2.7.0"),
        ("2.7.0+cu128", "3.13", "8.6", "2.2.0+cu128torch2.7.1.post3"),
        ("2.6.0+cu124", "3.12", "7.5", "2.2.0+cu126torch2.6.0.post3"),
        ("2.6.0+cu126", "3.12", "12.0", None),
        ("2.7.1+cu118", "3.11", "8.6", None),
        ("2.4.1+cu124", "3.10", "8.6", None),
        ("2.10.0+cu128", "3.9", "8.6", "2.2.0+cu128torch2.9.0andhigher.post4"),
        ("2.10.0+cu128", "3.12", "7.0", None),
        ("2.10.0+cu128", "3.12", "12.1", None),
        ("2.10.0.dev20251101+cu128", "3.12", "8.6", None),
        ("2.10.0+cpu", "3.12", "8.6", None),
    ],
)
def test_a_sage_wheel_fits_torch_cuda_python_and_card(torch: str, python: str, capability: str, sage: str | None) -> None:
    build, found = torch_build(torch), capability_of(capability)
    assert build is not None
    assert found is not None
    row = pick_sage(TABLES, build, python, found, "x86_64")
    assert (row.version if row else None) == sage
    assert pick_sage(TABLES, build, python, found, "arm64") is None


def test_no_wheel_with_a_known_fault_is_chosen() -> None:
    build = torch_build("2.12.1+cu130")
    assert build is not None
    row = pick_sage(TABLES, build, "3.12", (8, 9), "x86_64")
    assert row is not None
    assert not row.avoid


def test_code_runs_on_the_same_major_only() -> None:
    assert code_for_gpu(("8.6",), (8, 9))
    assert not code_for_gpu(("8.9",), (8, 6))
    assert not code_for_gpu(("9.0",), (12, 0))
    assert arch_list_covers(("sm_120",), (12, 1))
    assert arch_list_covers(("sm_90a",), (9, 0))
    assert arch_list_covers(("compute_80",), (12, 0))
    assert not arch_list_covers(("sm_86", "nonsense", "sm_x"), (12, 0))


def test_companions_follow_torch() -> None:
    row, older = torch_row(TABLES, "2.13"), torch_row(TABLES, "2.9")
    assert row is not None
    assert older is not None
    assert vision_for(row, "2.13.0+cu130") == "0.28.0+cu130"
    assert vision_for(older, "2.9.1") == "0.24.1"
    assert audio_for(older, "2.9.1+cu128") == "2.9.1+cu128"
    assert audio_for(row, "2.13.0+cu130") is None


def test_versions_are_taken_apart() -> None:
    nightly = torch_build("2.9.0.dev20250701+cu128")
    assert nightly is not None
    assert (nightly.minor, nightly.cuda, nightly.cuda_major, nightly.nightly) == ("2.9", "cu128", 12, "2025-07-01")
    rocm = torch_build("2.9.0+rocm7.10.0")
    assert rocm is not None
    assert rocm.cuda is None
    assert torch_build("no version") is None
    assert torch_build("3") is None
    wheel = sage_build("2.2.0+cu130torch2.10.0andhigher.post6")
    assert wheel is not None
    assert (wheel.cuda_major, wheel.torch, wheel.higher, wheel.post) == (13, "2.10.0", True, 6)
    assert sage_build("2.2.0") is None
    assert numbers("576.02") == (576, 2)
    assert minor_of("3.12.10") == "3.12"
    assert minor_of("") == ""
    assert at_least("14.44.35211.0", "14.44")
    assert not at_least("14.5", "14.44")
