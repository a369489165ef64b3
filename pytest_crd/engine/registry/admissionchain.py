"""
The chain of admission plugins: policies before webhooks, and a second round of the mutating ones after changes.

Reference:
    apiserver admission/chain.go and reinvocation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, TypeVar

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry import admittedmetadata
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError

_State = TypeVar("_State")


class Reinvocation:
    """
    The rounds of the mutating plugins for one request.

    Attributes:
        is_again: Whether this is the second round.
        is_needed: Whether a plugin changed the object, so that there is a second round.
    """

    def __init__(self) -> None:
        """Create before the first round."""
        self.is_again = False
        self.is_needed = False
        self._states: dict[Hashable, Any] = {}

    def state_of(self, plugin: Hashable, make: Callable[[], _State]) -> _State:
        """Return the state of a plugin for the request, made in its first round."""
        if plugin not in self._states:
            self._states[plugin] = make()
        state: _State = self._states[plugin]
        return state


class ReinvokedPlugins:
    """
    The webhooks or policies of one plugin that the second round calls again, by hashable keys.

    Reference:
        apiserver admission/plugin/webhook/mutating/reinvocationcontext.go; plugin/policy/mutating/reinvocationcontext.go.
    """

    def __init__(self) -> None:
        """Create before the first round."""
        self._again: set[Hashable] = set()
        self._called: set[Hashable] = set()
        self._output: Resource | None = None

    def begin(self, reinvocation: Reinvocation, current: Resource | None) -> None:
        """Begin a round; in the second one, changes of other plugins demand the calls before them again."""
        if reinvocation.is_again and not jsonvalue.equal(self._output, current):
            self.note_change()

    def end(self, current: Resource | None) -> None:
        """End a round with its object."""
        self._output = current

    def note_change(self) -> None:
        """Call all again that were called before and allow it."""
        self._again |= self._called
        self._called.clear()

    def note_call(self, key: Hashable) -> None:
        """Remember a call that may be repeated."""
        self._called.add(key)

    def calls_again(self, key: Hashable) -> bool:
        """Return whether the second round makes a call again."""
        return key in self._again


class AdmissionPlugin(Protocol):
    """A plugin of the chain."""

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:
        """
        Return the object of a request after the plugin.

        Args:
            request: The request.
            reinvocation: The rounds.
            warnings: Takes the warnings for the client.

        Raises:
            RefusedError: The plugin refuses the request.
        """

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        """
        Validate a request.

        Args:
            request: The request.
            warnings: Takes the warnings for the client.

        Raises:
            RefusedError: The plugin refuses the request.
        """


class AdmissionChain(NamedTuple):
    """
    A chain of admission plugins.

    Attributes:
        plugins: The plugins in their order.
    """

    plugins: tuple[AdmissionPlugin, ...]

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """
        Return the object after the mutating plugins, and their warnings.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        warnings: list[str] = []
        reinvocation = Reinvocation()
        try:
            current = self._mutate_once(request, reinvocation, warnings)
            if reinvocation.is_needed:
                reinvocation.is_again = True
                current = self._mutate_once(request._replace(object=current), reinvocation, warnings)
            if current is not None and request.object is not None:
                is_update = request.old_object is not None
                current, problems = admittedmetadata.settle(request.object, current, is_update=is_update)
                warnings += problems
        except RefusedError as refused:
            raise RefusedError(refused.refusal, warnings=(*warnings, *refused.warnings)) from None
        return Admitted(current, tuple(warnings))

    def validate(self, request: AdmissionRequest) -> Admitted:
        """
        Return the unchanged object, and the warnings of the validating plugins; the first refusal ends the chain.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        warnings: list[str] = []
        try:
            for plugin in self.plugins:
                plugin.validate(request, warnings)
        except RefusedError as refused:
            raise RefusedError(refused.refusal, warnings=(*warnings, *refused.warnings)) from None
        return Admitted(request.object, tuple(warnings))

    def _mutate_once(
        self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]
    ) -> Resource | None:
        current = request.object
        for plugin in self.plugins:
            current = plugin.mutate(request._replace(object=current), reinvocation, warnings)
        return current
