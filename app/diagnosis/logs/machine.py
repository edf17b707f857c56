"""What is known of the machine changes what a text can mean: facts as signs, and the rules that weigh causes by them.

`assets/tables/log_machine.toml` has the rules. A sign is set only where the fact is known, and of several Pythons only where it
holds for the one that the text names, or for all of them.
"""

import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.diagnosis.facts import cards
from app.model.facts import MachineFacts, Python
from app.model.findings import Severity
from app.model.text import Param
from app.model.unknown import UNKNOWN, known
from app.resources import assets
from app.tables import load_tables
from app.tables.machine import capability, driver_version, installed_torch, is_windows, nvidia_gpus, own_pythons, torch_has_cuda

TRITON: Final = ("triton", "triton-windows")
_LEAST: Final = 0.51
_NEW_CARD: Final = (10, 0)
_DRIVE: Final = re.compile(r"(?<![A-Za-z])[A-Z]:\\[\w ]")
_MODEL: Final = re.compile(r"\d{3,4}")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table; its head says what the columns mean."""

    when: tuple[str, ...]
    causes: frozenset[str]
    keeps: float
    without: tuple[str, ...]
    least: float
    instead: Mapping[str, float]

    def holds(self, found: Container[str]) -> bool:
        return all(sign in found for sign in self.when) and not any(sign in found for sign in self.without)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order in which they are applied."""
    table = tomllib.loads((assets() / "tables" / "log_machine.toml").read_text(encoding="utf-8"))
    return tuple(
        Rule(
            when=tuple(row["when"]),
            causes=frozenset(row["causes"]),
            keeps=row["keeps"],
            without=tuple(row.get("without", ())),
            least=row.get("least", _LEAST),
            instead=row.get("instead", {}),
        )
        for row in table.values()
    )


def weigh(scores: Mapping[str, float], found: Container[str]) -> tuple[dict[str, float], dict[str, str]]:
    """The scores of causes after what is known of the machine, and for each cause put in place of another the one whose lines prove it."""
    weighed, proofs = dict(scores), dict[str, str]()
    for rule in rules():
        met = [code for code in weighed if code in rule.causes]
        if not met or not rule.holds(found):
            continue
        best = max(met, key=lambda code: weighed[code])
        if weighed[best] >= rule.least:
            for code, score in rule.instead.items():
                weighed[code] = max(weighed.get(code, 0.0), score)
                proofs.setdefault(code, proofs.get(best, best))
        for code in met:
            weighed[code] *= rule.keeps
    return weighed, proofs


def is_of_another(facts: MachineFacts, text: str, context: Mapping[str, Param | tuple[str, ...]]) -> bool:
    """Whether a text shows that it is of another machine: a card that is not there, or drive letters on Linux."""
    if facts.os.family == "linux" and _DRIVE.search(text):
        return True
    model = _MODEL.search(str(context.get("gpu", "")))
    return bool(model and facts.gpus is not UNKNOWN and not any(model[0] in gpu.name for gpu in facts.gpus))


def machine_signs(facts: MachineFacts, named: Python | None) -> dict[str, bool]:
    """Signs for the rules. `named` is the Python that the text names."""
    pythons = (named,) if named is not None else tuple(python for _, python in own_pythons(facts) if python.kind != "store-alias")
    return {"facts-linux": facts.os.family == "linux", **_card_signs(facts), **_driver_signs(facts, pythons), **_python_signs(facts, pythons, named)}


def _card_signs(facts: MachineFacts) -> dict[str, bool]:
    vendors = {gpu.vendor for gpu in facts.gpus} if facts.gpus is not UNKNOWN else None
    capabilities = [known(capability(gpu), None) for _, gpu in nvidia_gpus(facts)]
    stops = {finding.code for finding in cards.find(facts, load_tables()) if finding.severity is Severity.BLOCKER}
    return {
        "facts-nvidia": vendors is not None and "nvidia" in vendors,
        "facts-amd": vendors is not None and "amd" in vendors and "nvidia" not in vendors,
        "facts-no-amd": vendors is not None and "amd" not in vendors,
        "facts-no-new-card": bool(capabilities) and all(found is not None and found < _NEW_CARD for found in capabilities),
        "facts-card-too-old": "gpu-too-old" in stops,
        "facts-plan-stops": not stops.isdisjoint({"amd-gpu", "no-nvidia-gpu", "gpu-too-old"}),
    }


def _driver_signs(facts: MachineFacts, pythons: tuple[Python, ...]) -> dict[str, bool]:
    driver = known(facts.driver, None)
    cuda = known(driver.cuda, None) if driver else None
    majors = [torch.cuda_major for python in pythons if (torch := known(installed_torch(python), None)) and torch.cuda_major]
    return {
        "facts-driver-there": isinstance(driver_version(facts), str) and driver is not None and driver.problem is None and bool(nvidia_gpus(facts)),
        "facts-driver-behind": bool(majors and cuda) and all(major > int(str(cuda).partition(".")[0]) for major in majors),
    }


def _python_signs(facts: MachineFacts, pythons: tuple[Python, ...], named: Python | None) -> dict[str, bool]:
    listed = [python.packages for python in pythons if python.packages is not UNKNOWN]
    all_listed = bool(pythons) and len(listed) == len(pythons)
    torches = [(python, torch) for python in pythons if (torch := known(installed_torch(python), None))]
    rows = load_tables().triton_windows
    served = {minor for row in rows for minor in row.pythons}
    return {
        "facts-python-named": named is not None,
        # A Python without torch has printed nothing about the build of its torch.
        "facts-torch-cuda": all_listed and bool(torches) and all(torch_has_cuda(facts, python, torch) is True for python, torch in torches),
        "facts-torch-listed": all_listed and all("torch" in packages for packages in listed),
        "facts-triton-listed": all_listed and all(any(name in packages for name in TRITON) for packages in listed),
        "facts-sage-listed": all_listed and all("sageattention" in packages for packages in listed),
        "facts-runtime-not-beside": bool(pythons) and all(python.bundled_vc_runtime is None for python in pythons),
        "facts-python-not-served": is_windows(facts) and bool(pythons) and not any(_minor(python) in served for python in pythons),
        "facts-python-32-bit": bool(pythons) and all(python.bits == 32 for python in pythons),
    }


def _minor(python: Python) -> str:
    return ".".join(python.version.split(".")[:2])
