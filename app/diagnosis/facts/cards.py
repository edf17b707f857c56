"""Findings about graphics cards and their driver."""

from collections.abc import Iterator

from app.diagnosis.facts.found import automatic, found, manual
from app.model.facts import MachineFacts
from app.model.findings import Finding, Severity
from app.model.unknown import UNKNOWN, known
from app.tables import Tables
from app.tables.fits import generation_of, oldest_capability
from app.tables.machine import capability, is_usable, is_windows, main_gpu, nvidia_gpus


def find(facts: MachineFacts, tables: Tables) -> Iterator[Finding]:
    """Cards first, then the driver, then settings that hide a card."""
    if facts.gpus is UNKNOWN:
        return
    card = main_gpu(facts)
    if card is None:
        yield from _no_card(facts)
        return
    place, gpu = card
    found_capability = known(capability(gpu), None)
    if found_capability and found_capability < oldest_capability(tables):
        oldest = ".".join(map(str, oldest_capability(tables)))
        yield found(
            "gpu-too-old",
            Severity.BLOCKER,
            f"gpus[{place}].compute_capability",
            remedy=manual("other-gpu"),
            gpu=gpu.name,
            capability=".".join(map(str, found_capability)),
            floor=oldest,
        )
    elif found_capability and generation_of(tables, found_capability) is None:
        yield found("gpu-too-new", Severity.WARNING, f"gpus[{place}].compute_capability", variant="not-known", gpu=gpu.name)
    yield from _mixed(facts)
    yield from _driver(facts, place, gpu.name)
    yield from _hidden(facts)


def _no_card(facts: MachineFacts) -> Iterator[Finding]:
    cards = known(facts.gpus, ())
    amd = next((place for place, gpu in enumerate(cards) if gpu.vendor == "amd"), None)
    severity = Severity.BLOCKER if is_windows(facts) else Severity.NOTE
    if amd is not None:
        yield found(
            "amd-gpu", Severity.BLOCKER if is_windows(facts) else Severity.WARNING, f"gpus[{amd}].vendor", remedy=manual("rocm-route"), gpu=cards[amd].name
        )
        return
    names = ", ".join(gpu.name for gpu in cards)
    variant = ("text" if names else "none") if is_windows(facts) else "linux"
    cure = manual("nvidia-gpu") if is_windows(facts) else automatic("interpreter", "interpreter")
    yield found("no-nvidia-gpu", severity, "gpus", variant=variant, remedy=cure, gpus=names)


def _mixed(facts: MachineFacts) -> Iterator[Finding]:
    cards = [(place, gpu, known_capability) for place, gpu in nvidia_gpus(facts) if is_usable(gpu) and (known_capability := known(capability(gpu), None))]
    main = main_gpu(facts)
    if main and len({one for _, _, one in cards}) > 1:
        others = ", ".join(gpu.name for place, gpu, _ in cards if place != main[0])
        evidence = [f"gpus[{place}].compute_capability" for place, _, _ in cards]
        yield found("gpu-mixed", Severity.WARNING, *evidence, remedy=manual("choose-gpu"), gpu=main[1].name, others=others)


def _driver(facts: MachineFacts, place: int, name: str) -> Iterator[Finding]:
    if facts.driver is UNKNOWN:
        return
    status = known(known(facts.gpus, ())[place].status, None)
    if facts.driver is None or (status and status.lower().startswith("no-driver")):
        yield found("driver-missing", Severity.BLOCKER, "driver", f"gpus[{place}]", remedy=manual("install-driver"), gpu=name)
    elif problem := known(facts.driver.problem, None):
        yield found("driver-broken", Severity.BLOCKER, "driver.problem", remedy=manual("reinstall-driver"), problem=problem)
    elif status and status.lower().startswith("error"):
        yield found("driver-broken", Severity.BLOCKER, f"gpus[{place}].status", remedy=manual("reinstall-driver"), problem=status)


def _hidden(facts: MachineFacts) -> Iterator[Finding]:
    for place, gpu in nvidia_gpus(facts):
        status = known(gpu.status, None)
        if status and status.lower().startswith("disabled"):
            main = main_gpu(facts)
            severity = Severity.BLOCKER if main and main[0] == place else Severity.WARNING
            yield found("gpu-hidden", severity, f"gpus[{place}].status", variant="disabled", remedy=manual("enable-gpu"), gpu=gpu.name)
    variables = known(facts.environment_variables, {})
    visible = variables.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and _hides_all(visible, len(nvidia_gpus(facts))):
        at = "environment_variables.CUDA_VISIBLE_DEVICES"
        yield found("gpu-hidden", Severity.WARNING, at, variant="variable", remedy=manual("clear-variable", "variable-remedy"), value=visible or '""')
    if variables.get("TRITON_INTERPRET", "").strip().lower() in {"1", "true", "on", "y", "yes"}:
        at = "environment_variables.TRITON_INTERPRET"
        yield found("gpu-hidden", Severity.WARNING, at, variant="interpreter", remedy=manual("clear-variable", "interpreter-remedy"))


def _hides_all(visible: str, cards: int) -> bool:
    """CUDA reads the list up to the first entry that is no card of this PC; entries by UUID are not judged."""
    first = visible.split(",", maxsplit=1)[0].strip()
    return first in {"", "NoDevFiles"} or (first.lstrip("-").isdigit() and not 0 <= int(first) < cards)
