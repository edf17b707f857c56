"""Switching faster attention on in ComfyUI and its relatives, without editing what an update owns.

kind            arguments
write-launcher  path, content, encoding
"""

from functools import cache
from typing import TYPE_CHECKING

from app.model.facts import Python
from app.model.plan import Attention, Goal, Option, PackageChange, Reason, Step, Where
from app.model.unknown import known
from app.planning import options
from app.planning.apps import app_name
from app.planning.draft import reason
from app.planning.situation import Situation
from app.planning.steps import title, undo
from app.planning.work import Work
from app.resources import assets
from app.tables.builds import at_least, minor_of
from app.tables.machine import capability_of, driver_version, is_windows, main_capability, path

if TYPE_CHECKING:
    from app.tables.goal_rows import LayoutRow

COUNTER = "count_sage.py"
"""The counter of the payloads, beside the start file. It imports itself by this name."""

OWN_FOLDER = "%SystemDrive%\\TritonSetup"
"""For caches in plain letters, where the person's own folder has others."""


def layout_of(case: Situation, python: Python | None) -> "LayoutRow | None":
    """How the app that a Python belongs to is started; None where it belongs to none that is known."""
    app = known(python.app, None) if python else None
    return next((row for row in case.tables.layouts if row.app == app), None)


def flag_for(case: Situation) -> str:
    rules = case.tables.comfyui
    return rules.int8_flag if case.choice.attention is Attention.INT8 else rules.sage_flag


def wire(case: Situation, python: Python | None, work: Work) -> list[Step]:
    """A start file of our own where the app is started by one; empty where it has a setting, or is switched on already.

    Beside one for SageAttention lies the counter that it starts when asked to: the program may be gone by then.
    """
    layout = layout_of(case, python)
    if Goal.COMFYUI not in case.choice.goals or python is None or layout is None or layout.way != "launcher" or not is_windows(case.facts):
        return []
    if flag_for(case) in known(python.attention_flags, ()) or not _has_what_it_needs(case, work):
        return []
    root = known(python.app_root, None)
    place = _launcher_folder(case, python, root) if root else None
    if root is None or place is None:
        return []
    files = [("launcher", file_for(case, layout), _content(case, python, layout, root, place))]
    if case.choice.attention is not Attention.INT8:
        files.append(("counter", COUNTER, counter_source()))
    return [_write(case, identifier, path(case.facts, place) / name, content) for identifier, name, content in files]


def file_for(case: Situation, layout: "LayoutRow") -> str:
    """The name of the start file: it says which attention it starts with."""
    return layout.file.format(attention=(case.choice.attention or Attention.SAGE).value)


def _write(case: Situation, identifier: str, file: str, content: str) -> Step:
    arguments = {"path": file, "content": content, "encoding": "ascii"}
    words = title(f"write-{identifier}", file=file[len(path(case.facts, file).folder) :].strip("\\"))
    return Step(identifier, "write-launcher", words, where=Where.FILE, undo=undo("file"), arguments=arguments, weight=0.1)


@cache
def counter_source() -> str:
    """The script that counts calls of attention, as the program ships it."""
    return (assets() / "payloads" / "count_sage.py").read_text(encoding="ascii")


def _has_what_it_needs(case: Situation, work: Work) -> bool:
    return case.choice.attention is Attention.INT8 or brings_sage(work.changes)


def brings_sage(changes: tuple[PackageChange, ...]) -> bool:
    """Whether a plan with these changes leads to a SageAttention that fits; one that does not fit is neither kept nor installed."""
    return any(change.name == "sageattention" and change.after for change in changes)


def _launcher_folder(case: Situation, python: Python, root: str) -> str | None:
    """The nearest folder that holds both the app and its Python, so that the file needs relative paths only."""
    place = path(case.facts, root)
    for _ in range(3):
        if path(case.facts, python.executable).is_in(place.text):
            return place.text
        place = path(case.facts, place.folder)
    return None


def _relative(case: Situation, target: str, folder: str) -> str:
    """A path as a start file names it: percent signs are live there."""
    inner = target[len(path(case.facts, folder).text.rstrip("\\/")) :].lstrip("\\/")
    return inner.replace("%", "%%")


def _content(case: Situation, python: Python, layout: "LayoutRow", root: str, folder: str) -> str:
    """Plain ASCII: all paths are relative to the file itself."""
    program = _relative(case, python.executable, folder)
    main = _relative(case, path(case.facts, root) / layout.main, folder)
    lines = ["@echo off", "rem Made by Triton Setup. It may be deleted at any time.", 'cd /d "%~dp0"', *_variables(case)]
    start, rest = [f'"{program}"', "-s"], [f'"{main}"', *layout.options, flag_for(case)]
    plain = " ".join([*start, *rest, "%*"])
    if case.choice.attention is Attention.INT8:
        return "\r\n".join([*lines, plain, "pause", ""])
    # With "count" as its first word the calls of SageAttention are counted in ComfyUI's log.
    counting = " ".join([*start, f'"{COUNTER}"', *rest, *(f"%{place}" for place in range(2, 10))])
    return "\r\n".join([*lines, 'if /i "%~1"=="count" goto count', plain, "goto end", ":count", counting, ":end", "pause", ""])


def _variables(case: Situation) -> list[str]:
    """What this start needs otherwise than Windows has it: caches in plain letters, no stray compiler or toolkit."""
    lines = []
    places = (known(case.facts.os.user_profile, None), known(case.facts.os.temp, None))
    if any(place and not place.isascii() for place in places):
        for name, folder in (("TEMP", "temp"), ("TMP", "temp"), ("TRITON_CACHE_DIR", "triton"), ("TORCHINDUCTOR_CACHE_DIR", "inductor")):
            lines.append(f'set "{name}={OWN_FOLDER}\\{folder}"')
        lines.append(f'if not exist "{OWN_FOLDER}\\temp" mkdir "{OWN_FOLDER}\\temp"')
    return lines


def notes(case: Situation, python: Python | None, work: Work) -> tuple[Reason, ...]:
    """What the person does or should know: the app's own setting, models that must not use it, the node, the built-in way."""
    if Goal.COMFYUI not in case.choice.goals or python is None or work.unknown:
        return ()
    layout = layout_of(case, python)
    rules = case.tables.comfyui
    if layout is None:
        return (reason("wire-unknown", flag=flag_for(case)),) if _has_what_it_needs(case, work) else ()
    if layout.way == "none":
        return (reason("wire-none", app=app_name(layout.app)),)
    told = _way_of_starting(case, python, work, layout) if _has_what_it_needs(case, work) else []
    if told and case.choice.attention is not Attention.INT8:
        told.append(reason("wire-models", models=", ".join(rules.cautious_models)))
    if case.choice.attention is not Attention.INT8 and int8_serves(case, python, work):
        told.append(reason("wire-int8", flag=rules.int8_flag))
    return tuple(told)


def _way_of_starting(case: Situation, python: Python, work: Work, layout: "LayoutRow") -> list[Reason]:
    if layout.way == "setting":
        return [reason(f"wire-{layout.app}", flag=flag_for(case))]
    if layout.way == "itself":
        return [reason("wire-itself", app=app_name(layout.app))]
    if flag_for(case) in known(python.attention_flags, ()):
        return [reason("wire-already", flag=flag_for(case))]
    files = wire(case, python, work)
    if not files:
        return [reason("wire-unknown", flag=flag_for(case))]
    made = file_for(case, layout)
    return [reason("wire-launcher", file=made), *([reason("wire-count", file=made)] if len(files) > 1 else [])]


def int8_serves(case: Situation, python: Python, work: Work) -> bool:
    """Whether ComfyUI's own INT8 attention runs here: it needs neither Triton nor SageAttention."""
    rules = case.tables.comfyui
    capability, driver = known(main_capability(case.facts), None), known(driver_version(case.facts), None)
    return bool(
        rules.int8_package in known(python.packages, {})
        and work.torch
        and (work.torch.cuda_major or 0) >= rules.int8_cuda_major
        and capability
        and capability >= (capability_of(rules.int8_gpu_oldest) or (0, 0))
        and driver
        and at_least(driver, rules.int8_driver_floor)
        and at_least(minor_of(python.version), rules.int8_python_oldest)
    )


def offers(case: Situation, python: Python | None, work: Work) -> tuple[Option, ...]:
    """The built-in attention as a choice, where it serves as well with less."""
    if python is None or Goal.COMFYUI not in case.choice.goals or case.choice.attention is Attention.INT8 or not int8_serves(case, python, work):
        return ()
    goals = tuple(goal for goal in case.choice.goals if goal is not Goal.SAGEATTENTION)
    return (options.option("comfy-kitchen", case, goals=goals, attention=Attention.INT8),)
