"""The document of the contract, and back."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.problem import ExitCode, Problem
from app.model.proof import Check
from app.proof import load_proof, proof_document
from tests.proof.samples import GOOD_BENCHMARKS, bench, good


def test_it_has_what_the_contract_asks_for():
    document = proof_document(good(), "en")
    assert {"schema", "level", "verdict", "checks", "benchmarks", "compile_cold_s", "compile_warm_s", "device", "backend"} <= document.keys()
    assert (document["schema"], document["level"], document["verdict"], document["backend"]) == ("proof/1", "benchmark", "fast", "cuda")
    assert {"code", "outcome", "detail"} <= document["checks"][0].keys()
    fields = {
        "kernel",
        "implementation",
        "shape",
        "dtype",
        "median_ms",
        "p20_ms",
        "p80_ms",
        "value",
        "unit",
        "error",
        "error_limit",
        "reference",
        "ratio_to_reference",
        "ceiling",
    }
    assert all(fields <= entry.keys() for entry in document["benchmarks"])
    json.dumps(document, allow_nan=False)


def test_details_are_sentences_of_the_language_and_evidence_stays():
    failed = Check("softmax", "failed", "PassManager::run failed")
    entry = proof_document(good(checks=(failed,)), "zh_CN")["checks"][0]
    assert (entry["title"], entry["detail"], entry["evidence"]) == ("Softmax 结果正确", "失败：PassManager::run failed", "PassManager::run failed")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_comes_back_as_it_was(language: str):
    proof = good(checks=(Check("softmax", "failed", "boom", {"wrong": True, "error": 1.0, "n": None}),), slow_because=("battery",))
    assert load_proof(json.loads(json.dumps(proof_document(proof, language))), "x.json") == proof


def test_an_infinite_error_stays_wrong_in_json():
    document = proof_document(good(benchmarks=(*GOOD_BENCHMARKS, bench(error=float("inf")))))
    loaded = load_proof(json.loads(json.dumps(document, allow_nan=False)), "x.json")
    assert loaded.benchmarks[-1].error > loaded.benchmarks[-1].error_limit


def test_a_document_with_more_keys_can_be_read():
    document = {**proof_document(good()), "worse": ["x"], "future": {"a": 1}}
    assert load_proof(document, "x.json") == good()


@pytest.mark.parametrize("document", [None, [], "proof", 5, {}, {"schema": "proof/2"}, {"schema": "report/1"}])
def test_what_is_no_proof_is_refused_by_name(document):
    with pytest.raises(Problem) as refused:
        load_proof(document, "mine.json")
    assert (refused.value.exit_code, refused.value.text.params["file"]) == (ExitCode.BAD_INPUT, "mine.json")


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(proof_document(good()))),
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=3), st.dictionaries(st.text(), st.text())),
)
def test_a_bent_document_is_refused_or_read_never_a_crash(key, nonsense):
    with contextlib.suppress(Problem):
        load_proof({**proof_document(good()), key: nonsense}, "x.json")


def test_the_kept_results_of_a_real_card_can_be_read():
    for path in (Path(__file__).parents[2] / "docs" / "benchmarks").glob("*.json"):
        proof = load_proof(json.loads(path.read_text(encoding="utf-8")), path.name)
        assert proof.device
