"""Two reports side by side."""

from dataclasses import replace

import pytest

from app.model.facts import Driver, Gpu
from app.model.proof import ProofVerdict
from app.report.compare import compare, comparison_document, comparison_markdown
from app.texts import LANGUAGES, words
from tests.report import samples


def test_a_report_differs_in_nothing_from_itself() -> None:
    for report in (samples.failed_report(), samples.good_report(), samples.facts_report()):
        assert compare(report, report) == ()


def test_what_matters_comes_first() -> None:
    first = samples.facts_report()
    facts = first.facts
    python = facts.pythons[0]
    second = replace(
        first,
        facts=replace(
            facts,
            driver=Driver("537.42", "12.2", None),
            gpus=(Gpu("nvidia", "NVIDIA GeForce RTX 3060", 0, "8.6", 12_878_610_432, "WDDM", "ok", True),),
            cpu=replace(facts.cpu, name="another"),
            os=replace(facts.os, locale="de-DE", user_profile="C:\\Users\\USER-9"),
            pythons=(replace(python, packages={**python.packages, "torch": "2.7.1+cu126", "einops": "0.9", "triton-windows": "3.3.1"}),),
        ),
    )
    found = compare(first, second)
    matters = {difference.where for difference in found if difference.matters}
    assert matters == {"driver.version", "driver.cuda", "gpus[0].name", "gpus[0].compute_capability", "python.packages.torch", "python.packages.triton-windows"}
    assert {difference.where for difference in found if not difference.matters} == {"cpu.name", "os.locale", "python.packages.einops"}
    assert [difference.matters for difference in found] == sorted((difference.matters for difference in found), reverse=True)
    torch = next(difference for difference in found if difference.where == "python.packages.torch")
    assert (torch.before, torch.after, torch.area) == ("2.8.0+cu128", "2.7.1+cu126", "packages")
    new = next(difference for difference in found if difference.where == "python.packages.triton-windows")
    assert (new.before, new.after) == ("", "3.3.1")


def test_the_ending_the_cause_and_the_proof_are_compared() -> None:
    found = {
        difference.where: (difference.before, difference.after) for difference in compare(samples.failed_report(), samples.good_report()) if difference.matters
    }
    assert found["run.outcome"] == ("failed", "done")
    assert found["run.failed_step"] == ("test", "")
    assert found["diagnosis"] == ("vc-runtime-stale", "")
    assert found["proof.verdict"] == ("", "fast")
    assert found["findings.vc-runtime-stale"] == ("warning", "")


def test_a_kernel_that_became_slower_is_named_and_one_that_did_not_is_not() -> None:
    first = samples.good_report()
    assert first.proof is not None
    slower = tuple(replace(b, value=b.value * (0.5 if b.kernel == "softmax" and b.implementation == "triton" else 0.95)) for b in first.proof.benchmarks)
    second = replace(first, proof=replace(first.proof, benchmarks=slower, verdict=ProofVerdict.SLOW))
    assert {difference.where for difference in compare(first, second)} == {"proof.verdict", "proof.benchmarks.softmax/triton/8192x4096/float32"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_difference_is_a_sentence(language: str) -> None:
    for difference in compare(samples.failed_report(), samples.good_report()):
        said = words(difference.text, language)
        assert "{" not in said
        assert "@" not in said
    document = comparison_document(samples.failed_report(), samples.good_report(), language)
    assert document["schema"] == "comparison/1"
    assert all(difference["text"] for difference in document["differences"])
    summary = comparison_markdown(samples.failed_report(), samples.good_report(), language)
    assert "`run.outcome`" in summary


def test_values_of_a_report_are_never_markup() -> None:
    first = samples.facts_report()
    second = replace(first, facts=replace(first.facts, vc_runtime="<b>`x`</b> | @everyone"))
    summary = comparison_markdown(first, second, "en")
    outside = "".join(part for index, part in enumerate(summary.split("``")) if index % 2 == 0)
    assert "<b>" not in outside
