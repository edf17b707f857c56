"""Codes to words. One TOML file an area in `assets/i18n`, both languages of a sentence side by side.

A sentence is `area.key`: `finding.driver-too-old.text` stands in `finding.toml` as table `[driver-too-old.text]`
with the keys `en` and `zh_CN`. This replaces Qt Linguist files, so that the terminal, the HTML report and the window
read the same catalogue without Qt, and a translator sees both languages at once.
"""

from app.texts.catalog import LANGUAGES, Language, has, say, words

__all__ = ["LANGUAGES", "Language", "has", "say", "words"]
