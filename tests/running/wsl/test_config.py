"""`.wslconfig` is edited by key: what the person wrote stays."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.running.wsl.config import read_keys, set_keys

OWN = "# my notes\r\n[wsl2]\r\nProcessors=4   ; four are enough\r\nmemory = 4GB # too little?\r\n\r\n[experimental]\r\nsparseVhd=false\r\n"


def test_only_the_named_keys_change() -> None:
    edited = set_keys(OWN, "wsl2", {"memory": "20GB", "swap": "8GB"})
    assert edited == OWN.replace("memory = 4GB", "memory = 20GB").replace("too little?\r\n", "too little?\r\nswap=8GB\r\n")
    assert read_keys(edited, "wsl2") == {"processors": "4", "memory": "20GB", "swap": "8GB"}
    assert set_keys(edited, "wsl2", {"memory": "20GB", "swap": "8GB"}) == edited


def test_a_missing_file_or_section_is_made() -> None:
    assert set_keys("", "wsl2", {"memory": "8GB"}) == "[wsl2]\r\nmemory=8GB\r\n"
    assert set_keys("[experimental]\nx=1\n", "wsl2", {"memory": "8GB"}) == "[experimental]\nx=1\n\n[wsl2]\nmemory=8GB\n"


keys = st.sampled_from(["memory", "Memory", "swap", "kernel", "processors"])
lines = st.one_of(
    st.sampled_from(["[wsl2]", "[ wsl2 ]", "[experimental]", "", "# c", "; c", "junk"]), st.tuples(keys, st.text("a1GB/:\\ ", max_size=6)).map("=".join)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(lines, max_size=12).map("\n".join), st.dictionaries(st.sampled_from(["memory", "swap"]), st.sampled_from(["8GB", "0", "16GB"]), min_size=1))
def test_set_keys_are_read_back_and_nothing_else_is_lost(content: str, values: dict[str, str]) -> None:
    edited = set_keys(content, "wsl2", values)
    for key, value in values.items():
        assert read_keys(edited, "wsl2")[key] == value
    kept = [line for line in content.splitlines() if not line.lower().startswith(("memory", "swap"))]
    remaining = edited.splitlines()
    for line in kept:
        assert line in remaining
    assert read_keys(edited, "experimental") == read_keys(content, "experimental")
