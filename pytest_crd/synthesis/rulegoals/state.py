"""States: an object and what it replaces, while both are changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectchanges import ABSENT, Mutation, Mutations, there
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.schemavalues import Maker

# What every object has, whatever its schema says.
_NAME: Final = ("metadata", "name")
_A_TEXT: Final = Demand(({"type": "string"},))


@dataclass(frozen=True, slots=True)
class Ref:
    """
    A place in the object, or in the one that it replaces.

    Attributes:
        steps: Where.
        is_old: Whether it is the one that is replaced.
    """

    steps: Steps
    is_old: bool = False

    def inner(self, step: str | int) -> Ref:
        """Return the place a step further in."""
        return Ref((*self.steps, step), self.is_old)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """
    An object and what it replaces.

    Attributes:
        new: The object.
        old: What it replaces; None where it is created.
        mutations: The changes that led to the object.
        old_moves: Those of what it replaces.
        memory: What was found out about it.
    """

    new: Any
    old: Any = None
    mutations: tuple[Mutation, ...] = ()
    old_moves: tuple[Mutation, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)

    def at(self, ref: Ref) -> Any:
        """Return what stands at a place; `ABSENT` where nothing does."""
        return there(self.old if ref.is_old else self.new, ref.steps)

    def after(self, move: Mutation, *, is_old: bool) -> State:
        """Return the state after a change of one of the objects."""
        if is_old:
            return State(self.new, move.applied(self.old), self.mutations, (*self.old_moves, move))
        return State(move.applied(self.new), self.old, (*self.mutations, move), self.old_moves)

    @property
    def change(self) -> Mutations:
        """The change of the object."""
        return Mutations(self.mutations)


@dataclass(frozen=True, slots=True)
class Editor:
    """
    Changes states.

    Attributes:
        root: What the schema asks of the whole object.
        maker: Makes values.
    """

    root: Demand
    maker: Maker

    def demand(self, ref: Ref) -> Demand:
        """Return what is asked of the value at a place."""
        found = self.root.at(ref.steps)
        return _A_TEXT if ref.steps == _NAME and not found.type else found

    def put(self, state: State, ref: Ref, value: Any) -> State | None:
        """Return the state with *value* at a place, and with what has to be around it; None where it cannot be there."""
        if ref.is_old and state.old is None:
            return None
        for depth in range(len(ref.steps)):
            outer = Ref(ref.steps[:depth], ref.is_old)
            found = state.at(outer)
            if found is ABSENT or found is None:
                found = self.maker.first(self.demand(outer))
                state = state.after(Mutation(outer.steps, found), is_old=ref.is_old)
            step = ref.steps[depth]
            if not isinstance(found, list if isinstance(step, int) else dict):
                return None
            if isinstance(step, int) and step >= len(found):
                is_next = step == len(found) and ref.steps[depth + 1 :] == ()
                return state.after(Mutation(outer.steps, [*found, value]), is_old=ref.is_old) if is_next else None
        return state.after(Mutation(ref.steps, value), is_old=ref.is_old)

    def without(self, state: State, ref: Ref) -> State | None:
        """Return the state without what stands at a place; None where nothing does, or where it has to."""
        if not ref.steps or state.at(ref) is ABSENT:
            return None
        last = ref.steps[-1]
        if isinstance(last, int):
            items = objectplaces.at(state.old if ref.is_old else state.new, ref.steps[:-1])
            return state.after(Mutation(ref.steps[:-1], items[:last] + items[last + 1 :]), is_old=ref.is_old)
        return state.after(Mutation(ref.steps), is_old=ref.is_old)

    def present(self, state: State, ref: Ref) -> State | None:
        """Return the state with something at a place."""
        found = state.at(ref)
        if found is not ABSENT and found is not None:
            return state
        return self.put(state, ref, self.maker.first(self.demand(ref)))
