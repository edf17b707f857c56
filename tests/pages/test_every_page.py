"""Every page, in both languages, both themes and every size: nothing is cut off, nothing overlaps, everything has a name."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLineEdit, QWidget

from app.qt import focus_order
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.chip import Chip, Status
from app.qt.parts.rail import RailButton
from app.qt.parts.words import Words
from tests.pages.scenes import SCENES, show_scene

SIZES = {"full": (960, 680), "narrow": (800, 500), "smallest": (720, 420), "wide": (1400, 900)}


@pytest.fixture
def still(window):
    """The window without painting, for tests that look at places only."""
    window.setUpdatesEnabled(False)
    return window


def settle() -> None:
    for _ in range(2):
        QApplication.processEvents()


def shown(window: QWidget) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisible()]


def what_is_cut(window: QWidget) -> list[str]:
    """Texts that a reader sees less of than there is. One-line labels may be cut only where they hold paths or versions."""
    cut = []
    for widget in shown(window):
        if isinstance(widget, Words):
            if widget.is_cut and not (widget.one_line and widget.role == "code"):
                cut.append(f"{widget.role} {widget.text()!r} has {widget.width()}x{widget.height()}, needs {widget.sizeHint().width()}")
        elif isinstance(widget, Button | Chip | Status | RailButton) and widget.is_cut:
            cut.append(f"{type(widget).__name__} {widget.text()!r}")
    return cut


def overlaps(window: QWidget) -> list[str]:
    """Words that lie upon each other, or beyond the right edge."""
    boxes = []
    for widget in shown(window):
        if isinstance(widget, Words | Chip | Status) and widget.width() and widget.height():
            boxes.append((widget, QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())))
    wrong = [f"{widget.text()!r} ends at {box.right()} of {window.width()}" for widget, box in boxes if box.right() > window.width()]
    for number, (first, one) in enumerate(boxes):
        for second, other in boxes[number + 1 :]:
            if one.adjusted(1, 1, -1, -1).intersects(other) and first.parentWidget() is second.parentWidget():
                wrong.append(f"{first.text()!r} and {second.text()!r}")
    return wrong


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("scene", SCENES)
def test_nothing_is_cut_off_at_any_size(still, scene, language):
    still.set_language(language)
    show_scene(still, scene)
    wrong = {}
    for name, size in SIZES.items():
        still.resize(*size)
        settle()
        still.current.rebuild()
        settle()
        found = [*what_is_cut(still), *overlaps(still)]
        bar = still.current.findChild(QAbstractScrollArea).horizontalScrollBar()
        if bar.maximum() > 0 and bar.isVisible():
            found.append("the page scrolls sideways")
        if found:
            wrong[name] = found
    assert wrong == {}


@pytest.mark.parametrize("scene", SCENES)
def test_larger_text_of_the_system_fits_too(still, scene):
    look().set_text_scale(1.5)
    look().apply()
    still.resize(1100, 800)
    show_scene(still, scene)
    settle()
    assert [*what_is_cut(still), *overlaps(still)] == []


@pytest.mark.parametrize("scene", SCENES)
def test_a_theme_switch_paints_everything_anew(window, scene):
    show_scene(window, scene)
    settle()
    light = window.grab().toImage()
    window.set_theme(True)
    settle()
    dark = window.grab().toImage()
    for x, y in ((5, 5), (window.width() - 5, 5), (window.width() - 5, window.height() - 5), (5, window.height() - 5)):
        assert dark.pixelColor(x, y).lightness() < 60 < light.pixelColor(x, y).lightness() or scene.startswith("replay")


ACTED_ON = {
    *(QAccessible.Role.Button, QAccessible.Role.CheckBox, QAccessible.Role.RadioButton, QAccessible.Role.EditableText, QAccessible.Role.ComboBox),
    *(QAccessible.Role.List, QAccessible.Role.ListItem, QAccessible.Role.ProgressBar, QAccessible.Role.Slider, QAccessible.Role.Link, QAccessible.Role.PageTab),
}


def nodes(interface):
    """The accessibility tree below a node, as a screen reader meets it."""
    for number in range(interface.childCount()):
        child = interface.child(number)
        if child is not None and child.isValid() and not child.state().invisible:
            yield child
            yield from nodes(child)


@pytest.mark.parametrize("scene", SCENES)
def test_every_stop_has_a_name_and_a_place_in_both_languages(still, scene):
    for language in ("en", "zh_CN"):
        still.set_language(language)
        show_scene(still, scene)
        settle()
        order = focus_order.window_order(still)
        assert order
        for widget in order:
            interface = QAccessible.queryAccessibleInterface(widget)
            name = interface.text(QAccessible.Text.Name)
            assert name.strip(), f"{type(widget).__name__} {widget.objectName()}"
            assert "&" not in name
            assert widget.isVisibleTo(still)
        assert len(set(map(id, order))) == len(order)
        tree = list(nodes(QAccessible.queryAccessibleInterface(still)))
        nameless = [str(node.role()) for node in tree if node.role() in ACTED_ON and not node.text(QAccessible.Text.Name).strip()]
        assert nameless == []
        assert {id(node.object()) for node in tree} >= {id(widget) for widget in order}, "a stop that a screen reader does not find"


@pytest.mark.parametrize("scene", SCENES)
def test_tab_reaches_every_control_and_comes_round(still, qtbot, scene):
    show_scene(still, scene)
    settle()
    still.activateWindow()
    order = focus_order.window_order(still)
    order[0].setFocus()
    visited = [QApplication.focusWidget()]
    for _ in range(len(order)):
        still.focusNextPrevChild(True)
        visited.append(QApplication.focusWidget())
    assert visited[0] is visited[-1]
    assert {id(widget) for widget in visited} == {id(widget) for widget in order}
    buttons = [
        widget
        for widget in shown(still)
        if isinstance(widget, QAbstractButton | QLineEdit) and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    missed = [
        widget
        for widget in buttons
        if widget not in order and not (isinstance(widget, QAbstractButton) and widget.group() is not None and widget.group().exclusive())
    ]
    assert missed == []


@pytest.mark.parametrize("scene", SCENES)
def test_the_ring_goes_round_what_has_the_focus(still, scene):
    show_scene(still, scene)
    settle()
    for _ in range(len(focus_order.window_order(still))):
        still.focusNextPrevChild(True)
        still.ring.follow()
        focus = QApplication.focusWidget()
        box = still.ring.box
        assert box.isValid(), focus
        holder = focus.property("ring_widget") or focus
        middle = holder.mapTo(still, holder.rect().center())
        assert box.adjusted(-4, -4, 4, 4).contains(middle) or hasattr(holder, "ring_rect")


@pytest.mark.parametrize("scene", SCENES)
def test_one_filled_button_at_the_bottom_right(still, scene):
    show_scene(still, scene)
    settle()
    primary = [widget for widget in shown(still) if getattr(widget, "kind", "") == "primary"]
    assert primary == [still.footer.primary]
    corner = primary[0].mapTo(still, QPoint(primary[0].width(), primary[0].height()))
    assert corner.x() == still.width() - 32
    assert corner.y() > still.height() - 68
    if not primary[0].isEnabled():
        assert primary[0].toolTip()
        assert primary[0].accessibleDescription()
