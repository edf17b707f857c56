"""Values to JSON and back, strictly: wrong types are refused with the path where they stand."""

import enum
import functools
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

import cattrs
from cattrs.errors import AttributeValidationNote, ClassValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_unstructure_fn

from app.model.events import Event
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.model.unknown import UNKNOWN, Unknown

T = TypeVar("T")

MAX_DEPTH = 64
"""Deepest nesting of a document from outside; ours have about 8 levels."""


def dump(value: Any) -> Any:
    """Plain dicts, lists and scalars; UNKNOWN fields are left out."""
    return _converter().unstructure(value)


def dumps(value: Any) -> str:
    """Canonical JSON text: sorted keys, so that equal values give equal bytes."""
    return json.dumps(dump(value), ensure_ascii=False, sort_keys=True, indent=1)


def load(document: Any, type_: type[T], name: str) -> T:
    """The value of `type_` in a parsed document from outside; Problem (exit code 2) names the place if it does not fit."""
    try:
        return _converter().structure(document, type_)
    except Exception as error:
        raise Problem(Text("problem.document-does-not-fit", {"file": name, "where": _first_reason(error)}), ExitCode.BAD_INPUT) from error


def parse(text: str | bytes, name: str) -> Any:
    """Parsed JSON of a document from outside; Problem (exit code 2) if it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem(Text("problem.not-json", {"file": name, "where": str(error)[:120]}), ExitCode.BAD_INPUT) from error
    if _depth(document) > MAX_DEPTH:
        raise Problem(Text("problem.not-json", {"file": name, "where": "nested too deeply"}), ExitCode.BAD_INPUT)
    return document


def _depth(document: Any) -> int:
    depth, level = 0, [document]
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            break
        level = [child for item in level if isinstance(item, (dict, list)) for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def _first_reason(error: BaseException) -> str:
    reasons = cattrs.transform_error(error) if isinstance(error, cattrs.BaseValidationError) else [str(error)]
    return (reasons[0] if reasons else str(error))[:200]


def _strict(type_: type) -> Any:
    def structure(value: Any, _: Any) -> Any:
        # bool is an int to Python, not to us; an int is a fine float.
        if type_ is float and type(value) is int:
            return float(value)
        if type(value) is not type_:
            raise TypeError(f"expected {type_.__name__}, found {type(value).__name__}")
        return value

    return structure


def _structure_tuple(converter: cattrs.Converter, type_: Any) -> Any:
    # Lists only: without this a text or an object would pass as a sequence of its letters or keys.
    inner = typing.get_args(type_)
    members: Any = types.GenericAlias(list, inner[0]) if len(inner) == 2 and inner[1] is Ellipsis else None

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise TypeError(f"expected list, found {type(value).__name__}")
        if members is not None:
            return tuple(converter.structure(value, members))
        if len(value) != len(inner):
            raise TypeError(f"expected {len(inner)} items, found {len(value)}")
        return tuple(converter.structure(item, member) for item, member in zip(value, inner, strict=True))

    return structure


def _structure_mapping(converter: cattrs.Converter, type_: Any) -> Any:
    members: Any = types.GenericAlias(dict, typing.get_args(type_))

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected object, found {type(value).__name__}")
        return converter.structure(value, members)

    return structure


def _origin(type_: Any) -> Any:
    return typing.get_origin(type_)


def _is_union(type_: Any) -> bool:
    return _origin(type_) in (typing.Union, types.UnionType)


def _structure_union(converter: cattrs.Converter, type_: Any) -> Any:
    """Unions of ours: events by their type, Maybe, Optional, and scalars told apart by their JSON type."""
    if type_ == Event:
        # One look at the type, instead of trying every kind of event on every line of a log.
        return functools.partial(_structure_event, converter)
    members = [m for m in typing.get_args(type_) if not (typing.get_origin(m) is typing.Literal and typing.get_args(m) == (UNKNOWN,)) and m is not Unknown]

    def structure(value: Any, _: Any) -> Any:
        if value is None and type(None) in members:
            return None
        first: Exception | None = None
        rest = [m for m in members if m is not type(None)]
        for member in rest:
            try:
                return converter.structure(value, member)
            except Exception as error:
                if len(rest) == 1:
                    raise
                first = first or error
        raise first or TypeError("null is not allowed here")

    return structure


@functools.cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter()
    for scalar in (str, int, float, bool):
        converter.register_structure_hook(scalar, _strict(scalar))
    converter.register_unstructure_hook(enum.Enum, lambda value: value.value)
    converter.register_structure_hook_factory(_is_union, lambda type_: _structure_union(converter, type_))
    converter.register_structure_hook_factory(lambda type_: _origin(type_) is tuple, lambda type_: _structure_tuple(converter, type_))
    converter.register_structure_hook_factory(lambda type_: _origin(type_) is Mapping, lambda type_: _structure_mapping(converter, type_))
    converter.register_structure_hook_factory(is_dataclass, functools.cache(lambda cls: _structure_dataclass(converter, cls)))
    converter.register_unstructure_hook_factory(is_dataclass, lambda cls: _unstructure_dataclass(converter, cls))
    converter.register_unstructure_hook_factory(_is_union, lambda _: lambda value: converter.unstructure(value, unstructure_as=type(value)))
    return converter


def _structure_dataclass(converter: cattrs.Converter, cls: Any) -> Any:
    # Not cattrs' own function: it is generated as code, which takes longer than to read the one document of a short run.
    kinds: dict[str, Any] = {f.name: f.type for f in fields(cls)}
    if any(isinstance(kind, str) or "ForwardRef" in repr(kind) for kind in kinds.values()):
        kinds = typing.get_type_hints(cls)
    required = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    hooks: dict[str, Any] = {}

    def member(value: Mapping[str, Any], name: str) -> Any:
        if name not in hooks:
            hooks[name] = converter.get_structure_hook(kinds[name])
        return hooks[name](value[name], kinds[name])

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected object, found {type(value).__name__}")
        found: dict[str, Any] = {}
        errors: list[Exception] = []
        for name in (*value, *(name for name in required if name not in value)):
            if name in kinds:
                try:
                    found[name] = member(value, name)
                except Exception as error:
                    error.__notes__ = [AttributeValidationNote(name, name, kinds[name])]
                    errors.append(error)
        if unknown := value.keys() - kinds.keys():
            errors.append(ForbiddenExtraKeysError("", cls, unknown))
        if errors:
            raise ClassValidationError(cls.__name__, errors, cls)
        return cls(**found)

    return structure


def _unstructure_dataclass(converter: cattrs.Converter, cls: Any) -> Any:
    """Leaves out what is not known, and nothing else."""
    plain = make_dict_unstructure_fn(cls, converter)
    maybe = [f.name for f in fields(cls) if f.default is UNKNOWN]
    if not maybe:
        return plain

    def unstructure(value: Any) -> Mapping[str, Any]:
        document = plain(value)
        for name in maybe:
            if getattr(value, name) is UNKNOWN:
                del document[name]
        return document

    return unstructure


def _structure_event(converter: cattrs.Converter, value: Any, _: Any) -> Any:
    by_type = {cls.__dataclass_fields__["type"].default: cls for cls in typing.get_args(Event)}
    if not isinstance(value, dict) or value.get("type") not in by_type:
        raise TypeError("not an event")
    return converter.structure(value, by_type[value["type"]])
