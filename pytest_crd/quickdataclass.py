"""
`dataclass` as the standard library's, made in a tenth of the time.

That writes and compiles up to eight functions for each class: 140 classes of a run take as long as 60 modules. Here a class gets its slots, and
what it is asked for later: its constructor is compiled once somebody makes an object, its fields are looked at once somebody compares two,
which few classes see in a run.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast


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
    all_names = (*_inherited(given), *_named(own))
    cls: Any = _slotted(given, own, all_names) if options.pop("slots", False) else _without_fields(given, own)
    learn = _Learning(cls, own, options)
    for name in _LEARNED:
        setattr(cls, name, _Later(functools.partial(learn, name), all_names))
    cls.__replace__ = _replaced
    if "__init__" not in own:
        cls.__init__ = _Later(functools.partial(_add_init, cls, is_frozen=is_frozen))
    if is_shown and "__repr__" not in own:
        cls.__repr__ = _shown
    if is_compared:
        _compare(cls, own, is_frozen=is_frozen)
    if is_frozen:
        cls.__setattr__, cls.__delattr__ = _set, _delete
        if "__slots__" in vars(cls):
            cls.__getstate__, cls.__setstate__ = _state, _restore
    return cls  # type: ignore[no-any-return]


# What `dataclasses` knows of a class, and what patterns do.
_LEARNED: Final = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


# What a class is made with beside its fields.
_OF_CLASSES: Final = ("__annotations__", "__module__", "__orig_bases__")


class _Later:
    """Stands for an attribute of a class until somebody asks for it; the *names* of its fields are known before."""

    def __init__(self, find: Callable[[], Any], names: Sequence[str] = ()) -> None:
        self._find = find
        self.names = names

    def __get__(self, one: object, _: type | None = None) -> Any:
        found = self._find()
        return found if one is None or not hasattr(found, "__get__") else found.__get__(one)


class _Learning:
    """Finds out what the standard library makes of the fields of a class, of another that has the same."""

    def __init__(self, cls: type, own: Mapping[str, Any], options: Mapping[str, bool]) -> None:
        self._cls = cls
        self._own = own
        self._options = options

    def __call__(self, name: str) -> Any:
        cls, own = self._cls, self._own
        annotations = own.get("__annotations__", {})
        stated = {key: own[key] for key in (*annotations, *_OF_CLASSES) if key in own}
        alike = type(cls)(cls.__name__, cls.__bases__, stated)
        alike.__doc__ = cls.__doc__
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **self._options)(alike)
        for one in _LEARNED:
            setattr(cls, one, getattr(made, one))
        return getattr(cls, name)


def _named(own: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in a class's body; all annotations are texts."""
    return [name for name, kind in own.get("__annotations__", {}).items() if not kind.startswith("ClassVar[")]


def _inherited(given: type) -> Iterator[str]:
    """Yield the names of the fields of the dataclasses above a class."""
    for one in reversed(given.__mro__[1:-1]):
        known = vars(one).get("__dataclass_fields__", ())
        yield from known.names if isinstance(known, _Later) else known


def _slotted(given: type, own: Mapping[str, Any], all_names: Sequence[str]) -> type:
    """Return a class that has a slot for each field that no class above has one for."""
    names = _named(own)
    held = {slot for one in given.__mro__[1:-1] for slot in vars(one).get("__slots__", ())}
    kept = {key: value for key, value in own.items() if key not in names and key not in ("__dict__", "__weakref__")}
    kept["__slots__"] = tuple(name for name in dict.fromkeys(all_names) if name not in held)
    made: type = type(given)(given.__name__, given.__bases__, kept)
    made.__qualname__ = given.__qualname__
    return made


def _without_fields(given: type, own: Mapping[str, Any]) -> type:
    """Return the class, on which stands a default, and nothing else of a field."""
    for name in _named(own):
        if isinstance(stated := own.get(name), Field):
            if stated.default is MISSING:
                delattr(given, name)
            else:
                setattr(given, name, stated.default)
    return given


def _add_init(cls: type, *, is_frozen: bool) -> Any:
    made: Any = _init(cls, is_frozen=is_frozen)
    cast("Any", cls).__init__ = made
    return made


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


@reprlib.recursive_repr()
def _shown(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _values(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return what gives the values of fields, as quickly as Python can."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return (lambda self: (getattr(self, names[0]),)) if names else lambda _: ()


def _compare(cls: type, own: Mapping[str, Any], *, is_frozen: bool) -> None:
    """Add what compares, and what hashes, where the class has none of its own."""

    def equals(self: object, other: object) -> Any:
        values = _values([one.name for one in fields(made) if one.compare])

        def equals(self: object, other: object) -> Any:
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        made.__eq__ = equals
        return equals(self, other)

    def hash_of(self: object) -> int:
        values = _values([one.name for one in fields(made) if one.compare and one.hash is not False])

        def hash_of(self: object) -> int:
            return hash(values(self))

        made.__hash__ = hash_of
        return hash_of(self)

    made: Any = cls
    if "__eq__" not in own:
        made.__eq__ = equals
    is_stated = "__hash__" in own and (own["__hash__"] is not None or "__eq__" not in own)
    if not is_stated:
        made.__hash__ = hash_of if is_frozen else None


def _replaced(self: Any, /, **changes: Any) -> Any:
    """Return an object with other values, as `copy.replace` asks for it."""
    return dataclasses.replace(self, **changes)


def _set(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
