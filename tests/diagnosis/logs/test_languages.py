"""What Windows says in any of its languages leads to the same cause as what it says in English."""

import io
import re
import time
import tomllib

import pytest

from app.diagnosis.logs import diagnose
from app.diagnosis.logs.languages import in_english
from app.diagnosis.logs.reading import NumberedLine
from app.resources import assets

TABLE = tomllib.loads((assets() / "tables" / "log_languages.toml").read_text(encoding="utf-8"))

NOT_RECOGNIZED = {
    "en": "'{}' is not recognized as an internal or external command,",
    "de": 'Der Befehl "{}" ist entweder falsch geschrieben oder konnte nicht gefunden werden.',
    "fr": "'{}' n’est pas reconnu en tant que commande interne ou externe,",
    "ru": '"{}" не является внутренней или внешней командой,',
    "es": '"{}" no se reconoce como un comando interno o externo,',
    "it": '"{}" non è riconosciuto come comando interno o esterno,',
    "pt": "'{}' não é reconhecido como um comando interno ou externo,",
    "ja": "'{}' は、内部コマンドまたは外部コマンド、",
    "ko": "'{}'은(는) 내부 또는 외부 명령, 실행할 수 있는 프로그램, 또는 배치 파일이 아닙니다.",
    "zh": "'{}' 不是内部或外部命令，也不是可运行的程序或批处理文件。",
    "zh-TW": "'{}' 不是內部或外部命令、可執行的程式或批次檔。",
    "pl": 'Nazwa "{}" nie jest rozpoznawana jako polecenie wewnętrzne lub zewnętrzne,',
    "powershell": "{0} : The term '{0}' is not recognized as the name of a cmdlet, function, script file, or operable program.",
    "powershell-de": 'Die Benennung "{}" wurde nicht als Name eines Cmdlet, einer Funktion, einer Skriptdatei oder eines ausführbaren Programms erkannt.',
    "powershell-zh": "无法将“{}”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。",
    "powershell-any": "    + CategoryInfo          : ObjectNotFound: ({}:String) [], CommandNotFoundException",
}
PROGRAMS = {"pip": "pip-missing", "wsl": "wsl-not-installed", "nvidia-smi": "driver-missing", "nvcc": "build-cuda-missing", "cl": "compiler-missing"}

BLOCKED = (
    "An Application Control policy has blocked this file.",
    "Diese Datei wurde durch eine Anwendungssteuerungsrichtlinie blockiert.",
    "Une stratégie de contrôle d'application a bloqué ce fichier.",
    "Una directiva de Control de aplicaciones bloqueó este archivo.",
    "应用程序控制策略已阻止此文件。",
    "アプリケーション制御ポリシーによってこのファイルがブロックされました。",
    "Политика управления приложениями заблокировала этот файл.",
    "Uma política de Controle de Aplicativo bloqueou este arquivo.",
)


def named(text: str) -> str | None:
    found = diagnose(io.BytesIO(text.encode())).findings
    return found[0].code if found else None


@pytest.mark.parametrize("language", NOT_RECOGNIZED)
def test_a_program_that_windows_does_not_know(language: str) -> None:
    said = {program: named(f"C:\\AI>{program} --version\n{NOT_RECOGNIZED[language].format(program)}") for program in PROGRAMS}
    assert said == PROGRAMS


@pytest.mark.parametrize("blocked", BLOCKED)
def test_a_file_that_windows_blocks(blocked: str) -> None:
    assert named(f"ImportError: DLL load failed while importing libtriton: {blocked}") == "app-control-blocked"


def test_lines_stay_and_what_is_not_known_stays() -> None:
    lines = [NumberedLine(1, "Zugriff verweigert: D:\\KI"), NumberedLine(1, "noch ein Stück"), NumberedLine(7, "nur Text")]
    said = in_english(lines)
    assert [line.number for line in said] == [1, 1, 7]
    assert [line.text for line in said] == ["Access is denied: D:\\KI", "noch ein Stück", "nur Text"]


def test_what_went_wrong_is_shown_as_it_was_written() -> None:
    diagnosis = diagnose(io.BytesIO("Odmowa dostępu: error".encode()))
    assert diagnosis.context["trouble"] == ("1: Odmowa dostępu: error",)


@pytest.mark.parametrize("name", TABLE)
def test_rows_are_whole_and_quick(name: str) -> None:
    row = TABLE[name]
    assert row.keys() == {"english", "key", "said"}
    assert all(key == key.lower() for key in row["key"])
    for expression in row["said"]:
        compiled = re.compile(expression, re.IGNORECASE)
        assert compiled.groups == row["english"].count("\\1")
        for rubbish in (" " * 20_000, "\"'" * 10_000, "a" * 20_000, "nicht " * 4_000):
            begun = time.process_time()
            compiled.sub("", rubbish)
            assert time.process_time() - begun < 1.0
