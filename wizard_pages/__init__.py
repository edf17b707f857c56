"""One page a file: shows values, collects a choice. A new page is a file here and a line in PAGES."""

from typing import Final

PAGES: Final = (
    "start",
    "machine",
    "goal",
    "route",
    "environment",
    "review",
    "install",
    "failed",
    "proof",
    "finish",
    "error_text",
    "cause",
)
"""Every page by the name of its module; each module has one subclass of Page, named PAGE."""

SETUP: Final = ("start", "machine", "goal", "route", "environment", "review", "install", "proof", "finish")
CAUSE: Final = ("start", "error_text", "cause", "review", "install", "proof", "finish")
"""The two ways through the pages, as the rail shows them."""

LOCKED_IN_REPLAY: Final = frozenset({"install", "proof"})
