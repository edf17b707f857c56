"""A machine for the command line: written here, so that no test depends on the machine it runs on."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def machine_file(tmp_path: Path) -> str:
    """A Windows PC with an RTX 4070 and a plain venv, as facts document."""
    facts = {
        "schema": "machine/1",
        "os": {"family": "windows", "name": "Windows 11 Pro", "version": "10.0.26100", "arch": "x86_64", "long_paths": True, "user_profile": "C:\\Users\\u"},
        "memory": {"total_bytes": 34359738368, "commit_limit_bytes": 51539607552},
        "disks": [{"root": "C:\\", "free_bytes": 500000000000}],
        "gpus": [{"index": 0, "vendor": "nvidia", "name": "NVIDIA GeForce RTX 4070", "compute_capability": "8.9", "memory_bytes": 12878610432}],
        "driver": {"version": "581.42", "cuda": "13.0", "problem": None},
        "vc_runtime": "14.50.35719.0",
        "wsl": None,
        "network": {"online": True, "proxy": None, "index_url": None},
        "pythons": [
            {
                "executable": "C:\\ml\\venv\\Scripts\\python.exe",
                "kind": "venv",
                "version": "3.12.8",
                "bits": 64,
                "arch": "x86_64",
                "free_threaded": False,
                "writable": True,
                "in_use_by": [],
                "has_pip": True,
                "has_headers": True,
                "bundled_vc_runtime": None,
                "packages": {"pip": "25.3", "torch": "2.8.0+cu128"},
                "torch_arch_list": ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"],
            }
        ],
        "environment_variables": {},
        "gaps": [],
    }
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    return str(path)
