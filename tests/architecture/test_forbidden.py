"""What the product never does, looked for in its source; and what its files never name."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "wizard_pages").rglob("*.py"), *(ROOT / "assets" / "payloads").rglob("*.py")])
READS_ONLY = ("app/diagnosis/", "app/probes/", "app/report/")
"""Packages that may speak of an act, because they recognise it in a log; they start nothing."""

GUARDED = {("app/running/wsl/own.py", "--unregister")}
"""Not reachable from any plan or undo: a command for a distro that this program made, after its name was typed."""

ACTS = (
    "--unregister",
    "--gpu-reset",
    "Add-MpPreference",
    "Set-MpPreference",
    "0.0.0.0",
    "--trusted-host",
    "--allow-insecure-host",
    "verify=False",
    "CERT_NONE",
)
# Put together here, so that this file does not name them itself.
OTHERS = tuple("/".join(("", *parts)) for parts in (("work", "main"), ("work", "shared"), ("tmp", "brief"), ("root", ".pyenv"), ("opt", "wheels")))
INDEX_HOSTS = tuple(".".join(parts) for parts in (("pypi", "org"), ("files", "pythonhosted", "org"), ("deb", "debian", "org"), ("registry", "npmjs", "org")))


def literals(source: Path) -> Iterator[tuple[int, str]]:
    """Texts that the program uses, docstrings left out."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def test_no_forbidden_act() -> None:
    acting = [source for source in SOURCES if not source.relative_to(ROOT).as_posix().startswith(READS_ONLY)]
    found = [f"{source.relative_to(ROOT)}:{line}: {act}" for source in acting for line, text in literals(source) for act in ACTS if act in text]
    found = [one for one in found if not any(one.startswith(f"{file}:") and one.endswith(f" {act}") for file, act in GUARDED)]
    assert not found, "\n".join(found)


def test_no_shell_and_tls_stays_on() -> None:
    wrong = [
        f"{source.relative_to(ROOT)}:{node.value.lineno}: {node.arg}"
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant) and (node.arg, node.value.value) in {("shell", True), ("verify", False)}
    ]
    assert not wrong, "\n".join(wrong)


def committed() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return [path for folder in ("app", "assets", "docs", "tests", "wizard_pages") for path in (ROOT / folder).rglob("*") if path.is_file()]
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_file_names_another_machine() -> None:
    found = []
    for path in committed():
        if path.suffix in {".png", ".ico", ".zip", ".whl"} or "__pycache__" in path.parts:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {word}" for word in OTHERS if word in text]
        if path.suffix in {".py", ".lock", ".yml", ".sh", ".spec"} and not path.is_relative_to(ROOT / "tests"):
            found += [f"{path.relative_to(ROOT)}: {host}" for host in INDEX_HOSTS if re.search(rf"(?<![\w.]){re.escape(host)}", text)]
    assert not found, "\n".join(found)
