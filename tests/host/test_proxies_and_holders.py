"""Kept credentials of a proxy, and programs that hold an environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.host import proxies
from app.host.holders import find_holders


def test_credentials_come_from_the_store_and_only_where_they_are_missing() -> None:
    kept = {"proxy:proxy.corp:3128": "DOMAIN\\me:p@ss:word/%"}
    full = proxies.with_credentials("http://proxy.corp:3128", kept.get)
    assert full == "http://DOMAIN%5Cme:p%40ss%3Aword%2F%25@proxy.corp:3128"
    assert proxies.with_credentials("proxy.corp:3128", kept.get) == full
    assert proxies.with_credentials("http://me:x@proxy.corp:3128", kept.get) is None
    assert proxies.with_credentials("http://other:3128", kept.get) is None


def test_children_get_the_proxy_that_needs_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxies, "with_credentials", lambda proxy, _=None: f"http://me:secret@{proxy.partition('://')[2]}" if "corp" in proxy else None)
    found = proxies.proxy_variables({"https": "http://proxy.corp:3128", "http": "http://plain:1", "no": "localhost"})
    assert found["HTTPS_PROXY"] == "http://me:secret@proxy.corp:3128"
    assert found["no_proxy"] == "localhost"
    assert "HTTP_PROXY" not in found
    assert proxies.proxy_variables({"http": "http://plain:1"}) == {}


def test_a_program_that_holds_a_file_open_is_found_with_its_script(tmp_path: Path) -> None:
    (tmp_path / "env").mkdir()
    held = tmp_path / "env" / "data.bin"
    held.write_text("x")
    script = tmp_path / "holding_app.py"
    script.write_text(f"file = open({str(held)!r}); print('open', flush=True); import time; time.sleep(60)")
    assert find_holders(str(tmp_path / "env")) == ()
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as program:
        assert program.stdout
        program.stdout.readline()
        (holder,) = find_holders(str(tmp_path / "env"))
        program.kill()
    assert (holder.pid, holder.path) == (program.pid, str(held))
    assert "holding_app.py" in holder.name
