"""The payloads as files: old Pythons can read them, nothing foreign is imported, the counter counts."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PAYLOADS = Path(__file__).parents[2] / "assets" / "payloads"
OURS = sorted(path for path in PAYLOADS.glob("*.py") if path.name.startswith(("payload_", "proof_", "kernel_", "count_")))
ALLOWED = {"torch", "triton", "sageattention"} | {path.stem for path in OURS}


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_python_3_9_can_read_it(path: Path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_it_needs_the_standard_library_torch_and_triton_only(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.partition(".")[0]
            assert top in ALLOWED or top in sys.stdlib_module_names, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", [path for path in OURS if path.name.startswith("payload_")], ids=lambda path: path.name)
def test_a_payload_says_what_it_is_for(path: Path):
    assert (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").count(" ") >= 5


def test_no_payload_hides_a_module_of_the_standard_library():
    assert not {path.stem for path in PAYLOADS.glob("*.py")} & sys.stdlib_module_names


def test_numbers_that_json_lacks_travel_as_text():
    code = "import proof_events; proof_events.say('check', numbers={'a': float('nan'), 'b': [float('inf'), 1.5]})"
    done = subprocess.run([sys.executable, "-c", code], cwd=PAYLOADS, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"proof": "check", "numbers": {"a": "nan", "b": ["inf", 1.5]}}


def test_the_driver_is_asked_without_torch():
    done = subprocess.run([sys.executable, PAYLOADS / "payload_device.py"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    driver = next(line["numbers"] for line in lines if line["proof"] == "driver")
    assert (driver["devices"] > 0) == any(line["proof"] == "device" for line in lines)
    assert driver["devices"] or driver["message"]


def test_without_numpy_the_interpreter_is_left_out_and_nothing_else_is_imported():
    if importlib.util.find_spec("numpy") is not None:
        pytest.skip("this Python has numpy")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, PAYLOADS / "payload_again.py", "--checks", "compile-warm,attention"], env=environment, capture_output=True, text=True, check=True
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["check"], line["numbers"]["reason"]) for line in lines[:-1]] == [("compile-warm", "needs-numpy"), ("attention", "needs-numpy")]


FAKE_SAGE = """
def sageattn(q, k, v, tensor_layout="HND", is_causal=False, attn_mask=None):
    return q + k + v
def sageattn_varlen(q): return -q
__version__ = "2.2.0"
"""

COMFYUI = """
import inspect, sys, os
import neighbour
from sageattention import sageattn, sageattn_varlen
assert "attn_mask" in inspect.signature(sageattn).parameters
assert sys.argv[1:] == ["--use-sage-attention"] and os.path.basename(sys.argv[0]) == "main.py"
for _ in range(5): assert sageattn(1, 2, 3) == 6
assert sageattn(1, 2, 3, attn_mask=1) == 6 and sageattn_varlen(1) == -1
print("Using sage attention", file=sys.stderr)
"""


def test_calls_of_sageattention_are_counted_without_changing_anything(tmp_path: Path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sageattention.py").write_text(FAKE_SAGE)
    (tmp_path / "comfyui").mkdir()
    (tmp_path / "comfyui" / "neighbour.py").write_text("")
    (tmp_path / "comfyui" / "main.py").write_text(COMFYUI)
    done = subprocess.run(
        [sys.executable, PAYLOADS / "count_sage.py", tmp_path / "comfyui" / "main.py", "--use-sage-attention"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"sage_calls"')]
    assert [count["sage_calls"] for count in counts] == [1, 2, 4, 7]
    assert counts[-1] == {"sage_calls": 7, "masked_calls": 1, "torch_calls": 0, "torch_masked_calls": 0}


FAKE_TORCH = "def scaled_dot_product_attention(query, key, value, attn_mask=None, is_causal=False): return attn_mask"

FIRST_TO_IMPORT_TORCH = """
import sys
assert "torch" not in sys.modules, "ComfyUI warns of whoever imports torch before it, and sets variables that torch reads then"
assert sys.path[0].endswith("comfyui") and not any("payloads" in place for place in sys.path), sys.path
import torch.nn.functional as F
for _ in range(3): F.scaled_dot_product_attention(1, 2, 3, is_causal=True)
assert F.scaled_dot_product_attention(1, 2, 3, "mask") == "mask"
assert F.scaled_dot_product_attention(1, 2, 3, attn_mask="mask") == "mask"
"""


@pytest.mark.parametrize("options", [[], ["-I"]], ids=["as ever", "isolated, as an embedded Python is"])
def test_calls_of_torch_are_counted_and_comfyui_imports_it_first(tmp_path: Path, options: list[str]):
    package = tmp_path / "comfyui" / "torch" / "nn"
    package.mkdir(parents=True)
    for file, content in (("__init__.py", ""), ("nn/__init__.py", ""), ("nn/functional.py", FAKE_TORCH)):
        (package.parent / file).write_text(content)
    (tmp_path / "comfyui" / "main.py").write_text(FIRST_TO_IMPORT_TORCH)
    argv = [sys.executable, *options, PAYLOADS / "count_sage.py", tmp_path / "comfyui" / "main.py"]
    done = subprocess.run(argv, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stderr.splitlines()[-1]) == {"sage_calls": 0, "masked_calls": 0, "torch_calls": 5, "torch_masked_calls": 2}


def test_a_comfyui_without_sageattention_starts_as_ever(tmp_path: Path):
    (tmp_path / "main.py").write_text("import sys; print('started'); sys.exit(7)")
    done = subprocess.run([sys.executable, PAYLOADS / "count_sage.py", tmp_path / "main.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "started\n", "")
