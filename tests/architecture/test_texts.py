"""Every sentence stands in both languages, with the same placeholders, and every code in the source exists."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.texts import LANGUAGES, has

ROOT = Path(__file__).resolve().parents[2]
AREAS = sorted((ROOT / "assets" / "i18n").glob("*.toml"))
SOURCES = sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "wizard_pages").rglob("*.py")])
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
QUOTED = re.compile("“[^”]*”")
UNWANTED = {
    "en": re.compile(r"!|\b(please|oops|sorry|fatal|invalid|simply|just)\b", re.IGNORECASE),
    "zh_CN": re.compile(r"[!！]|[抱遗][歉憾]|[^邀申]请稍[候等]"),
}


def sentences(area: Path) -> Iterator[tuple[str, dict[str, str]]]:
    def walk(table: dict, prefix: str) -> Iterator[tuple[str, dict[str, str]]]:
        for key, value in table.items():
            path = f"{prefix}.{key}"
            if all(isinstance(inner, str) for inner in value.values()):
                yield path, value
            else:
                yield from walk(value, path)

    return walk(tomllib.loads(area.read_text(encoding="utf-8")), area.stem)


@pytest.mark.parametrize("area", AREAS, ids=lambda path: path.stem)
def test_both_languages_say_the_same(area: Path) -> None:
    wrong = []
    for code, sentence in sentences(area):
        if set(sentence) != set(LANGUAGES):
            wrong.append(f"{code}: languages {sorted(sentence)}")
            continue
        if not all(text.strip() for text in sentence.values()):
            wrong.append(f"{code}: empty")
        names = {language: sorted(set(PLACEHOLDER.findall(text))) for language, text in sentence.items()}
        if names["en"] != names["zh_CN"]:
            wrong.append(f"{code}: placeholders {names}")
        wrong += [f"{code}: {language} says {found[0]!r}" for language, text in sentence.items() if (found := UNWANTED[language].search(QUOTED.sub("", text)))]
        if re.search(r"[a-z]{4} [a-z]{4}", sentence["zh_CN"]) and not re.search(r"[\u4e00-\u9fff]", sentence["zh_CN"]):
            wrong.append(f"{code}: zh_CN is not Chinese")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("area", AREAS, ids=lambda path: path.stem)
def test_chinese_punctuation_is_full_width(area: Path) -> None:
    wrong = [
        f"{code}: {found[0]}"
        for code, sentence in sentences(area)
        if (found := re.search(r".[\u4e00-\u9fff](?:[;?:](?!端口)|,(?!\d))|[，。：；？] ", sentence.get("zh_CN", "")))
    ]
    assert not wrong, "\n".join(wrong)


def codes_in(source: Path) -> Iterator[tuple[int, str]]:
    """Every literal that has the form of a code of an area that exists."""
    areas = {area.stem for area in AREAS}
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if (
                name in {"Text", "say", "words", "_say", "_text"}
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                code = node.args[0].value
                if "." in code or code.partition(".")[0] in areas:
                    yield node.lineno, code


def test_codes_exist() -> None:
    missing = [f"{source.relative_to(ROOT)}:{line}: {code}" for source in SOURCES for line, code in codes_in(source) if not has(code)]
    assert not missing, "no catalogue holds\n" + "\n".join(missing)
