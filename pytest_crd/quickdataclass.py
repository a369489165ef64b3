"""
`dataclass` as the standard library's, made in a tenth of the time.

That writes and compiles up to eight functions for each class: 140 classes of a run take as long as 60 modules. Here one is compiled,
`__init__`, once somebody makes an object, which few classes see in a run; the others are closures over the names of the fields.
"""

from __future__ import annotations

import dataclasses
import operator
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any, Final, NoReturn


class _FromFactory:
    """The default of a parameter for which a factory makes the value."""

    def __repr__(self) -> str:
        return "<factory>"


_FROM_FACTORY: Final = _FromFactory()


def _dataclass(cls: type | None = None, /, **options: bool) -> Any:
    """
    Make a dataclass of a class, as `dataclasses.dataclass` does with the same options.

    Those that compare by order are made by that one. Of the others, `dataclasses.fields` and `replace` know as of any.
    """
    return _made(cls, **options) if cls is not None else lambda given: _made(given, **options)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for type checkers it is that one
else:
    dataclass = _dataclass


def _made(given: type, **options: bool) -> type:
    if options.get("order"):
        return dataclasses.dataclass(**options)(given)
    if given.__doc__ is None:
        given.__doc__ = given.__name__  # else a signature is made for it
    own = dict(vars(given))
    is_frozen, is_compared, is_shown = (options.pop(key, key != "frozen") for key in ("frozen", "eq", "repr"))
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **options)(given)
    if "__init__" not in own:
        cls.__init__ = _Later(cls, is_frozen=is_frozen)
    if is_shown and "__repr__" not in own:
        cls.__repr__ = _repr([one.name for one in fields(cls) if one.repr])
    if is_compared:
        _compare(cls, own, is_frozen=is_frozen)
    if is_frozen:
        cls.__setattr__, cls.__delattr__ = _set, _delete
        if options.get("slots"):
            cls.__getstate__, cls.__setstate__ = _state, _restore
    return cls  # type: ignore[no-any-return]


class _Later:
    """Stands for the constructor of a class until that is first called or looked at."""

    def __init__(self, cls: type, *, is_frozen: bool) -> None:
        self._cls: Any = cls
        self._is_frozen = is_frozen

    def __get__(self, one: object, _: type | None = None) -> Any:
        made: Any = _init(self._cls, is_frozen=self._is_frozen)
        self._cls.__init__ = made
        return made if one is None else made.__get__(one)


def _init(cls: type, *, is_frozen: bool) -> Callable[..., None]:
    """Return the constructor, which sets slots past the frozen `__setattr__`."""
    known: dict[str, Any] = {"_FROM_FACTORY": _FROM_FACTORY, "_set_any": object.__setattr__}
    ordered = [one for one in fields(cls) if one.init]
    parameters = [_parameter(one, known) for one in ordered if not one.kw_only]
    by_name = [_parameter(one, known) for one in ordered if one.kw_only]
    body = [line for one in fields(cls) if (line := _assignment(cls, one, known, is_frozen=is_frozen))]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *by_name] if by_name else ())])
    exec(f"def __init__({signature}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102 - of names alone
    made: Any = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {one.name: one.type for one in ordered} | {"return": None}
    made.__module__ = cls.__module__
    return made  # type: ignore[no-any-return]


def _parameter(one: Field[Any], known: dict[str, Any]) -> str:
    if one.default is not MISSING:
        known[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"
    return f"{one.name}=_FROM_FACTORY" if one.default_factory is not MISSING else one.name


def _assignment(cls: type, one: Field[Any], known: dict[str, Any], *, is_frozen: bool) -> str:
    """Return the line that sets a field; empty where nothing does."""
    value = one.name
    if one.default_factory is not MISSING:
        known[f"_make_{one.name}"] = one.default_factory
        made = f"_make_{one.name}()"
        value = f"{made} if {one.name} is _FROM_FACTORY else {one.name}" if one.init else made
    elif not one.init:
        if one.default is MISSING or not hasattr(cls, "__slots__"):
            return ""
        known[f"_default_{one.name}"] = one.default
        value = f"_default_{one.name}"
    if not is_frozen:
        return f"self.{one.name} = {value}"
    slot = getattr(getattr(cls, one.name, None), "__set__", None)
    if slot is None:
        return f"_set_any(self, {one.name!r}, {value})"
    known[f"_set_{one.name}"] = slot
    return f"_set_{one.name}(self, {value})"


def _repr(names: Sequence[str]) -> Callable[[object], str]:
    @reprlib.recursive_repr()
    def shown(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return shown


def _values(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return what gives the values of fields, as quickly as Python can."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return (lambda self: (getattr(self, names[0]),)) if names else lambda _: ()


def _compare(cls: type, own: Mapping[str, Any], *, is_frozen: bool) -> None:
    """Add what compares, and what hashes, where the class has none of its own."""
    compared = [one for one in fields(cls) if one.compare]
    values = _values([one.name for one in compared])
    hashed = _values([one.name for one in compared if one.hash is not False])

    def equals(self: object, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: object) -> int:
        return hash(hashed(self))

    made: Any = cls
    if "__eq__" not in own:
        made.__eq__ = equals
    is_stated = "__hash__" in own and (own["__hash__"] is not None or "__eq__" not in own)
    if not is_stated:
        made.__hash__ = hash_of if is_frozen else None


def _set(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
