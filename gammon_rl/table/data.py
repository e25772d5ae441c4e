"""Records as plain data for JSON, and back: each one a dict with its type and what differs from the defaults."""

import re
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, Self, Union, get_args, get_origin, get_type_hints

from gammon_rl.errors import TableError
from gammon_rl.rules.board import MY_BAR, OFF
from gammon_rl.rules.notation import DANCE, format_play
from gammon_rl.rules.steps import Step

Data = dict[str, Any]

_STEP: Final = re.compile(r"(bar|[1-9]\d?)/(off|[1-9]\d?)(\*?)", re.ASCII)
_MISSING: Final = object()


class Checked:
    """A dataclass whose fields have the types that it says, from the moment it is made.

    These are the types that are read from JSON, and nothing is taken for another: no 2.0 or True for 2.
    """

    def __post_init__(self) -> None:
        """Refuse a field of another type.

        Raises
        ------
        TableError
            At the first one, as reading it would.
        """
        kind: Any = type(self)
        for name, hint in _hints(kind).items():
            value = getattr(self, name)
            if type(value) is not hint and not _fits(hint, value):
                raise _unfitting(f"{type_name(kind)}: {name}", hint, value)

    @classmethod
    def known(cls, **values: object) -> Self:
        """Return one of which it is known that the fields fit; they are not looked at again, which takes its time."""
        record = object.__new__(cls)
        record.__dict__.update(values)
        return record


def type_name(kind: type) -> str:
    """Return the name of a type in JSON: its class name in small letters.

    Examples
    --------
    >>> type_name(TableError)
    'table_error'
    """
    return _snake_case(kind.__name__)


@cache
def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def _defaults(kind: Any) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.default if field.default is not MISSING else _MISSING) for field in fields(kind))


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def to_data(value: Any, typed: bool = True) -> Data:
    """Return a dataclass as a dict, with its type unless that is known anyway."""
    kind: Any = type(value)
    data: Data = {"type": type_name(kind)} if typed else {}
    for name, default in _defaults(kind):
        content = getattr(value, name)
        if default is _MISSING or content != default:
            data[name] = _plain(content)
    return data


def _plain(value: object) -> object:
    if isinstance(value, Step):
        return format_play([value])
    if isinstance(value, tuple):
        if value and isinstance(value[0], Step):
            return " ".join(format_play([step]) for step in value)  # in the order in which they are made
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return to_data(value, typed=False)
    return value


def from_data(kinds: Any, data: object, what: str) -> Any:
    """Return the dataclass that a dict says, one of a union; `what` names it in errors.

    Raises
    ------
    TableError
        If it is not a dict, of no known type, or has a missing, unknown or unfitting entry.
    """
    known = _by_name(kinds)
    name = data.get("type") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(name, str) or name not in known:
        raise TableError(f"not an {what}: {short(data)}; its type should be one of {', '.join(known)}")
    return built(known[name], {key: value for key, value in data.items() if key != "type"}, name)


@cache
def _by_name(kinds: Any) -> dict[str, type]:
    return {type_name(kind): kind for kind in get_args(kinds)}


def built(kind: type, data: object, what: str) -> Any:
    """Return the dataclass of this kind that a dict says.

    Raises
    ------
    TableError
        As `from_data`.
    """
    hints = _hints(kind)
    if not isinstance(data, dict):
        raise TableError(f"{what}: expected an object with {', '.join(hints)}, got {short(data)}")
    unknown = [key for key in data if key not in hints]
    missing = [name for name, default in _defaults(kind) if default is _MISSING and name not in data]
    if unknown or missing:
        faults = [f"{short(key)} is not known" for key in unknown] + [f"{name} is missing" for name in missing]
        raise TableError(f"{what}: {', '.join(faults)}; it has {', '.join(hints) or 'nothing more'}")
    return kind(**{name: _converted(hints[name], value, f"{what}: {name}") for name, value in data.items()})


def _converted(hint: Any, value: object, what: str) -> Any:
    """Return a value from JSON as the type hint says, or refuse it."""
    origin, choices = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value in choices and isinstance(value, str):
            return value
    elif origin in (Union, UnionType):
        if value is None and NoneType in choices:
            return None
        (other,) = (choice for choice in choices if choice is not NoneType)
        return _converted(other, value, what)
    elif origin is tuple and choices[0] is Step:
        if isinstance(value, str):
            return () if not value else tuple(_step(word, what) for word in value.split(" "))
        if value == []:
            return ()
    elif origin is tuple:
        if isinstance(value, list) and (choices[-1] is Ellipsis or len(value) == len(choices)):
            return tuple(_converted(choices[0], item, what) for item in value)
    elif hint is Step:
        if isinstance(value, str):
            return _step(value, what)
    elif is_dataclass(hint) and isinstance(hint, type):
        return built(hint, value, what)
    elif type(value) is hint:
        return value
    raise _unfitting(what, hint, value)


def _fits(hint: Any, value: object) -> bool:
    """Return whether a value is what the type hint of its field says."""
    origin, choices = _parts(hint)
    if origin is Literal:
        return isinstance(value, str) and value in choices
    if origin in (Union, UnionType):
        return type(value) in choices or any(_fits(choice, value) for choice in choices if choice is not NoneType)
    if origin is tuple:
        if type(value) is not tuple:
            return False
        if choices[-1] is not Ellipsis and len(value) != len(choices):
            return False
        kinds = set(map(type, value))  # quick, since there are many boards
        return kinds <= {choices[0]} and (choices[0] is not Step or all(map(_is_step, value)))
    if hint is Step:
        return _is_step(value)
    return isinstance(value, hint) if is_dataclass(hint) and isinstance(hint, type) else type(value) is hint


def _is_step(value: object) -> bool:
    return type(value) is Step and type(value.start) is type(value.end) is int


def _unfitting(what: str, hint: Any, value: object) -> TableError:
    plain = isinstance(hint, type) and get_origin(hint) is None
    name = hint.__name__ if plain else re.sub(r"\b\w+\.", "", str(hint))
    return TableError(f"{what} should be {name}, got {short(value)}")


def _step(text: str, what: str) -> Step:
    match = _STEP.fullmatch(text)
    if not match:
        raise TableError(f"{what} should be steps such as 8/5 or bar/22* (nothing for a {DANCE}), got {short(text)}")
    start, end, star = match.groups()
    return Step(MY_BAR if start == "bar" else int(start), OFF if end == "off" else int(end), bool(star))


def short(value: object) -> str:
    """Return a value from outside as an error message shows it."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested deeply; a number of thousands of digits
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 60 else f"{text[:57]}..."
