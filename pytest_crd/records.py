"""
Dataclasses and named tuples with cheap imports: less than a twentieth and a third of the calls of the standard library's.

A session imports a hundred such classes and creates objects of few. `dataclasses.dataclass` compiles up to six functions for each class, and
`typing.NamedTuple` compiles the type of each field. Here all dataclasses share their functions. Their objects are dearer than those of the
standard library, and have no slots: a class with thousands of objects takes `dataclasses`. Type checkers read the usual classes.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["NamedTuple", "dataclass", "field"]


class _Description:
    """
    The fields of a dataclass and of its base.

    Attributes:
        names: The names of the fields.
        options: The options of the fields that have some, by name.
        positional: The names of the fields that arguments without a name set.
        arguments: The names of the fields that arguments set.
        complete: The names of all fields if arguments set all of them, else None.
        required: The names of the fields that arguments must set.
        defaults: The default values of fields.
        factories: Fields with the functions that make their default values.
    """

    def __init__(self, cls: Any, base: _Description | None, *, kw_only: bool) -> None:
        names = [name for name, type_ in cls.__annotations__.items() if type_[:8] != "ClassVar"]
        if base and not {*names}.isdisjoint(base.names):
            raise TypeError(f"{cls.__name__} declares a field of its base again: take another name")
        values = cls.__dict__
        options: dict[str, Field[Any]] = {
            name: values[name] for name in names if name in values and values[name].__class__ is Field
        }
        defaults = {name: values[name] for name in names if name in values and name not in options}
        for name, option in options.items():
            if option.default is MISSING:
                delattr(cls, name)
            else:
                defaults[name] = option.default
                setattr(cls, name, option.default)
        named = {name for name, option in options.items() if option.kw_only is True}
        fixed = {name for name, option in options.items() if not option.init}
        factories = [
            (name, option.default_factory) for name, option in options.items() if callable(option.default_factory)
        ]
        positional = () if kw_only else [name for name in names if name not in fixed and name not in named]
        self.names: tuple[str, ...] = (*(base.names if base else ()), *names)
        self.options: Mapping[str, Field[Any]] = {**base.options, **options} if base else options
        self.positional: tuple[str, ...] = (*(base.positional if base else ()), *positional)
        self.arguments: set[str] = {*names} - fixed | (base.arguments if base else set())
        self.complete = self.arguments if self.arguments == {*self.names} else None
        self.defaults: Mapping[str, Any] = {**base.defaults, **defaults} if base else defaults
        self.factories: Sequence[tuple[str, Callable[[], Any]]] = [*base.factories, *factories] if base else factories
        self.required = self.arguments.difference(self.defaults, dict(self.factories))

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The names of the fields that count in comparisons."""
        return tuple([name for name in self.names if name not in self.options or self.options[name].compare])

    @cached_property
    def standard_fields(self) -> Mapping[str, Field[Any]]:
        """The fields of a dataclass of the standard library."""
        values = {**self.defaults, **self.options, "__annotations__": dict.fromkeys(self.names, "Any")}
        stand_in = type("_Alike", (), values)
        fields: Mapping[str, Field[Any]] = vars(dataclasses.dataclass(kw_only=True)(stand_in))["__dataclass_fields__"]
        return fields


class _StandardFields:
    """The fields as the functions of `dataclasses` read them from a class; they are made at the first use."""

    def __get__(self, _: object, cls: Any) -> Mapping[str, Field[Any]]:
        standard: Mapping[str, Field[Any]] = cls._description.standard_fields
        return standard


_STANDARD_FIELDS = _StandardFields()


def _init(self: Any, *positional: object, **values: object) -> None:
    description: _Description = self._description
    if positional:
        named, values = values, dict(zip(description.positional, positional, strict=False))
        if len(values) < len(positional) or not values.keys().isdisjoint(named):
            raise TypeError(f"{type(self).__name__} takes each once: {', '.join(description.positional)}")
        values |= named
    if values.keys() != description.complete:
        if not description.required <= values.keys() <= description.arguments:
            raise TypeError(f"{type(self).__name__} requires {', '.join(sorted(description.required))}")
        for name, make in description.factories:
            if name not in values:
                values[name] = make()
        values = {**description.defaults, **values}
    self.__dict__.update(values)


def _values(self: Any) -> tuple[object, ...]:
    return tuple([getattr(self, name) for name in self._description.compared])


def _eq(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _lt(self: object, other: object) -> bool:
    return _values(self) < _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    names, options = self._description.names, self._description.options
    printed = [name for name in names if name not in options or options[name].repr]
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in printed)
    return f"{type(self).__qualname__}({values})"


def _refuse(_: object, name: str, *_value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _dataclass(
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as the standard library calls it
    order: bool = False,
    kw_only: bool = False,
) -> Callable[[Any], Any]:
    def decorate(cls: Any) -> Any:
        if hasattr(cls, "__post_init__"):
            raise TypeError(
                f"{cls.__name__} has a __post_init__, which is not called here: write dataclasses.dataclass"
            )
        description = cls._description = _Description(cls, getattr(cls, "_description", None), kw_only=kw_only)
        cls.__init__ = _init
        cls.__match_args__ = description.positional  # type: ignore[misc]
        cls.__dataclass_fields__ = _STANDARD_FIELDS
        if eq:
            cls.__eq__, cls.__hash__ = _eq, _hash if frozen else None
        if order:
            cls.__lt__ = _lt
        if repr:
            cls.__repr__ = _repr
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
        return cls

    return decorate


class _NamedTupleType(type):
    """Type of `NamedTuple`: its subclasses extend tuples of `collections.namedtuple`."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        fields = namespace["__annotations__"]
        defaults = [namespace.pop(field) for field in fields if field in namespace]
        return type(name, (namedtuple(name, fields, defaults=defaults),), {"__slots__": (), **namespace})  # noqa: PYI024 - types are read from the class


if TYPE_CHECKING:
    from dataclasses import dataclass, field
    from typing import NamedTuple
else:
    dataclass, field = _dataclass, dataclasses.field

    class NamedTuple(metaclass=_NamedTupleType):
        """Tuple with the annotations of a class as fields."""
