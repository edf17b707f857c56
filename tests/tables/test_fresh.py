"""Fresher tables: taken whole and verified, or not at all."""

import hashlib
import json
from pathlib import Path

import pytest

from app.model.problem import Problem
from app.tables import load_tables
from app.tables.fresh import MANIFEST, check_fresher, date_of, tables_from
from app.texts import words

SHIPPED = load_tables()
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "tables"


def bundle(content: dict[str, bytes], **changes: object) -> dict[str, bytes]:
    hashes = {name: hashlib.sha256(file).hexdigest() for name, file in content.items()}
    manifest = {"schema": "tables/1", "date": "2026-12-24", "files": hashes} | changes
    return {**content, MANIFEST: json.dumps(manifest).encode()}


def sage(*replacements: tuple[str, str]) -> bytes:
    text = (FOLDER / "sage.toml").read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text.encode()


def test_a_good_table_is_taken_and_the_others_stay() -> None:
    files = bundle({"sage.toml": sage(('tested = "2.13"', 'tested = "2.14"'))})
    fresher = check_fresher(files, SHIPPED, hashlib.sha256(files[MANIFEST]).hexdigest())
    assert {row.tested for row in fresher.sage} - {row.tested for row in SHIPPED.sage} == {"2.14"}
    assert fresher.torch == SHIPPED.torch


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (bundle({"sage.toml": sage()}, files={"sage.toml": "0" * 64}), "hash"),
        (bundle({"sage.toml": b"not toml ["}), "sage.toml"),
        (bundle({"sage.toml": sage(("github.com", "evil.example"))}), "evil.example"),
        (bundle({"sage.toml": sage(("https://github.com", "http://github.com"))}), "https"),
        (bundle({"sage.toml": sage(("cuda_major = 13", "cuda_major = 12"))}), "do not fit"),
        (bundle({"sage.toml": sage(("bytes = 16656067", 'bytes = "big"'))}), "expected int"),
        (bundle({"sage.toml": sage()}, date="2020-01-01"), "older"),
        (bundle({"sage.toml": sage()}, schema="tables/9"), "tables/9"),
        (bundle({"../../evil.toml": b""}), "evil"),
        (bundle({"sage.toml": b"#" * 300_000}), "hash"),
        ({MANIFEST: b"{"}, "JSON"),
        ({}, "JSON"),
    ],
)
def test_a_bad_table_is_refused_in_one_clear_line(files: dict[str, bytes], told: str) -> None:
    with pytest.raises(Problem) as caught:
        check_fresher(files, SHIPPED)
    for language in ("en", "zh_CN"):
        assert told in words(caught.value.text, language) or told == "JSON"


def test_a_manifest_with_another_hash_is_refused() -> None:
    with pytest.raises(Problem):
        check_fresher(bundle({"sage.toml": sage()}), SHIPPED, "0" * 64)


def test_the_shipped_tables_stand_behind_files_that_do_not_pass() -> None:
    assert tables_from(None) is SHIPPED
    assert tables_from({}) is SHIPPED
    assert tables_from(bundle({"sage.toml": sage(("github.com", "evil.example"))})) is SHIPPED
    assert tables_from(bundle({"sage.toml": sage(('tested = "2.13"', 'tested = "2.14"'))})) is not SHIPPED


def test_the_date_of_tables_is_that_of_their_newest_row() -> None:
    assert date_of(SHIPPED) == "2026-11-30"
