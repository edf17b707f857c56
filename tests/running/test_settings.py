"""The person's own settings of pip and uv, passed on knowingly."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.running.settings import Settings, read_settings


class Machine(LiveHost):
    """This machine with another environment, and without files outside `home`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__()
        self._environment = environment

    def read_bytes(self, path: str, limit_bytes: int = 1 << 20) -> bytes | None:
        return super().read_bytes(path, limit_bytes) if path.startswith(self._environment["HOME"]) else None

    def environment(self) -> Mapping[str, str]:
        return self._environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def read(home: Path, files: Mapping[str, str] | None = None, **variables: str) -> Settings:
    for name, content in (files or {}).items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    environment = {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "xdg"), **variables}
    return read_settings(Machine(environment), home / "env")


def test_nothing_set(home: Path) -> None:
    assert read(home) == Settings()


def test_files_in_order_and_variables_over_them(home: Path) -> None:
    files = {
        "xdg/pip/pip.conf": "[global]\nindex-url = https://one/simple\nconstraint = /c.txt\ncert = /own.pem\n",
        ".config/pip/pip.conf": "[global]\nindex_url = https://two/simple\nfind-links = /wheels\n  https://page/links\n[install]\ntarget = /else\n",
        "env/pip.conf": "[global]\nextra-index-url = https://three/simple\n",
    }
    found = read(home, files)
    assert found == Settings("https://two/simple", ("https://three/simple",), ("/wheels", "https://page/links"), ("/c.txt",), "/own.pem")
    assert read(home, files, PIP_INDEX_URL="https://four/simple").index == "https://four/simple"


def test_trusted_host_and_redirections_are_not_taken(home: Path) -> None:
    found = read(home, {".config/pip/pip.conf": "[global]\ntrusted-host = a\nprefix = /p\nno-deps = true\n"})
    assert found == Settings()


def test_uv_counts_where_pip_says_nothing(home: Path) -> None:
    toml = '[[index]]\nname = "corp"\nurl = "https://corp/simple"\ndefault = true\n[[index]]\nurl = "https://more/simple"\n'
    files = {".config/uv/uv.toml": toml}
    assert read(home, files).index == "https://corp/simple"
    assert read(home, files).extra_indexes == ("https://more/simple",)
    assert read(home, files, PIP_INDEX_URL="https://pip/simple").index == "https://pip/simple"
    assert read(home, files, UV_DEFAULT_INDEX="https://variable/simple", UV_INDEX="corp=https://x/simple").extra_indexes == ("https://x/simple",)


@pytest.mark.parametrize("content", ["not an ini file", "[global\n", "\x00\x01", "[global]\nindex-url = %(x)s\n"])
def test_damaged_files_are_no_reason_to_stop(home: Path, content: str) -> None:
    read(home, {".config/pip/pip.conf": content, ".config/uv/uv.toml": content})
    assert read(home, PIP_CONFIG_FILE="/dev/null").certificate is None
