"""What the terminal front prints with: JSON on standard output, messages on standard error, questions to a person."""

import json
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from app.model.text import Param, Text
from app.texts import Language, say, words


class Terminal:
    """One run's output. `json_wanted`: standard output carries JSON only, every message goes to standard error."""

    def __init__(self, language: Language, json_wanted: bool = False) -> None:
        self.language: Language = language
        self.json_wanted = json_wanted
        self.is_asking = False
        self._has_redrawn = False
        for stream in (sys.stdout, sys.stderr):
            # A Western code page cannot carry Chinese; a lost letter is better than a lost program.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")

    @property
    def is_person_there(self) -> bool:
        return not self.json_wanted and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))

    def line(self, line: str = "") -> None:
        """One line for the person."""
        if self._has_redrawn:
            line, self._has_redrawn = f"\r\x1b[2K{line}", False
        print(line, file=self._messages, flush=True)

    def say(self, code: str, **params: Param) -> None:
        self.line(say(code, self.language, **params))

    def words(self, text: Text) -> str:
        return words(text, self.language)

    def words_of(self, code: str, **params: Param) -> str:
        return say(code, self.language, **params)

    def listed(self, items: Iterable[str]) -> str:
        """Several things in one sentence, with the comma of the language."""
        return say("cli.list-comma", self.language).join(items)

    def problem(self, text: Text) -> None:
        """One line on standard error, whatever the rest prints."""
        print(f"triton-setup: {self.words(text)}", file=sys.stderr, flush=True)

    def redraw(self, line: str) -> bool:
        """A progress line that replaces itself where a person looks; False where nobody does."""
        if not self._messages.isatty():
            return False
        print(f"\r\x1b[2K{line[:110]}", end="", file=self._messages, flush=True)
        self._has_redrawn = True
        return True

    def document(self, value: Any) -> None:
        """One JSON document, UTF-8 whatever the console's code page is."""
        self._write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")

    def record(self, value: Any) -> None:
        """One JSON object of a stream, on one line."""
        self._write(json.dumps(value, ensure_ascii=False) + "\n")

    def ask(self, code: str, **params: Param) -> bool:
        """A yes-or-no question to a person; anything but yes is no."""
        answer = self._answer(f"{say(code, self.language, **params)} [y/N] ").lower()
        return answer in {"y", "yes", "j", "是", "好"}

    def ask_text(self, code: str, **params: Param) -> str:
        """What a person types, as it is."""
        return self._answer(f"{say(code, self.language, **params)} ")

    def choose(self, code: str, count: int) -> int | None:
        """A number from 1 to `count`, or None."""
        answer = self._answer(f"{say(code, self.language)} ")
        return int(answer) if answer.isdecimal() and 1 <= int(answer) <= count else None

    def _answer(self, prompt: str) -> str:
        self.is_asking = True
        try:
            return input(prompt).strip()
        except EOFError:
            return ""
        finally:
            self.is_asking = False

    @property
    def _messages(self) -> TextIO:
        return sys.stderr if self.json_wanted else sys.stdout

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
