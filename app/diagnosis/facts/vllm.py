"""Findings about vLLM, where it is wanted: the card's generation and its memory."""

from collections.abc import Iterator

from app.diagnosis.facts.found import found, manual
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.plan import Choice, Goal
from app.model.unknown import known
from app.tables import Tables
from app.tables.fits import oldest_capability
from app.tables.machine import capability, capability_of, main_gpu


def find(facts: MachineFacts, tables: Tables, choice: Choice) -> Iterator[Finding]:
    card = main_gpu(facts)
    if Goal.VLLM not in choice.goals or card is None:
        return
    place, gpu = card
    oldest = capability_of(tables.vllm_linux.gpu_oldest) or (0, 0)
    own = known(capability(gpu), None)
    if own and oldest_capability(tables) <= own < oldest:
        text = ".".join(map(str, own))
        yield found(
            "vllm-gpu-unsupported",
            Severity.BLOCKER,
            f"gpus[{place}].compute_capability",
            remedy=manual("other-gpu"),
            gpu=gpu.name,
            capability=text,
            floor=tables.vllm_linux.gpu_oldest,
        )
    memory = known(gpu.memory_bytes, None)
    if memory is not None and memory < tables.vllm_memory.small_bytes:
        yield found("vllm-memory", Severity.WARNING, f"gpus[{place}].memory_bytes", remedy=manual("small-model"), gpu=gpu.name, gigabytes=f"{memory / 1e9:.1f}")
