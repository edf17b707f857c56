"""What the rail shows for a page: which steps are done, which can be clicked, how each is spoken."""

from typing import TYPE_CHECKING

from app import __version__
from app.qt.look import look
from app.qt.parts.rail import RailContent, RailStep, StepState
from app.texts import say
from wizard_pages import LOCKED_IN_REPLAY

if TYPE_CHECKING:
    from app.qt.page import Page
    from app.qt.window import Window


def rail_content(window: "Window", page: "Page") -> RailContent:
    """The rail of now."""
    language = look().language
    flow = window.flow
    here = flow.index(page.step) if page.step in flow else 0
    steps = tuple(_step(window, page, key, number, here) for number, key in enumerate(flow))
    return RailContent(
        app_name=say("ui.app-name", language),
        version=".".join(__version__.split(".")[:2]),
        steps=steps,
        code_label=say("ui.support-code", language),
        step_of=say("ui.step-of", language, number=here + 1, count=len(flow)),
        code=window.support_code,
        copy_label=say("ui.copy-code", language),
        language_name=say("ui.language-name", language),
        language_label=say("ui.language", language),
        theme_label=say("ui.theme-light" if look().is_dark else "ui.theme-dark", language),
    )


def _step(window: "Window", page: "Page", key: str, number: int, here: int) -> RailStep:
    language = look().language
    replay = window.session.is_replay
    title = say("ui.step.the-machine" if replay and key == "machine" else f"ui.step.{key.replace('_', '-')}", language)
    is_current = number == here
    state: StepState = "ahead"
    if replay and key in LOCKED_IN_REPLAY:
        state = "locked"
    elif is_current:
        state = "failed" if page.key == "failed" else "done" if key == "finish" else "current"
    elif number < here:
        state = "done"
    can_click = state == "done" and not is_current and key in window.walk.visited and window.can_go_back
    spoken = say(f"ui.spoken-step.{'current' if is_current and state != 'failed' else state}", language, number=number + 1, count=len(window.flow), title=title)
    return RailStep(key, number + 1, title, state, is_current, can_click, spoken)
