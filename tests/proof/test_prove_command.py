"""The command `prove` from end to end: metrics for a collector, an earlier proof to compare with, an app's log, single checks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[2]


@pytest.fixture
def prove(own_home: Path):
    def run(*arguments: object, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "app", "prove", "--python", python, *map(str, arguments)]
        return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)

    return run


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A proof of better times."""
    file = tmp_path / "earlier.json"
    checks = [{"code": code, "outcome": "passed", "detail": ""} for code in ("import-torch", "import-triton")]
    file.write_text(json.dumps({"schema": "proof/1", "level": "import", "verdict": "works", "checks": checks, "benchmarks": []}), encoding="utf-8")
    return file


def metric(file: Path, name: str, **labels: str) -> float | None:
    families = text_string_to_metric_families(file.read_text(encoding="utf-8"))
    return next((sample.value for family in families for sample in family.samples if sample.name == name and labels.items() <= sample.labels.items()), None)


def test_metrics_and_what_got_worse_in_one_go(prove, earlier: Path, tmp_path: Path):
    metrics = tmp_path / "textfiles" / "triton.prom"
    done = prove("--level", "import", "--json", "--prometheus", metrics, "--against", earlier)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert (document["schema"], document["verdict"]) == ("proof/1", "fails")
    assert any("PyTorch loads" in line for line in document["worse"])
    assert metric(metrics, "triton_setup_proof_verdict", verdict="fails") == 1
    assert metric(metrics, "triton_setup_check_passed", check="import-torch") == 0
    assert metric(metrics, "triton_setup_last_good_proof_timestamp_seconds") is None
    assert list(metrics.parent.iterdir()) == [metrics], "nothing half written is left where a collector looks"


def test_the_same_as_before_is_not_worse(prove, tmp_path: Path):
    file = tmp_path / "first.json"
    file.write_text(prove("--level", "import", "--json").stdout, encoding="utf-8")
    assert json.loads(prove("--level", "import", "--json", "--against", file).stdout)["worse"] == []
    assert "Nothing got worse." in prove("--level", "import", "--against", file).stdout


def test_a_log_of_comfyui_becomes_a_check(prove, tmp_path: Path):
    log = tmp_path / "comfyui.log"
    log.write_text('Using sage attention\n{"sage_calls": 64, "masked_calls": 0, "torch_calls": 3, "torch_masked_calls": 3}\n', encoding="utf-8")
    document = json.loads(prove("--level", "import", "--json", "--comfyui-log", log).stdout)
    check = document["checks"][-1]
    assert (check["code"], check["outcome"], check["detail"]) == ("sage-used", "passed", "SageAttention is in use: 64 calls, no error.")
    assert check["numbers"]["torch_calls"] == 3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--against", "{folder}/gone.json"], "gone.json"),
        (["--against", "{folder}/other.json"], "other.json"),
        (["--comfyui-log", "{folder}/gone.log"], "gone.log"),
        (["--check", "softmax,quantum"], "quantum"),
        (["--check", ","], "softmax"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_measured(prove, tmp_path: Path, arguments: list[str], named: str):
    (tmp_path / "other.json").write_text('{"schema": "plan/1"}', encoding="utf-8")
    done = prove(*(argument.format(folder=tmp_path) for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_metrics_that_cannot_be_written_do_not_cost_the_proof(prove, tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = prove("--level", "import", "--json", "--prometheus", tmp_path / "file" / "x.prom")
    assert done.returncode == 2
    assert json.loads(done.stdout)["verdict"] == "fails"


@pytest.mark.network
@pytest.mark.slow
def test_single_checks_and_any_kind_of_card(prove, torch_python: str):
    done = prove("--json", "--check", "softmax,compiles-sm120", python=torch_python)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = {check["code"]: check["outcome"] for check in json.loads(done.stdout)["checks"]}
    assert outcomes.keys() == {"import-torch", "import-triton", "torch-sees-gpu", "softmax", "compiles-sm120"}
    assert outcomes["compiles-sm120"] == outcomes["softmax"] == "passed"


@pytest.mark.parametrize("level", ["import", "kernel"])
def test_what_is_not_installed_is_one_line_each_and_no_traceback(prove, tmp_path: Path, level: str):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    done = prove("--level", level, python=str(next(path for path in (bare / "bin" / "python", bare / "Scripts" / "python.exe") if path.exists())))
    assert done.returncode == 1
    assert "torch is not installed in this Python." in done.stdout
    assert "triton is not installed in this Python." in done.stdout
    assert "Make a plan for this Python." in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_file_that_is_no_program_is_bad_input_in_one_line(prove, tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("x", encoding="utf-8")
    done = prove("--level", "import", python=str(file))
    assert done.returncode == 2
    assert "cannot be run" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
