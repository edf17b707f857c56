"""Qt's own few sentences (menus of text fields, file dialogs) in the language of the program."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from app.texts import Language

_installed: list[QTranslator] = []


def speak(language: Language) -> None:
    """Takes Qt's sentences of a language; English needs none."""
    app = QCoreApplication.instance()
    if app is None:
        return
    while _installed:
        app.removeTranslator(_installed.pop())
    translator = QTranslator()
    if language != "en" and translator.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
        _installed.append(translator)
