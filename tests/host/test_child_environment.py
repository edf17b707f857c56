"""What reaches a child program and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.host.child_environment import child_environment, without_own

LEAKED = {
    "PYTHONHOME": "/opt/other", "PYTHONPATH": "/home/me/lib", "PythonStartup": "x.py", "VIRTUAL_ENV": "/v", "CONDA_PREFIX": "/c", "__PYVENV_LAUNCHER__": "x",
    "PIP_TARGET": "/elsewhere", "PIP_USER": "1", "PIP_REQUIRE_VIRTUALENV": "1", "PIP_TRUSTED_HOST": "example.org", "UV_PYTHON": "3.9", "UV_INSECURE_HOST": "x",
    "UV_BREAK_SYSTEM_PACKAGES": "1", "QT_PLUGIN_PATH": "/mei/qt", "QML2_IMPORT_PATH": "/mei/qml", "_PYI_ARCHIVE_FILE": "x", "_PYI_APPLICATION_HOME_DIR": "x",
    "_MEIPASS2": "x", "TCL_LIBRARY": "x", "OPENSSL_MODULES": "/mei/ossl",
}  # fmt: skip
NEEDED = {
    "SystemRoot": "C:\\Windows", "TEMP": "C:\\t", "HTTPS_PROXY": "http://u:p@proxy:3128", "no_proxy": "localhost", "SSL_CERT_FILE": "/etc/own.pem",
    "PIP_INDEX_URL": "https://mirror/simple", "PIP_FIND_LINKS": "/wheels", "PIP_CERT": "/etc/own.pem", "UV_DEFAULT_INDEX": "https://mirror/simple",
    "UV_INDEX_CORP_USERNAME": "me", "UV_INDEX_CORP_PASSWORD": "secret", "CUDA_PATH": "C:\\cuda", "LANG": "zh_CN.UTF-8",
}  # fmt: skip


def test_what_leads_astray_is_dropped_and_what_is_needed_stays() -> None:
    cleaned = child_environment({**LEAKED, **NEEDED})
    assert not set(LEAKED) & set(cleaned)
    assert {name: cleaned[name] for name in NEEDED} == NEEDED
    assert cleaned["PYTHONNOUSERSITE"] == "1"
    assert cleaned["PYTHONUTF8"] == "1"


def test_extra_wins_whatever_its_case() -> None:
    cleaned = child_environment({"Path": "/a", "foo": "1"}, None, {"PATH": "/b", "FOO": "2", "PYTHONUTF8": "0"})
    assert (cleaned["PATH"], cleaned["FOO"], cleaned["PYTHONUTF8"]) == ("/b", "2", "0")
    assert "Path" not in cleaned
    assert "foo" not in cleaned


@pytest.mark.parametrize(
    ("bundle", "path", "expected"),
    [
        (r"C:\Temp\_MEI1", r"C:\Temp\_MEI1;C:\Windows;c:\temp\_mei1\PySide6;C:\Temp\_MEI12", r"C:\Windows;C:\Temp\_MEI12"),
        ("/tmp/_MEI1", "/tmp/_MEI1:/usr/bin:/tmp/_MEI1/lib", "/usr/bin"),
        (None, "/tmp/_MEI1:/usr/bin", "/tmp/_MEI1:/usr/bin"),
    ],
)
def test_the_packaged_program_is_no_longer_on_the_path(bundle: str | None, path: str, expected: str) -> None:
    assert child_environment({"PATH": path}, bundle)["PATH"] == expected


def test_library_path_is_the_persons_own_again() -> None:
    assert child_environment({"LD_LIBRARY_PATH": "/mei", "LD_LIBRARY_PATH_ORIG": "/own"}, "/mei")["LD_LIBRARY_PATH"] == "/own"
    assert "LD_LIBRARY_PATH" not in child_environment({"LD_LIBRARY_PATH": "/mei"}, "/mei")
    assert child_environment({"LD_LIBRARY_PATH": "/own"})["LD_LIBRARY_PATH"] == "/own"


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=20), st.text(max_size=10), max_size=8))
def test_cleaning_twice_changes_nothing_and_foreign_names_stay(environment: dict[str, str]) -> None:
    once = child_environment(environment)
    assert child_environment(once) == once
    families = ("PYTHON", "CONDA", "PIP_", "UV_", "PYENV_", "_")
    for name, value in environment.items():
        if not name.upper().startswith(families) and name.upper() not in {*LEAKED, "LD_LIBRARY_PATH_ORIG", "NO_COLOR"}:
            assert once[name] == value


def test_the_persons_own_environment_loses_only_what_is_ours() -> None:
    theirs = {"PYTHONPATH": "/mine", "PATH": "/usr/bin", "QT_PLUGIN_PATH": "/own/qt", "CONDA_PREFIX": "/c"}
    ours = {"_PYI_ARCHIVE_FILE": "x", "_MEIPASS2": "x", "QML2_IMPORT_PATH": "/mei/PySide6/qml", "LD_LIBRARY_PATH": "/mei", "OPENSSL_MODULES": "/mei/ossl"}
    assert without_own({**theirs, **ours, "PATH": "/mei:/usr/bin"}, "/mei") == theirs
    assert without_own(theirs, None) == theirs
