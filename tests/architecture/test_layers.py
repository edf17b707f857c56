"""The import contracts of pyproject.toml hold."""

from importlinter.cli import lint_imports


def test_contracts_hold(capsys) -> None:
    assert lint_imports(cache_dir=None) == 0, capsys.readouterr().out
