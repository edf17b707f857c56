"""The shipped tables: rows with sources, in agreement with one another, and one row for a new release."""

import json
import tomllib
from pathlib import Path

import pytest

from app.tables import Tables, load_tables
from app.tables.builds import torch_build
from app.tables.check import FILES, all_rows, disagreements, faults, hosts
from app.tables.fits import Wish, pick_torch, torch_download, triton_minor_of
from app.tables.load import READ_AHEAD, read_rows
from app.tables.rows import TritonRow
from tests.upkeep.read_ahead import read_ahead

TABLES = load_tables()
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "tables"


@pytest.mark.parametrize("file", FILES)
def test_every_row_has_right_types_a_source_and_a_date(file: str) -> None:
    assert list(faults(TABLES, file)) == []
    assert list(all_rows(TABLES, file))


@pytest.mark.parametrize("file", FILES)
def test_no_source_is_written_down_for_nothing(file: str) -> None:
    used = {name for _, row in all_rows(TABLES, file) for name in row.source}
    assert used == set(TABLES.document(file)["sources"])


def test_rows_do_not_contradict_each_other() -> None:
    assert list(disagreements(TABLES)) == []


def test_every_address_is_https_and_of_a_few_hosts() -> None:
    assert all("." in host and " " not in host for host in hosts(TABLES))
    assert len(hosts(TABLES)) < 12


@pytest.mark.parametrize(
    ("torch", "triton"),
    [
        ("2.3.1+cu121", None),
        ("2.4.0+cu124", "3.1"),
        ("2.5.1+cu124", "3.1"),
        ("2.6.0+cu126", "3.2"),
        ("2.7.1+cu128", "3.3"),
        ("2.8.0+cu129", "3.4"),
        ("2.9.1+cu130", "3.5"),
        ("2.10.0+cu128", "3.6"),
        ("2.11.0+cu130", "3.6"),
        ("2.12.1+cu132", "3.7"),
        ("2.13.0+cu130", "3.7"),
        ("2.14.1+cu130", "3.8"),
        ("2.15.0+cu130", None),
        ("2.99.0+cu150", None),
        ("2.9.0.dev20250701+cu128", "3.4"),
        ("2.9.0.dev20250901+cu128", "3.5"),
    ],
)
def test_triton_follows_torch(torch: str, triton: str | None) -> None:
    build = torch_build(torch)
    assert build is not None
    assert triton_minor_of(TABLES, build) == triton


def test_a_new_release_of_triton_windows_costs_one_row() -> None:
    text = (FOLDER / "triton.toml").read_text(encoding="utf-8")
    row = """
[[windows]]
minor = "3.9"
torch = "2.15"
newest = "3.9.0.post30"
floor = "3.9.0.post30"
versions = "3.9.0.post30"
pythons = "3.11 3.12 3.13 3.14"
pythons_arm = ""
gpu_oldest = "7.5"
gpu_oldest_full = "8.0"
gpu_newest = "12.1"
cuda_headers = "13.1"
requires = ""
branch = "release/3.9.x-windows"
bytes = 1
unpacked_bytes = 1
source = "index"
date = "2026-12-15"
"""
    more = TABLES.with_documents({"triton": tomllib.loads(text + row)})
    assert list(faults(more, "triton")) == []
    assert list(disagreements(more)) == []
    picked = pick_torch(more, Wish((8, 9), "591.44", "x86_64", ("3.12",)))
    assert picked is not None
    assert picked[0].version == "2.15.0+cu130"
    assert picked[0].triton is not None
    assert picked[0].triton.newest == "3.9.0.post30"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"torch": "2.99"}, "its torch is not known"),
        ({"torch": "2.13"}, "belongs to two"),
        ({"floor": "3.9.0.post1"}, "floor is not among"),
        ({"requires": "setuptools"}, "not an exact version"),
        ({"minor": "3.8"}, "minors repeat"),
    ],
)
def test_a_contradicting_row_is_found(change: dict[str, str], told: str) -> None:
    document = json.loads(json.dumps(tomllib.loads((FOLDER / "triton.toml").read_text(encoding="utf-8"))))
    last = document["windows"][-1]
    document["windows"].append(last | {"minor": "3.9", "torch": "2.15"} | change)
    assert told in " ".join(disagreements(TABLES.with_documents({"triton": document})))


@pytest.mark.parametrize("change", [{"bytes": "many"}, {"source": ""}, {"date": "soon"}, {"source": "hearsay"}, {"surplus": "1"}])
def test_a_faulty_row_is_found(change: dict[str, object]) -> None:
    document = tomllib.loads((FOLDER / "triton.toml").read_text(encoding="utf-8"))
    document["windows"][0] |= change
    assert list(faults(TABLES.with_documents({"triton": document}), "triton"))


def test_lists_may_be_words_or_arrays() -> None:
    document = TABLES.document("triton")
    words = read_rows(document, "windows", TritonRow)
    arrays = json.loads(json.dumps(document))
    for entry in arrays["windows"]:
        entry["pythons"] = entry["pythons"].split()
    assert read_rows(arrays, "windows", TritonRow) == words


def test_tables_are_read_when_they_are_first_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    tables = Tables(FOLDER)
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: (read.append(self.name), real(self))[1])
    assert tables.torch
    assert read == ["torch.toml", READ_AHEAD]


def test_what_was_read_ahead_is_what_the_files_hold() -> None:
    """Written by `python3 -m tests.upkeep.read_ahead` after every change of a table."""
    assert (FOLDER / READ_AHEAD).read_text(encoding="utf-8") == read_ahead(FOLDER)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_changed_row_counts_at_once(monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    real = Path.read_bytes
    changed = real(FOLDER / "gpus.toml").decode().replace("Hopper", "Changed").replace("\n", ends).encode()
    monkeypatch.setattr(Path, "read_bytes", lambda self: changed if self.name == "gpus.toml" else real(self))
    assert "Changed" in {row.name for row in Tables(FOLDER).generations}


def test_wsl_codes_are_found_in_what_wsl_printed() -> None:
    assert TABLES.wsl_cause("Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED") == "wsl-virtualization-off"
    assert TABLES.wsl_cause("0x80370102") == "wsl-virtualization-off"
    assert TABLES.wsl_cause("all is well") is None
    assert TABLES.wsl_cause("Wsl/0x80070422") == "wsl-service-failed"
    assert TABLES.wsl_cause("Wsl/Service/CreateInstance/ConfigureNetworking/HNS/0x80070422") == "wsl-network-broken"


@pytest.mark.parametrize(
    ("torch", "size"),
    [
        ("2.14.1+cu126", 2_602_768_778),
        ("2.13.0+cu126", 2_602_768_778),
        ("2.7.0+cu126", 2_716_900_000),
        ("2.14.1+cu130", 1_793_800_000),
        ("2.16.0+cu128", 2_847_300_000),
        ("2.14.1+cu134", None),
        ("2.14.1", None),
        ("2.9.1+cpu", None),
    ],
)
def test_a_torch_is_about_as_large_as_the_nearest_of_its_build(torch: str, size: int | None) -> None:
    assert torch_download(TABLES, torch) == size
