"""Simulated workloads of a server, and the holds of a test on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from pytest_crd.server.store.store import ObjectKey


class NotSimulatedError(LookupError):
    """A hold without effect: nothing is simulated, or the resource is not."""


class Hold:
    """
    A hold on one object: its controller leaves it as it is. In a `with` statement it ends with the block, else with the test.

    Attributes:
        key: The key of the object.
        is_met: Whether it has held back a change.
    """

    def __init__(self, key: ObjectKey, settle: Callable[[], None]) -> None:
        """Create; *settle* runs the controllers."""
        self.key = key
        self.is_met = False
        self.is_over = False
        self._settle = settle

    def release(self) -> None:
        """End the hold: the controller writes the changes that it held back."""
        self.is_over = True
        self._settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.release()

    def __repr__(self) -> str:
        """Return the held object."""
        return f"<Hold {self}>"

    def __str__(self) -> str:
        """Return the held object, and whether anything was held back."""
        return (
            f"{self.key.resource} {self.key.path}: {'its status was held back' if self.is_met else 'held nothing back'}"
        )

    @property
    def problem(self) -> str:
        """A message if nothing was held back, so that its test tests nothing; else empty."""
        if self.is_met:
            return ""
        within = f" in the namespace {self.key.namespace}" if self.key.namespace else ""
        return f"crd_server[{self.key.resource!r}].hold({self.key.name!r}) held nothing back: no such object{within} changed"


class SimulatedWorkloads:
    """The simulated workloads of one server."""

    def __init__(self, resources: Sequence[str] = ()) -> None:
        """Create without holds; *resources* have objects that can be held back."""
        self._resources = resources
        self._holds: list[Hold] = []
        self._kinds: dict[ObjectKey, str] = {}

    def hold(self, key: ObjectKey, settle: Callable[[], None]) -> Hold:
        """
        Hold an object back, which need not exist yet; *settle* runs the controllers.

        Raises:
            NotSimulatedError: Objects of the resource are not simulated.
        """
        if key.resource not in self._resources:
            raise NotSimulatedError(f"{key.resource} cannot be held back, but {', '.join(self._resources)} can")
        hold = Hold(key, settle)
        self._holds.append(hold)
        return hold

    def is_held(self, key: ObjectKey) -> bool:
        """Return whether a test holds back a change of an object; its holds are met."""
        holds = [hold for hold in self._holds if hold.key == key and not hold.is_over]
        for hold in holds:
            hold.is_met = True
        return bool(holds)

    def note(self, key: ObjectKey, kind: str) -> None:
        """Note that the status of an object is simulated."""
        self._kinds[key] = kind

    @property
    def simulated(self) -> Mapping[str, int]:
        """The number of objects with a simulated status since the start of the server, by kind."""
        return Counter(self._kinds.values())

    @property
    def count(self) -> int:
        """The number of holds."""
        return len(self._holds)

    def end(self, start: int = 0) -> None:
        """End the holds after the first *start* ones, and forget them."""
        holds, self._holds = self._holds[start:], self._holds[:start]
        for hold in holds:
            hold.release()

    def clear(self) -> None:
        """Forget all holds and objects, as the server starts again."""
        self._holds.clear()
        self._kinds.clear()

    def unmet(self, start: int = 0) -> list[str]:
        """Return a message for each hold after the first *start* ones that held nothing back."""
        return [hold.problem for hold in self._holds[start:] if hold.problem]

    def lines(self) -> list[str]:
        """Return the lines of a report: the simulated objects, and each hold."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.simulated.items()))
        simulated = [f"simulated, as nothing runs: the status of {kinds}"] if kinds else []
        return [*simulated, *(f"hold: {hold}" for hold in self._holds)]
