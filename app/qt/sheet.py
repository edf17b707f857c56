"""Palette and style sheet from the tokens: what is not painted by our own parts (scroll bars, fields, menus, tips)."""

from PySide6.QtGui import QColor, QPalette

from app.qt.tokens import Colours


def palette(colours: Colours) -> QPalette:
    """The palette that every widget starts from."""
    roles = QPalette.ColorRole
    made = QPalette()
    for role, value in {
        roles.Window: colours.window,
        roles.Base: colours.card,
        roles.AlternateBase: colours.sunken,
        roles.Button: colours.card,
        roles.ToolTipBase: colours.card,
        roles.WindowText: colours.text,
        roles.Text: colours.text,
        roles.ButtonText: colours.text,
        roles.ToolTipText: colours.text,
        roles.PlaceholderText: colours.text_3,
        roles.Highlight: colours.accent,
        roles.HighlightedText: colours.on_accent,
        roles.Link: colours.accent,
        roles.Accent: colours.accent,
    }.items():
        made.setColor(role, QColor(value))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.disabled))
    return made


def sheet(colours: Colours) -> str:
    """The style sheet of the application. Fonts are never set here: families come from what the system has."""
    c = colours
    return f"""
QScrollArea, QScrollArea > QWidget > QWidget#content, QWizard, QWizardPage {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {c.line_strong}; border-radius: 4px; }}
QScrollBar::handle:vertical {{ min-height: 32px; margin: 2px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; margin: 2px; }}
QScrollBar::handle:hover {{ background: {c.text_2}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QAbstractScrollArea::corner {{ background: transparent; }}
QPlainTextEdit {{ background: transparent; border: none; color: {c.text}; selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QPlainTextEdit#field, QLineEdit, QComboBox {{ background: {c.card}; border: {c.stroke}px solid {c.line_strong}; border-radius: 6px; padding: 6px 10px; }}
QLineEdit, QComboBox {{ min-height: 22px; }}
QLineEdit:focus, QPlainTextEdit#field:focus, QComboBox:focus {{ border: 2px solid {c.accent}; padding: 5px 9px; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox QAbstractItemView {{ background: {c.card}; border: {c.stroke}px solid {c.line}; selection-background-color: {c.accent_tint};
  selection-color: {c.text}; outline: none; }}
QListWidget {{ background: {c.card}; border: {c.stroke}px solid {c.line_strong}; border-radius: 6px; padding: 4px; outline: none; }}
QListWidget::item {{ padding: 0 8px; border: none; border-radius: 4px; color: {c.text}; }}
QListWidget::item:selected {{ background: {c.accent_tint}; color: {c.text}; }}
QTreeView {{ background: transparent; border: none; outline: none; }}
QTreeView::item, QTreeView::branch {{ background: transparent; border: none; }}
QMenu {{ background: {c.card}; color: {c.text}; border: {c.stroke}px solid {c.line}; border-radius: 6px; padding: 4px; }}
QMenu::item {{ padding: 8px 28px 8px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {c.accent_tint}; }}
QMenu::indicator {{ width: 0; }}
QToolTip {{ background: {c.card}; color: {c.text}; border: {c.stroke}px solid {c.line_strong}; padding: 6px 8px; }}
QDialog {{ background: {c.window}; }}
"""
