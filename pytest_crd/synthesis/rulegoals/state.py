"""States: pairs of a new and an old object that a search changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectchanges import ABSENT, Mutation, Mutations, value_at
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.schemavalues import Maker

# The name, which every object has even if the schema does not declare it.
_NAME: Final = ("metadata", "name")
_A_TEXT: Final = Demand(({"type": "string"},))


@dataclass(frozen=True, slots=True)
class Ref:
    """
    A place in the new or the old object.

    Attributes:
        steps: The steps of the place.
        is_old: Whether the place is in the old object.
    """

    steps: Steps
    is_old: bool = False

    def inner(self, step: str | int) -> Ref:
        """Return the place one step further in."""
        return Ref((*self.steps, step), self.is_old)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """
    A new object and the object that it replaces.

    Attributes:
        new: The new object.
        old: The object that it replaces; None if it is created.
        mutations: The changes made to the new object.
        old_moves: The changes made to the old object.
        memory: A cache of values derived from the state.
    """

    new: Any
    old: Any = None
    mutations: tuple[Mutation, ...] = ()
    old_moves: tuple[Mutation, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)

    def at(self, ref: Ref) -> Any:
        """Return the value at a place; `ABSENT` if it is missing."""
        return value_at(self.old if ref.is_old else self.new, ref.steps)

    def after(self, move: Mutation, *, is_old: bool) -> State:
        """Return the state after a change to either object."""
        if is_old:
            return State(self.new, move.applied(self.old), self.mutations, (*self.old_moves, move))
        return State(move.applied(self.new), self.old, (*self.mutations, move), self.old_moves)

    @property
    def change(self) -> Mutations:
        """The changes to the new object."""
        return Mutations(self.mutations)


@dataclass(frozen=True, slots=True)
class Editor:
    """
    An editor of states.

    Attributes:
        root: The demand on the whole object.
        maker: The source of values.
        fixed: The steps of a part of the new object that must not change; None if all may.
    """

    root: Demand
    maker: Maker
    fixed: Steps | None = None

    def demand(self, ref: Ref) -> Demand:
        """Return the demand on the value at a place."""
        demand = self.root.at(ref.steps)
        return _A_TEXT if ref.steps == _NAME and not demand.type else demand

    def put(self, state: State, ref: Ref, value: Any) -> State | None:
        """Return *state* with *value* at a place, and missing parents created; None if the place cannot exist."""
        if (ref.is_old and state.old is None) or self._is_fixed(ref):
            return None
        for depth in range(len(ref.steps)):
            outer = Ref(ref.steps[:depth], ref.is_old)
            parent = state.at(outer)
            if parent is ABSENT or parent is None:
                parent = self.maker.first(self.demand(outer))
                state = state.after(Mutation(outer.steps, parent), is_old=ref.is_old)
            step = ref.steps[depth]
            if not isinstance(parent, list if isinstance(step, int) else dict):
                return None
            if isinstance(step, int) and step >= len(parent):
                is_next = step == len(parent) and ref.steps[depth + 1 :] == ()
                return state.after(Mutation(outer.steps, [*parent, value]), is_old=ref.is_old) if is_next else None
        return state.after(Mutation(ref.steps, value), is_old=ref.is_old)

    def without(self, state: State, ref: Ref) -> State | None:
        """Return *state* without the value at a place; None if there is no such value, or the place is the root."""
        if not ref.steps or state.at(ref) is ABSENT or self._is_fixed(ref):
            return None
        last = ref.steps[-1]
        if isinstance(last, int):
            items = objectplaces.get_value(state.old if ref.is_old else state.new, ref.steps[:-1])
            return state.after(Mutation(ref.steps[:-1], items[:last] + items[last + 1 :]), is_old=ref.is_old)
        return state.after(Mutation(ref.steps), is_old=ref.is_old)

    def _is_fixed(self, ref: Ref) -> bool:
        """Return True if a change at a place would change the fixed part."""
        if self.fixed is None or ref.is_old:
            return False
        return all(own == step for own, step in zip(ref.steps, self.fixed, strict=False))

    def present(self, state: State, ref: Ref) -> State | None:
        """Return *state* with any value at a place; None if the place cannot exist."""
        value = state.at(ref)
        if value is not ABSENT and value is not None:
            return state
        return self.put(state, ref, self.maker.first(self.demand(ref)))
