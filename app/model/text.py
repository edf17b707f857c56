"""A text as code and parameters; `app.texts` turns it into words of a language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Param = str | int | float


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence by its code in the catalogue, for example `finding.driver-too-old.text`.

    `params` fill the placeholders of the sentence. They are foreign strings: never markup, never codes.
    """

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)
