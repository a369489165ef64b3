"""
`NamedTuple` as the standard library's, made in a tenth of the time.

That compiles each annotation, and a constructor for each class: 140 classes of a run take as long as 60 modules. Here annotations stay
texts, and a constructor is compiled once somebody makes a tuple, which few classes see in a run.
"""

from __future__ import annotations

import collections
import itertools
import operator
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

# Of a tuple what reads its first fields at C's speed, whatever class it is of.
_NAMES: Final = [f"field{index}" for index in range(64)]
_DONOR: Final = vars(collections.namedtuple("_DONOR", _NAMES))  # noqa: PYI024 - its annotations would be compiled
_READERS: Final[list[Any]] = [_DONOR[name] for name in _NAMES]


class _Made(tuple[Any, ...]):
    """What all named tuples have in common; what it is called, and what it takes, is that of `collections.namedtuple`."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]
    _field_defaults: ClassVar[Mapping[str, Any]]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Make the constructor of the class, which stands here from then on, and call it."""
        owner: Any = next(one for one in cls.__mro__ if "_fields" in vars(one))
        owner.__new__ = _constructor(owner)
        made: Self = owner.__new__(cls, *values, **named)
        return made

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **named: Any) -> Self:
        made = self._make(map(named.pop, self._fields, self))
        if named:
            raise TypeError(f"Got unexpected field names: {list(named)!r}")
        return made

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


def _constructor(owner: type[_Made]) -> Any:
    """Return what makes a tuple of the values of all fields, each by place or by name."""
    names = ", ".join(owner._fields)
    listed = f"{names}," if names else ""
    code = f"lambda _cls, {listed}: _new(_cls, ({listed}))" if names else "lambda _cls: _new(_cls, ())"
    made: Any = eval(code, {"_new": tuple.__new__})  # noqa: S307 - of names alone
    made.__defaults__ = tuple(owner._field_defaults.values())
    made.__name__, made.__qualname__ = "__new__", f"{owner.__qualname__}.__new__"
    return made


class _Making(type):
    """Makes a class of what stands below `class …(NamedTuple):`."""

    def __new__(cls, name: str, bases: tuple[type, ...], own: dict[str, Any]) -> Any:
        fields = tuple(own.get("__annotations__", ()))
        defaults = {field: own.pop(field) for field in fields if field in own}
        for before, field in itertools.pairwise(fields):
            if before in defaults and field not in defaults:
                raise TypeError(f"Non-default namedtuple field {field} cannot follow default field {before}")
        for index, field in enumerate(fields):
            own[field] = _READERS[index] if index < len(_READERS) else property(operator.itemgetter(index))
        own |= {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields, "__slots__": ()}
        return type(name, (_Made, *bases[1:]), own)


class _NamedTuple:
    """Stands for itself behind the name of a class, and for nothing in its bases."""

    _first: Final = (type.__new__(_Making, "_First", (), {}),)

    def __mro_entries__(self, _: tuple[object, ...]) -> tuple[type, ...]:
        return self._first


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - for type checkers it is that one
else:
    NamedTuple = _NamedTuple()
