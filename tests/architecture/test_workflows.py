"""The workflows: every action named by its hash, no right wider than needed, and the release's own commands carried out."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from app import __version__

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)
def test_actions_are_named_by_their_hash_and_rights_are_few(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)] == []
    assert text.split("jobs:")[0].count("permissions:\n  contents: read\n") == 1
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    # A tag's name is text of a person: it comes as a variable, never into the script itself.
    scripts = re.findall(r"run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", text)
    assert not [script for script in scripts if "${{" in "".join(script)]


def test_what_may_write_builds_nothing() -> None:
    build, publish = re.split(r"\n  publish:\n", RELEASE.read_text(encoding="utf-8"))
    assert "contents: write" not in build
    assert "dev.py" not in publish
    assert "checkout" not in publish


@pytest.mark.skipif(sys.platform != "linux", reason="the commands are those of bash")
@pytest.mark.parametrize("endpoint", ["", "https://signing.example"])
def test_the_release_is_laid_together(tmp_path: Path, endpoint: str) -> None:
    """The step's own script, on programs that are none."""
    found = re.search(r"- name: folder, bill of materials.*\n +run: \|\n((?: {10}.*\n)+)", RELEASE.read_text(encoding="utf-8"))
    assert found is not None
    for name in ("assets", "app", "tests", "requirements", "dev.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## [{__version__}] - 2026-12-01\n- New.\n\n## [0.0.1]\n- Old.\n", encoding="utf-8")
    folder = tmp_path / "dist" / "TritonSetup-folder"
    (folder / "_internal").mkdir(parents=True)
    for program in (tmp_path / "dist" / "TritonSetup.exe", folder / "TritonSetup.exe", folder / "_internal" / "a.dll"):
        program.write_bytes(b"MZ")
    shell = shutil.which("bash")
    assert shell is not None
    # dev.py would make an environment of its own there.
    script = textwrap.dedent(found[1]).replace("python dev.py tables", "python -m tests.upkeep.compare_tables")
    surroundings = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_REF_NAME": f"v{__version__}",
        "SIGNING_ENDPOINT": endpoint,
        "PAGE": "https://example.org/v1",
        "DOWNLOADS": "https://example.org/v1",
    }
    done = subprocess.run(
        [shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    release = tmp_path / "release"
    zipped = f"TritonSetup-{__version__}-windows-x86_64.zip"
    wanted = {"SHA256SUMS", "TritonSetup.exe", zipped, "TritonSetup.cdx.json", "winget-manifest.zip", "tables.zip", "release.json"}
    assert {file.name for file in release.iterdir()} == wanted
    assert set(zipfile.ZipFile(release / zipped).namelist()) >= {"TritonSetup.exe", "_internal/a.dll"}
    assert len(zipfile.ZipFile(release / "winget-manifest.zip").namelist()) == 4
    assert json.loads((release / "TritonSetup.cdx.json").read_text())["serialNumber"]
    assert subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=release, check=False).returncode == 0
    notes = (tmp_path / "notes.md").read_text(encoding="utf-8").splitlines()
    assert ("not signed" in notes[0]) is (not endpoint)
    assert notes[1:] == ["- New.", ""]
