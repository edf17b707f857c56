"""Upstream vLLM judges our arguments: by its own parser on request, and by the options that parser told (`upstream_options.json`) always.

The parser needs most of vLLM's requirements and torch, minutes to fetch. `python -m pytest -m long tests/running/vllm` runs it and
checks the file; set TRITON_SETUP_TORCH_PYTHON to a Python with torch. TRITON_SETUP_REWRITE=1 writes the file anew.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import uv

from app.model.plan import Goal, Plan, RouteKind, Step
from app.running.vllm.serving import server_command
from app.running.vllm.settings import ServerSettings, serve_arguments, settings_of
from tests.planning.build import TABLES, gpu, machine, plan, wsl

HERE = Path(__file__).parent
OPTIONS = HERE / "upstream_options.json"
GB = 1_000_000_000
NEVER = ("--swap-space", "--workers")
"""Options that older guides name and vLLM no longer has."""


def plans() -> list[Plan]:
    """Plans on cards of every size, for both builds."""
    return [
        plan(machine(wsl=wsl(), gpus=(gpu(memory_bytes=size * GB),)), Goal.VLLM, model="Qwen/Qwen3-1.7B", route=route)
        for size in (8, 12, 16, 24, 80)
        for route in (RouteKind.WSL2, RouteKind.NATIVE)
    ]


def start_of(made: Plan) -> Step:
    return next(step for step in made.steps if step.kind == "vllm-start")


def command_lines() -> list[list[str]]:
    """What follows `serve` in all of them, and with a length of the person's own."""
    settings = [settings_of(start_of(made)) for made in plans()] + [ServerSettings("python", "", "m", 8001, "0.5", 1, 4096, True)]
    return [list(serve_arguments(one)[3:]) for one in settings]


def test_a_shown_command_is_the_one_that_runs() -> None:
    for made in plans():
        step = start_of(made)
        assert step.argv == server_command(settings_of(step), "wsl.exe")


def test_every_option_is_one_that_upstream_has() -> None:
    told: dict[str, Any] = json.loads(OPTIONS.read_text(encoding="utf-8"))
    assert told["version"] == TABLES.vllm_linux.version, "run the long test with TRITON_SETUP_REWRITE=1 for this version"
    for line in command_lines():
        model, *rest = line
        assert not model.startswith("-")
        while rest:
            option = told["options"][rest.pop(0)]
            assert option is not None
            if option["takes_value"]:
                assert not rest.pop(0).startswith("--")
    assert all(told["options"][option] is None for option in NEVER)


@pytest.mark.network
@pytest.mark.slow
def test_what_a_plan_pins_for_linux_can_be_installed_together() -> None:
    official = plan(machine(wsl=wsl()), Goal.VLLM, route=RouteKind.WSL2)
    pins = "\n".join(f"{name}=={version}" for name, version in official.packages.items())
    argv = [uv.find_uv_bin(), "--no-config", "pip", "compile", "--quiet", "--no-header", "--no-python-downloads", "--only-binary", "vllm"]
    argv += ["--python", sys.executable, "--python-platform", "x86_64-manylinux_2_28", "--python-version", TABLES.wsl.python, "-"]
    done = subprocess.run(argv, input=pins, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    for pin in pins.splitlines():
        assert pin in done.stdout.splitlines()


@pytest.mark.network
@pytest.mark.long
@pytest.mark.timeout(1500)
def test_upstreams_own_parser_takes_our_arguments(tmp_path: Path) -> None:
    python = parser_python(tmp_path, TABLES.vllm_linux.version)
    lines, options = command_lines(), sorted({word for line in command_lines() for word in line if word.startswith("--")} | set(NEVER))
    argv = [python, HERE / "upstream_parser.py", json.dumps(lines), json.dumps(options)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    for line, parsed in zip(lines, answer["parsed"], strict=True):
        assert (parsed["model_tag"], parsed["host"]) == (line[0], "127.0.0.1")
        assert parsed["max_model_len"] == (-1 if "auto" in line else 4096)
        assert parsed["enforce_eager"] is ("--enforce-eager" in line)
        assert str(parsed["max_num_seqs"]) == line[line.index("--max-num-seqs") + 1]
        assert parsed["gpu_memory_utilization"] == float(line[line.index("--gpu-memory-utilization") + 1])
    told = json.dumps({"version": TABLES.vllm_linux.version, "options": answer["options"]}, indent=1) + "\n"
    if os.environ.get("TRITON_SETUP_REWRITE"):
        OPTIONS.write_text(told, encoding="utf-8")
    assert OPTIONS.read_text(encoding="utf-8") == told


def parser_python(folder: Path, version: str) -> Path:
    """A throwaway venv with vLLM's wheel and what its parser imports; torch comes from the Python named for it, else from the index."""
    venv = folder / "venv"
    python = venv / "bin" / "python"
    tool = [uv.find_uv_bin(), "--no-config"]
    donor = os.environ.get("TRITON_SETUP_TORCH_PYTHON")
    subprocess.run([*tool, "venv", "--quiet", "--python", donor or sys.executable, str(venv)], check=True)
    site = next((venv / "lib").glob("python3*")) / "site-packages"
    install = [*tool, "pip", "install", "--quiet", "--python", str(python)]
    if donor:
        where = subprocess.run([donor, "-c", "import torch; print(torch.__path__[0])"], capture_output=True, text=True, check=True).stdout.strip()
        (site / "torch.pth").write_text(str(Path(where).parent), encoding="utf-8")
    else:
        subprocess.run([python, "-m", "ensurepip", "-q"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"torch=={TABLES.without_gpu.torch}", "numpy"], check=True)
    subprocess.run([*install, "-r", str(HERE / "upstream_needs.txt")], check=True)
    subprocess.run([*install, "--no-deps", "xgrammar", f"vllm=={version}"], check=True)
    return python
