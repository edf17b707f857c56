"""Help that several pages offer: a report that is shown before it is saved, the code and the picture for a call."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.cancel import Cancel
from app.qt.dialogs import ReportPreview, choose_file_to_save
from app.qt.look import look
from app.qt.parts.support_card import SupportCard
from app.qt.support import picture

if TYPE_CHECKING:
    from app.qt.window import Window
    from app.report import Preview, SavedReport


def support_card(window: "Window") -> SupportCard:
    """The code of now in large letters, and the picture that carries the compact report."""
    code = window.support_code
    return SupportCard(
        window.say("page.finish.call"),
        window.say("page.finish.call-body"),
        code,
        window.say("ui.copy-code"),
        lambda: window.copy(code),
        qr=picture(window.session),
        qr_name=window.say("page.finish.picture"),
    )


def save_report(window: "Window") -> None:
    """Shows exactly what would leave the machine, then saves it where the person says."""

    def prepare(_cancel: Cancel) -> "Preview":
        return window.session.preview_report()

    window.run(prepare, lambda preview: _show(window, preview), "report preview")


def _show(window: "Window", preview: "Preview") -> None:
    from app.report import save_preview
    from app.report.hidden import say_hidden

    dialog = ReportPreview(window, preview_parts(preview), window.say, say_hidden(preview.redactions, look().language))
    if not dialog.exec():
        return
    proposed = window.session.new_report_path()
    path = choose_file_to_save(window, window.say("page.finish.save-report"), proposed.name, "ZIP (*.zip)")
    if path:
        window.run(lambda _cancel: save_preview(preview, Path(path)), lambda saved: _saved(window, saved), "report")


def _saved(window: "Window", saved: "SavedReport") -> None:
    window.announce(window.say("page.finish.report-saved", file=saved.path.name))


def preview_parts(preview: "Preview") -> tuple[tuple[str, str], ...]:
    """Name and text of every file of the report."""
    return tuple((file.name, file.text) for file in preview.files)
