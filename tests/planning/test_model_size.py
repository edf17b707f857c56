"""The settings of a vLLM server follow the card's memory and the size that a model's name states."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.plan import Goal, RouteKind, Verdict
from app.model.unknown import UNKNOWN
from app.planning.model_size import size_server, weights_of
from tests.planning.build import TABLES, codes, gpu, machine, plan, wsl

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("model", "gigabytes"),
    [
        ("Qwen/Qwen3-8B", 16),
        ("Qwen/Qwen3-0.6B", 1.2),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", 7 * 4.5 / 8),
        ("someone/Model-70b-FP8", 70),
        ("mistralai/Mixtral-8x7B-v0.1", 112),
        ("Qwen/Qwen3-30B-A3B", 60),
        ("facebook/opt-125m", 0.25),
        ("openai/gpt-oss-20b", 20 * 4.5 / 8),
        ("D:\\models\\Llama-3.2-3B", 6),
        ("/root/models/Llama-3.2-3B/", 6),
        ("google/gemma-3n-E4B-it", None),
        ("microsoft/phi-2", None),
        ("7B-folder/unnamed", None),
    ],
)
def test_the_name_states_the_size_or_nothing_is_claimed(model: str, gigabytes: float | None) -> None:
    assert weights_of(TABLES, model) == (None if gigabytes is None else int(gigabytes * GB))


@pytest.mark.parametrize(
    ("card", "model", "too_large"),
    [(24, "m-7B", False), (24, "m-14B", True), (24, "m-14B-AWQ", False), (8, "m-4B", True), (8, "m-1.7B", False), (80, "m-32B", False), (8, "phi", False)],
)
def test_what_is_known_not_to_fit_is_told_before_anything_is_fetched(card: int, model: str, too_large: bool) -> None:
    facts = machine(wsl=wsl(), gpus=(gpu(memory_bytes=card * GB),))
    for route in (RouteKind.WSL2, RouteKind.NATIVE):
        made = plan(facts, Goal.VLLM, model=model, route=route)
        blocked = [one for one in made.findings if one.text.code == "finding.vllm-memory.too-large"]
        assert bool(blocked) is too_large
        assert sum(one.code == "vllm-memory" for one in made.findings) <= 1, "said once"
        assert (made.verdict is Verdict.NEEDS_ACTION) is too_large


@pytest.mark.parametrize(("model", "waits"), [("m-1B", True), ("phi", False)])
def test_what_is_not_known_makes_no_plan_bolder(model: str, waits: bool) -> None:
    made = plan(machine(wsl=wsl(), gpus=(gpu(memory_bytes=UNKNOWN),)), Goal.VLLM, model=model, route=RouteKind.WSL2)
    assert (made.verdict is Verdict.NEEDS_ACTION) is waits
    assert ("finding.vllm-memory.unknown" in {one.text.code for one in made.findings}) is waits


def test_a_small_card_gets_careful_settings_and_a_large_one_more() -> None:
    small, large = (size_server(TABLES, "m-1B", size * GB) for size in (8, 80))
    assert (small.graphs, large.graphs) == (False, True)
    assert small.sequences < large.sequences
    assert size_server(TABLES, "m-1B", None) == size_server(TABLES, "m-1B", 0)
    made = plan(machine(wsl=wsl(), gpus=(gpu(memory_bytes=8 * GB),)), Goal.VLLM, model="m-1B")
    argv = made.steps[-1].argv
    assert "--enforce-eager" in argv
    assert argv[argv.index("--max-model-len") + 1] == "auto"
    assert "vllm-memory" in codes(made), "that only small models fit is still said"


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 200 * GB), st.integers(0, 50 * GB), st.text(max_size=30))
def test_more_memory_never_means_less(memory: int, more: int, model: str) -> None:
    less, greater = size_server(TABLES, model, memory), size_server(TABLES, model, memory + more)
    assert less.sequences <= greater.sequences
    assert not (greater.is_too_large and not less.is_too_large)
    assert 0.5 < float(less.share) < 0.95
