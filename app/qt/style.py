"""Metrics of the style: QWizard takes its margins from here, and there is no etched or dotted frame."""

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget, QWizard

_LAYOUT_METRICS = {
    QStyle.PixelMetric.PM_LayoutLeftMargin,
    QStyle.PixelMetric.PM_LayoutTopMargin,
    QStyle.PixelMetric.PM_LayoutRightMargin,
    QStyle.PixelMetric.PM_LayoutBottomMargin,
    QStyle.PixelMetric.PM_LayoutHorizontalSpacing,
    QStyle.PixelMetric.PM_LayoutVerticalSpacing,
}


class CalmStyle(QProxyStyle):
    """Fusion without its frames; the wizard has no margins of its own."""

    def __init__(self) -> None:
        super().__init__("fusion")

    def pixelMetric(self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None) -> int:
        if metric in _LAYOUT_METRICS and isinstance(widget, QWizard):
            return 0
        return super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returned: QStyleHintReturn | None = None,
    ) -> int:
        if hint == QStyle.StyleHint.SH_UnderlineShortcut:
            return 0
        if hint == QStyle.StyleHint.SH_ToolTip_WakeUpDelay:
            return 400
        return super().styleHint(hint, option, widget, returned)

    def drawPrimitive(self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None) -> None:
        # The ring of the window shows the keyboard focus; the dotted one would be a second.
        if element == QStyle.PrimitiveElement.PE_FrameFocusRect:
            return
        super().drawPrimitive(element, option, painter, widget)
