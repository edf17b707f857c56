"""Writes the recordings: python -m tests.machines [FOLDER with facts documents].

Machines of `listed*.py` always; those of a folder with facts documents (`machine/1`) where one is given.
"""

import json
import sys
from pathlib import Path
from typing import Any

from app.host.recording import Recording
from app.model import codec
from tests.machines.from_facts import NOT_READ, lay_out
from tests.machines.listed import MACHINES

RECORDINGS = Path(__file__).resolve().parent / "recordings"


def document_of(why: str, recording: Recording, expect: dict[str, Any], gaps: list[list[str]], unknown: list[str]) -> dict[str, Any]:
    """What a file of `recordings/` holds."""
    return {"why": why, "expect": expect, "gaps": gaps, "unknown": unknown, "recording": compact(codec.dump(recording))}


def compact(document: Any) -> Any:
    """Without fields that hold their default, which loading gives back."""
    if isinstance(document, list):
        return [compact(item) for item in document]
    if isinstance(document, dict):
        kept = {name: compact(value) for name, value in document.items()}
        return {name: value for name, value in kept.items() if not (name in ("environment", "texts", "numbers", "lists", "binary", "found") and value == {})}
    return document


def expected_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The part of a facts document that a scan without network and without starting a Python finds."""
    expect = {name: facts[name] for name in ("os", "cpu", "memory", "disks", "driver", "toolkits", "compilers", "vc_runtime", "tools", "wsl") if name in facts}
    expect["network"] = {"proxy": facts["network"]["proxy"], "index_url": facts["network"]["index_url"]}
    expect["gpus"] = sorted((dict(gpu) for gpu in facts.get("gpus", ())), key=lambda gpu: gpu["vendor"] != "nvidia")
    for index, gpu in enumerate(expect["gpus"]):
        # The index is NVML's own, which counts NVIDIA's only.
        gpu["index"] = index
        if gpu["vendor"] != "nvidia":
            gpu.pop("index", None)
            if gpu.get("memory_bytes") is None:
                gpu.pop("memory_bytes", None)
        elif facts.get("driver") is None:
            # Without its driver a card tells its number on the bus, no more.
            for name in ("name", "index", "compute_capability", "memory_bytes", "driver_model"):
                gpu.pop(name, None)
    if "gpus" not in facts:
        del expect["gpus"]
    expect["pythons"] = []
    for python in facts["pythons"]:
        kept = {name: value for name, value in python.items() if name not in NOT_READ}
        if "packages" not in python:
            kept.pop("has_pip", None)
        if "torch" not in python.get("packages", {}):
            kept.pop("torch_arch_list", None)
        elif python["packages"]["torch"].endswith("+cpu"):
            kept["torch_arch_list"] = []
        elif not python["torch_arch_list"]:
            kept.pop("torch_arch_list")
        if kept["kind"] == "venv":
            kept.pop("arch", None)
        expect["pythons"].append(kept)
    return expect


def write(name: str, document: dict[str, Any]) -> None:
    RECORDINGS.mkdir(exist_ok=True)
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    (RECORDINGS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    for machine in MACHINES:
        write(machine.name, document_of(machine.why, machine.layout.recording(), machine.expect, machine.gaps, machine.unknown))
    for folder in sys.argv[1:]:
        for file in sorted(Path(folder).glob("*.json")):
            facts = json.loads(file.read_text(encoding="utf-8"))
            if facts.get("os", {}).get("family") == "windows":
                write(file.stem, document_of("a machine laid out from its facts", lay_out(facts).recording(), expected_of(facts), [], []))


if __name__ == "__main__":
    main()
