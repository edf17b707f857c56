"""The report: put together and redacted, saved, opened again, shown, compared.

Everything that leaves a machine passes one redactor (`redact`); everything that comes from outside is refused unless it fits (`load`).
Each name is imported when it is first used: opening a machine must not pay for the redactor.
"""

import importlib
from typing import TYPE_CHECKING, Any

from app.model.report import Report
from app.texts import Language

if TYPE_CHECKING:
    from app.report.assemble import Preview, PreviewFile, SavedReport, preview_report, save_preview, save_report
    from app.report.load import LoadedReport, load_machine, load_report
    from app.report.redact.identity import Identity, collect_identity, identify

__all__ = [
    "Identity",
    "LoadedReport",
    "Preview",
    "PreviewFile",
    "SavedReport",
    "collect_identity",
    "identify",
    "load_machine",
    "load_report",
    "preview_report",
    "render_html",
    "save_preview",
    "save_report",
    "summary_markdown",
    "support_code",
]

_HOMES = {
    "assemble": ("Preview", "PreviewFile", "SavedReport", "preview_report", "save_preview", "save_report"),
    "load": ("LoadedReport", "load_machine", "load_report"),
    "redact.identity": ("Identity", "collect_identity", "identify"),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"app.report.{home}"), name)


def render_html(report: Report, language: Language = "en") -> str:
    """The report as one self-contained page; see `app.report.html`."""
    from app.report.html import render_html as render

    return render(report, language)


def summary_markdown(report: Report, language: Language = "en") -> str:
    """The report as a short block to paste into an issue; see `app.report.markdown`."""
    from app.report.markdown import summary_markdown as summarise

    return summarise(report, language)


def support_code(page: str, report: Report | None = None) -> str:
    """The support code of a page, for a report's values; see `app.report.code`."""
    from app.report.code import support_code as make

    return make(page, report.facts, report.plan, report.proof, report.diagnosis) if report else make(page)
