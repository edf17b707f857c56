"""ComfyUI's start file, run by cmd: it starts the app with its options, and with the counter between them when asked to count."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.model.plan import Goal
from tests.planning.build import machine, plan, portable

pytestmark = pytest.mark.windows
MAIN = "import json, sys\nfrom sageattention import sageattn\nsageattn(1, 2, 3)\nprint(json.dumps(sys.argv[1:]))\n"


@pytest.fixture
def start_file(tmp_path: Path) -> Path:
    """The files of a plan for the portable, laid out in a folder with this very Python."""
    made = plan(machine(portable()), Goal.COMFYUI)
    folder = tmp_path / "a & b"
    (folder / "ComfyUI").mkdir(parents=True)
    (folder / "ComfyUI" / "main.py").write_text(MAIN, encoding="utf-8")
    (folder / "ComfyUI" / "sageattention.py").write_text("def sageattn(q, k, v):\n    return q\n", encoding="utf-8")
    for step in [step for step in made.steps if step.kind == "write-launcher"]:
        content = str(step.arguments["content"]).replace("python_embeded\\python.exe", sys.executable)
        (folder / str(step.arguments["path"]).rpartition("\\")[2]).write_bytes(content.encode("ascii"))
    return folder / "run_nvidia_gpu_sage.bat"


def run(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = ["cmd.exe", "/d", "/c", file.name, *words]
    return subprocess.run(
        argv, cwd=file.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=120, check=False
    )


def options_in(said: str) -> list[str]:
    return list(json.loads(next(line for line in said.splitlines() if line.startswith("["))))


def test_the_app_gets_its_options_and_those_of_the_person(start_file: Path) -> None:
    done = run(start_file, "--port", "8199")
    assert options_in(done.stdout) == ["--windows-standalone-build", "--use-sage-attention", "--port", "8199"], done.stderr
    assert "sage_calls" not in done.stderr


def test_asked_to_count_it_counts(start_file: Path) -> None:
    done = run(start_file, "count", "--port", "8199")
    assert options_in(done.stdout) == ["--windows-standalone-build", "--use-sage-attention", "--port", "8199"], done.stderr
    assert '"sage_calls": 1' in done.stderr
