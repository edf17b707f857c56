"""What a text and the machine say about each other: versions read from the text, and signs that decide between causes."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from app.diagnosis.logs.machine import is_of_another, machine_signs
from app.diagnosis.logs.matching import Text
from app.diagnosis.logs.signatures import pattern
from app.model.facts import MachineFacts, Python
from app.model.text import Param
from app.model.unknown import UNKNOWN, known
from app.resources import assets

Context = Mapping[str, Param | tuple[str, ...]]

_WHEEL: Final = re.compile(
    r"(?P<name>sageattention|flash[_-]attn|xformers|spas_sage_attn|sageattn3|nunchaku|torchaudio|torchvision)-[\d.]{1,12}(?:\.post\d{1,3})?"
    r"(?:\+|%2B)(?:cu(?P<cuda>\d{3}))?\.?(?:torch|pt)?(?P<torch>\d\.\d{1,2})?",
    re.IGNORECASE,
)
REACH: Final = 400
_BLACKWELL: Final = re.compile(r"RTX ?50[5-9]0|RTX PRO [1-6]\d00|Blackwell|\bsm_?1[0-2]\d\b", re.IGNORECASE)


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads((assets() / "tables" / "log_context.toml").read_text(encoding="utf-8"))


def read_context(text: Text) -> dict[str, Param | tuple[str, ...]]:
    """Versions and machine facts that stand in the text, by name, and which program printed it."""
    context: dict[str, Param | tuple[str, ...]] = {}
    for name, row in _table()["values"].items():
        keys = tuple(row["key"])
        if any(text.has(key) for key in keys):
            found = (pattern(row["match"]).search(text.text, start, end) for start, end in text.parts(keys, REACH))
            match = next(filter(None, found), None)
            if match:
                context[name] = match[1].strip().replace("\n", " ")
    for program, words in _table()["programs"].items():
        if any(text.has(word) for word in words):
            context["program"] = program
            break
    return context


def signs(text: Text, context: Context, facts: MachineFacts | None) -> dict[str, bool]:
    """Signs for the conditions of signatures: comparisons that no expression can make, and machine facts."""
    found = {
        "wheel-differs": _wheel_differs(text, context),
        "package-too-old-for-card": _too_old_for_card(context) and bool(_BLACKWELL.search(text.text)),
    }
    if facts is not None and not is_of_another(facts, text.text, context):
        found |= _fact_signs(facts, text)
    return found


def _numbers(version: object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", str(version).partition("+")[0])[:2])


def _wheel_differs(text: Text, context: Context) -> bool:
    """Whether a compiled wheel names another torch or CUDA major than the torch that runs."""
    if "+cu" not in text.flat and "%2bcu" not in text.flat:
        return False
    torch, cuda = context.get("torch"), context.get("torch_cuda")
    places = text.parts(("+cu", "%2bcu"), REACH)
    for match in (match for start, end in places for match in _WHEEL.finditer(text.text, start, end)):
        if match["torch"] and torch and _numbers(match["torch"]) != _numbers(torch):
            return True
        if match["cuda"] and cuda and match["cuda"][:2] != str(cuda)[:2]:
            return True
    return False


def _too_old_for_card(context: Context) -> bool:
    limits = _table()["card"]
    torch, cuda, triton = context.get("torch"), context.get("torch_cuda"), context.get("triton")
    return bool(
        (torch and _numbers(torch) < _numbers(limits["torch"]))
        or (cuda and int(str(cuda)) < limits["torch_cuda"])
        or (triton and _numbers(triton) < _numbers(limits["triton"]))
    )


def _fact_signs(facts: MachineFacts, text: Text) -> dict[str, bool]:
    python = _python_of(facts, text)
    runtime = facts.vc_runtime
    needed = _numbers(_table()["runtime"]["vc"])
    names = [gpu.vendor for gpu in facts.gpus] if facts.gpus is not UNKNOWN else None
    found = {
        "facts-no-nvidia": names is not None and "nvidia" not in names,
        "facts-driver-missing": facts.driver is None and names is not None and "nvidia" in names,
        "facts-runtime-missing": runtime is None,
        "facts-runtime-old": isinstance(runtime, str) and _numbers(runtime) < needed,
        "facts-runtime-right": isinstance(runtime, str) and _numbers(runtime) >= needed,
        "facts-long-paths-off": facts.os.long_paths is False,
        "facts-app-control": facts.os.app_control == "enforced",
    }
    found |= _card_signs(facts)
    found |= machine_signs(facts, _named_python(facts, text))
    if python is not None:
        found |= _python_signs(python, facts, needed)
    return found


def _card_signs(facts: MachineFacts) -> dict[str, bool]:
    capabilities = [_numbers(gpu.compute_capability) for gpu in known(facts.gpus, ()) if isinstance(gpu.compute_capability, str)]
    return {
        "card-new": any(capability >= (10, 0) for capability in capabilities),
        "card-old": any(capability < (7, 5) for capability in capabilities),
    }


def _python_signs(python: Python, facts: MachineFacts, needed: tuple[int, ...]) -> dict[str, bool]:
    beside = python.bundled_vc_runtime
    found = {
        "facts-no-headers": python.has_headers is False,
        "facts-runtime-beside-old": isinstance(beside, str) and _numbers(beside) < needed,
    }
    if python.packages is not UNKNOWN:
        packages = python.packages
        others = [other.packages for other in known(facts.pythons, ()) if other is not python and other.packages is not UNKNOWN]
        found |= {
            "facts-torch-cpu": packages.get("torch", "").endswith("+cpu"),
            "facts-sage-installed": "sageattention" in packages,
            "facts-triton-absent": "triton-windows" not in packages and "triton" not in packages,
            "facts-package-elsewhere": any(
                name in other and name not in packages for other in others for name in ("triton-windows", "triton", "sageattention")
            ),
        }
    return found


def _python_of(facts: MachineFacts, text: Text) -> Python | None:
    """The Python of the machine whose folder the text names; the only one if there is but one."""
    pythons = known(facts.pythons, ())
    return _named_python(facts, text) or (pythons[0] if len(pythons) == 1 else None)


def _named_python(facts: MachineFacts, text: Text) -> Python | None:
    """The Python of the machine whose folder the text names."""
    lowered = text.text.lower().replace("\\\\", "\\").replace("/", "\\")
    named = [python for python in known(facts.pythons, ()) if any(folder in lowered for folder in _folders(python))]
    return max(named, key=lambda python: len(python.executable), default=None)


def _folders(python: Python) -> Iterator[str]:
    folder = python.executable.lower().replace("/", "\\").rpartition("\\")[0].removesuffix("\\scripts").removesuffix("\\bin")
    if folder.count("\\") > 1:
        yield folder + "\\"
