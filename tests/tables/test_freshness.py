"""The comparison with the index and the release lists."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.tables import load_tables
from app.tables.freshness import Difference, compare_with_index, compare_with_releases, release_lists

TABLES = load_tables()


def wheel(name: str, version: str, python: str, platform: str = "win_amd64", size: int = 1) -> dict[str, Any]:
    return {"filename": f"{name}-{version}-{python}-{python}-{platform}.whl", "size": size}


def index_of_the_tables() -> dict[str, list[dict[str, Any]]]:
    """An index that holds just what the tables say."""
    pages: dict[str, list[dict[str, Any]]] = {"triton-windows": [], "torch": [], "vllm": [], "sageattention": [], "msvc-runtime": []}
    for row in TABLES.triton_windows:
        for version in row.versions:
            tags = [(python, "win_amd64") for python in row.pythons] + [(python, "win_arm64") for python in row.pythons_arm]
            pages["triton-windows"] += [wheel("triton_windows", version, f"cp{p.replace('.', '')}", kind, row.bytes) for p, kind in tags]
    for torch in TABLES.torch:
        pages["torch"] += [wheel("torch", patch, f"cp{python.replace('.', '')}") for patch in torch.patches for python in torch.pythons]
    pages["vllm"].append(wheel("vllm", TABLES.vllm_linux.version, "cp38", "manylinux_2_28_x86_64"))
    pages["sageattention"].append({"filename": f"sageattention-{TABLES.sage_portable.version}-py3-none-any.whl", "size": 1})
    pages["msvc-runtime"] += [wheel("msvc_runtime", row.version, f"cp{row.python.replace('.', '')}") for row in TABLES.vc_packages]
    return pages


def compare(pages: Mapping[str, list[dict[str, Any]]]) -> tuple[Difference, ...]:
    return compare_with_index(TABLES, lambda name: {"files": pages[name]})


def test_an_index_like_the_tables_shows_no_difference() -> None:
    assert compare(index_of_the_tables()) == ()


def test_new_releases_are_shown_as_cells() -> None:
    pages = index_of_the_tables()
    pages["triton-windows"] += [wheel("triton_windows", "3.9.0.post30", "cp312"), wheel("triton_windows", "3.9.1a0.post31", "cp312")]
    pages["triton-windows"].append(wheel("triton_windows", "3.8.0.post31", "cp312"))
    pages["torch"] += [wheel("torch", "2.16.0", "cp312"), wheel("torch", "2.13.1", "cp312")]
    pages["vllm"].append(wheel("vllm", "0.34.0", "cp38", "manylinux_2_28_x86_64"))
    found = {(one.table, one.row, one.column): one.found for one in compare(pages)}
    assert found["triton", "3.9", "minor"] == "3.9.0.post30"
    assert found["triton", "3.8", "newest"] == "3.8.0.post31"
    assert found["torch", "2.16", "minor"] == "2.16.0"
    assert found["torch", "2.13", "newest"] == "2.13.1"
    assert found["vllm", "linux", "version"] == "0.34.0"


def test_a_changed_size_is_shown() -> None:
    pages = index_of_the_tables()
    for file in pages["triton-windows"]:
        file["size"] += 1
    assert {one.column for one in compare(pages)} == {"bytes"}


def test_new_wheels_of_a_release_list_are_shown_and_those_for_other_cards_are_not() -> None:
    names = [
        "sageattention-2.2.0+cu130torch2.10.0andhigher.post6-cp310-abi3-win_amd64.whl",
        "sageattention-2.3.0%2Bcu130torch2.12.0andhigher.post1-cp310-abi3-win_amd64.whl",
        "sageattention-2.2.0+rocm.post7-cp310-abi3-win_amd64.whl",
        "Source code (zip)",
    ]
    found = compare_with_releases(TABLES, [{"assets": [{"name": name} for name in names]}, {}])
    assert [one.found for one in found] == ["2.3.0+cu130torch2.12.0andhigher.post1"]


def test_releases_of_companions_and_of_vllm_are_compared_too() -> None:
    def release(tag: str, *names: str) -> dict[str, Any]:
        return {"tag_name": tag, "assets": [{"name": name} for name in names]}

    seen = compare_with_releases(
        TABLES,
        [
            release("v0.1.0-windows.post4", "spas_sage_attn-0.1.0+cu130torch2.9.0andhigher.post4-cp39-abi3-win_amd64.whl"),
            release("v0.26.0", "vllm-0.26.0+cu132-cp312-cp312-win_amd64.whl"),
        ],
    )
    assert seen == ()
    new = compare_with_releases(
        TABLES,
        [
            release("v9", "flash_attn-2.9.0+cu132torch2.15-cp313-cp313-win_amd64.whl", "flash_attn-2.9.0+cu132torch2.15-cp313-cp313-linux_x86_64.whl"),
            release("v0.31.0", "vllm-0.31.0+cu132-cp312-cp312-win_amd64.whl"),
        ],
    )
    assert [(one.table, one.found) for one in new] == [("companions", "2.9.0+cu132torch2.15"), ("vllm", "0.31.0+cu132")]


def test_release_lists_are_those_of_the_rows() -> None:
    lists = release_lists(TABLES)
    assert lists[0].startswith("https://")
    assert any("SageAttention" in url for url in lists)
    assert any("SpargeAttn" in url for url in lists)
    assert any("vllm-windows" in url for url in lists)
    assert len(set(lists)) == len(lists)


@pytest.mark.network
def test_the_shipped_tables_are_what_the_index_has() -> None:
    import httpx
    from pip._internal.models.index import PyPI

    headers = {"Accept": "application/vnd.pypi.simple.v1+json"}
    with httpx.Client(headers=headers, follow_redirects=True, timeout=60) as client:
        pages = {name: client.get(f"{PyPI.simple_url}/{name}/").raise_for_status().json() for name in index_of_the_tables()}
    # What appeared after the tables were written is news for `dev.py tables`, not a fault: rows that are there must be right.
    wrong = [one for one in compare_with_index(TABLES, pages.__getitem__) if one.column in {"pythons", "pythons_arm", "bytes"}]
    assert wrong == []
