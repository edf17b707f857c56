"""What an announcement of releases may say, and which versions are newer."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.host.own import release_address
from app.host.releases import Release, fetch_release, is_newer, read_release
from app.model.problem import Problem

TOLD = {
    "schema": "release/1",
    "version": "1.2.0",
    "date": "2026-12-24",
    "page": "https://example.org/releases/v1.2.0",
    "tables": {"date": "2026-12-24", "url": "https://example.org/tables.zip", "sha256": "a" * 64},
}


def test_an_announcement_is_read(tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    file.write_text(json.dumps(TOLD), encoding="utf-8")
    assert fetch_release(file.as_uri()) == Release("1.2.0", "2026-12-24", TOLD["page"], "2026-12-24", "https://example.org/tables.zip", "a" * 64)
    assert read_release(json.dumps({**TOLD, "tables": None}), "x").tables_date is None


@pytest.mark.parametrize(
    ("change", "where"),
    [({"schema": "release/2"}, "schema"), ({"version": "1; rm"}, "version"), ({"page": "http://example.org/x"}, "page"), ({"date": 3}, "date"),
     ({"page": "javascript:alert(1)"}, "page"), ({"tables": {"date": "2026-12-24", "url": "https://e.org/t", "sha256": "x"}}, "sha256")],
)  # fmt: skip
def test_anything_else_is_refused_by_name(change: dict, where: str) -> None:
    with pytest.raises(Problem) as raised:
        read_release(json.dumps({**TOLD, **change}), "x")
    assert raised.value.text.params["where"] == where


@pytest.mark.parametrize(("address", "code"), [("http://example.org/r.json", "release.bad-address"), ("file:///no/such/file", "release.no-answer")])
def test_addresses_that_cannot_be_asked(address: str, code: str) -> None:
    with pytest.raises(Problem) as raised:
        fetch_release(address)
    assert raised.value.text.code == code


@settings(deadline=None, max_examples=100)
@given(
    st.one_of(
        st.text(max_size=80),
        st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.dictionaries(st.sampled_from(list(TOLD)), inner)).map(json.dumps),
    )
)
def test_hostile_documents_are_refused(text: str) -> None:
    with pytest.raises(Problem):
        read_release(text, "x")


def test_newer_versions() -> None:
    order = ["0.1.0a1", "0.1.0b1", "0.1.0b2", "0.1.0rc1", "0.1.0", "0.1.1", "0.2", "0.10.0", "1.0.0"]
    for place, version in enumerate(order):
        assert [is_newer(other, version) for other in order] == [number > place for number in range(len(order))]
    assert not is_newer("0.1", "0.1.0")


def test_only_a_named_place_is_asked() -> None:
    assert release_address({}) is None
    assert release_address({"TRITON_SETUP_RELEASES": "https://example.org/r.json"}) == "https://example.org/r.json"
