"""Dataclasses that are made quickly behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from pytest_crd import quickdataclass

T = TypeVar("T")
Make = Callable[..., Any]


def _plain(make: Make) -> Any:
    class Plain:
        a: int
        b: str = "x"
        c: list[int] = field(default_factory=list)

    return make(Plain)


def _with_every_kind_of_field(make: Make) -> Any:
    class Kinds:
        """Its fields are of all kinds."""

        a: int
        hidden: int = field(repr=False, compare=False)
        given: int = field(default=3, init=False)
        made: list[int] = field(default_factory=list, init=False)
        unset: int = field(init=False, compare=False, repr=False)
        unhashed: int = field(default=4, hash=False)
        named: int = field(default=5, kw_only=True)
        first: int = field(default_factory=lambda: 6, kw_only=True)

    return make(Kinds)


def _with_own_methods(make: Make) -> Any:
    class Own:  # noqa: PLW1641 - that it has no hash is of interest
        a: int
        b: int = 2

        def __init__(self, a: int) -> None:
            object.__setattr__(self, "a", -a)
            object.__setattr__(self, "b", a)

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return self is other

    return make(Own)


def _with_own_hash(make: Make) -> Any:
    class Hashed:
        a: list[int]

        def __hash__(self) -> int:
            return 1

    return make(Hashed)


def _without_hash(make: Make) -> Any:
    class Unhashed:
        a: int
        __hash__ = None  # type: ignore[assignment]

    return make(Unhashed)


def _prepared(make: Make) -> Any:
    class Prepared:
        a: int
        twice: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.a)

    return make(Prepared)


def _derived(make: Make) -> Any:
    class Base:
        a: int
        b: int = 1

    made: Any = make(Base)

    class Derived(made):  # type: ignore[misc]
        c: int = 2

    return make(Derived)


def _generic(make: Make) -> Any:
    class Holder(Generic[T]):
        a: T
        b: int = 1

    return make(Holder)


def _of_one(make: Make) -> Any:
    class One:
        a: Any

    return make(One)


def _empty(make: Make) -> Any:
    class Empty:
        pass

    return make(Empty)


CLASSES = (
    _plain,
    _with_every_kind_of_field,
    _with_own_methods,
    _with_own_hash,
    _without_hash,
    _prepared,
    _derived,
    _generic,
    _of_one,
    _empty,
)
OPTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "repr": False},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "slots": True, "order": True},
)


def _tried(attempt: Callable[[], object]) -> object:
    try:
        return attempt()
    except (TypeError, AttributeError, ValueError) as error:
        return type(error), str(error)


def _asked(one: Any) -> Iterator[Callable[[], object]]:
    """Yield what is asked of an object, each time of one that is like it."""
    yield lambda: copy.deepcopy(one) == one
    yield lambda: hash(copy.copy(one)) == hash(one)
    yield lambda: setattr(copy.copy(one), "a", 5)
    yield lambda: delattr(copy.copy(one), "a")
    yield lambda: dataclasses.replace(one, a=9).a
    yield lambda: dataclasses.replace(one, given=9)
    yield lambda: one.__replace__(a=9).a if sys.version_info >= (3, 13) else None
    yield lambda: (one.given, one.made, one.first, one.named)


def _seen(make: Callable[[Make], Any], dataclass: Make, options: dict[str, bool]) -> list[object]:
    """Return what is seen of a class and its objects."""
    cls: Any = make(dataclass(**options))
    called: tuple[tuple[tuple[int, ...], dict[str, int]], ...] = (
        ((), {}),
        ((1,), {}),
        ((1, 2), {}),
        ((), {"a": 1}),
        ((1,), {"hidden": 2, "named": 7}),
        ((1, 2, 3, 4), {}),
    )
    objects = [_tried(lambda given=given: cls(*given[0], **given[1])) for given in called]  # type: ignore[misc]
    right = [one for one in objects if isinstance(one, cls)]
    seen: list[object] = [cls.__match_args__, cls.__name__, "__dict__" in dir(cls), len(right)]
    seen += [str(inspect.signature(cls)), [(one.name, one.type, one.kw_only) for one in dataclasses.fields(cls)]]
    seen += [str(one) for one in objects if not isinstance(one, cls)]
    for one in right:
        seen += [repr(one) if "object at" not in repr(one) else "object", one == 1, one != right[0]]
        seen += [_tried(ask) for ask in _asked(one)]
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=lambda one: "-".join(one) or "none")
@pytest.mark.parametrize("make", CLASSES, ids=lambda one: one.__name__.strip("_"))
def test_a_dataclass_behaves_as_the_one_of_the_standard_library(
    make: Callable[[Make], type], options: dict[str, bool]
) -> None:
    if options.get("order") and make is _with_own_methods:
        options = {**options, "order": False}
    if make is _empty:
        options = {
            **options,
            "slots": False,
        }  # in the standard library, setting what is no field of a frozen one fails otherwise

    assert _seen(make, quickdataclass.dataclass, options) == _seen(make, dataclasses.dataclass, options)


@quickdataclass.dataclass(frozen=True, slots=True)
class Kept:
    """A frozen object that another process may get."""

    a: int
    inner: object = None


def test_a_frozen_object_is_pickled() -> None:
    kept = Kept(1, Kept(2))

    assert pickle.loads(pickle.dumps(kept)) == kept  # noqa: S301 - of this test


def test_an_object_that_holds_itself_is_shown() -> None:
    @quickdataclass.dataclass
    class Ring:
        """Leads to itself."""

        to: object = None

    ring = Ring()
    ring.to = ring

    assert repr(ring).endswith("Ring(to=...)")


def test_a_class_without_words_gets_no_signature_for_words() -> None:
    @quickdataclass.dataclass(slots=True)
    class Silent:
        a: int

    assert Silent.__doc__ == "Silent"


def test_an_object_is_replaced_on_each_python() -> None:
    assert Kept(1).__replace__(a=2) == Kept(2)  # type: ignore[attr-defined] # that of the standard library has it since 3.13
