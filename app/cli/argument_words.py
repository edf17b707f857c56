"""What argparse finds wrong, as texts of ours: it says it in English only."""

import re
from typing import Final

from app.model.text import Param, Text

_FORMS: Final = (
    (re.compile(r"argument (?P<option>.+?): invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)", re.DOTALL), "cli.argument.choice"),
    (re.compile(r"argument (?P<option>.+?): expected (?:one|at least one) argument"), "cli.argument.no-value"),
    (re.compile(r"argument (?P<option>.+?): ignored explicit argument (?P<given>.*)", re.DOTALL), "cli.argument.no-value-wanted"),
    (re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL), "cli.argument.unknown"),
    (re.compile(r"the following arguments are required: (?P<option>.*)"), "cli.argument.required"),
    (re.compile(r"ambiguous option: (?P<option>.+?) could match (?P<choices>.*)"), "cli.argument.ambiguous"),
)


def argument_text(message: str, command: str) -> Text:
    """One line for what does not fit; a form that is not known is passed on as argparse said it."""
    for form, code in _FORMS:
        if found := form.fullmatch(message):
            params: dict[str, Param] = {name: " ".join(value.split()) for name, value in found.groupdict().items()}
            return Text(code, params | {"command": command})
    return Text("cli.bad-arguments", {"message": message, "command": command})
