"""
The chain of admission plugins: policies before webhooks, and a second round of the mutating ones after changes.

Reference:
    apiserver admission/chain.go and reinvocation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.registry.admission import AdmissionRequest, Admitted, OrderVariant, PolicyOrder
from pytest_crd.engine.registry.fieldmanager import managers
from pytest_crd.engine.registry.fieldmanager.managers import BrokenEntriesError
from pytest_crd.engine.registry.requestbody import RefusedError

_State = TypeVar("_State")
_ENTRIES: Final = metav1types.OBJECT_META.fields["managedFields"]
_INVALID: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)


class Reinvocation:
    """
    The rounds of the mutating plugins for one request.

    Attributes:
        is_again: Whether this is the second round.
        is_needed: Whether a plugin changed the object, so that there is a second round.
        order: The order of the policies; None for the order of their names.
        others: The other orders that a server may choose; a plugin with more than one order sets them in the first round.
    """

    def __init__(self, order: PolicyOrder | None = None) -> None:
        """Create before the first round."""
        self.is_again = False
        self.is_needed = False
        self.order = order
        self.others: tuple[PolicyOrder, ...] = ()
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
        rounds = _Rounds(self.plugins, Reinvocation())
        result = rounds.run(request)
        if request.orders is not None and rounds.reinvocation.others:
            results = ((order, _try(request, rounds, order)) for order in rounds.reinvocation.others)
            request.orders.variants += (
                OrderVariant(order, variant) for order, variant in results if not _equal(variant, result)
            )
        if isinstance(result, RefusedError):
            raise result
        return result

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


class _Call(NamedTuple):
    """A call of a plugin: its input and its output, and whether a second round is needed after it."""

    sent: Resource | None
    returned: Resource | None
    warnings: tuple[str, ...]
    is_needed: bool


class _OtherInputError(Exception):
    """A plugin gets another object than in the order of the names, so that its earlier answer does not count."""


class _Rounds:
    """
    The rounds of the mutating plugins in one order.

    Attributes:
        plugins: The plugins.
        reinvocation: Their state.
        calls: The calls of plugins.
        ordered: The plugin that has several orders.
    """

    def __init__(
        self, plugins: Sequence[AdmissionPlugin], reinvocation: Reinvocation, earlier: _Rounds | None = None
    ) -> None:
        """
        Create before the first round.

        Args:
            plugins: The plugins.
            reinvocation: Their state.
            earlier: The rounds in the order of the names, whose calls of other plugins are not repeated; None to make all calls.
        """
        self.reinvocation = reinvocation
        self.calls: list[_Call] = []
        self.ordered = -1
        self.plugins, self._earlier = plugins, earlier
        self._warnings: list[str] = []

    def run(self, request: AdmissionRequest) -> Admitted | RefusedError:
        """Return the result, or the refusal."""
        try:
            current = self._mutate_once(request)
            if self.reinvocation.is_needed:
                self.reinvocation.is_again = True
                if request.default_plugins is not None and current is not None:
                    current = request.default_plugins(current, request.old_object)
                current = self._mutate_once(request._replace(object=current))
            if current is not None and request.object is not None:
                is_update = request.old_object is not None
                current, problems = settle_metadata(request.object, current, is_update=is_update)
                self._warnings += problems
        except RefusedError as refused:
            return RefusedError(refused.refusal, warnings=(*self._warnings, *refused.warnings))
        return Admitted(current, tuple(self._warnings))

    def _mutate_once(self, request: AdmissionRequest) -> Resource | None:
        current = request.object
        for index, plugin in enumerate(self.plugins):
            call = self._call(index, plugin, request._replace(object=current))
            self.calls.append(call)
            current = call.returned
        return current

    def _call(self, index: int, plugin: AdmissionPlugin, request: AdmissionRequest) -> _Call:
        earlier = self._earlier
        if earlier is not None and index != earlier.ordered:
            call = earlier.calls[len(self.calls)] if len(self.calls) < len(earlier.calls) else None
            if call is None or not jsonvalue.equal(call.sent, request.object):
                raise _OtherInputError
            self._warnings += call.warnings
            self.reinvocation.is_needed = self.reinvocation.is_needed or call.is_needed
            return call
        warnings: list[str] = []
        try:
            returned = plugin.mutate(request, self.reinvocation, warnings)
        finally:
            self._warnings += warnings
        if self.reinvocation.others and self.ordered < 0:
            self.ordered = index
        return _Call(request.object, returned, tuple(warnings), self.reinvocation.is_needed)


def _try(request: AdmissionRequest, earlier: _Rounds, order: PolicyOrder) -> Admitted | RefusedError:
    """Return the result in another order; other plugins are called again only for another object."""
    request = request._replace(is_rehearsal=True)
    try:
        return _Rounds(earlier.plugins, Reinvocation(order), earlier).run(request)
    except _OtherInputError:
        return _Rounds(earlier.plugins, Reinvocation(order)).run(request)


def _equal(first: Admitted | RefusedError, second: Admitted | RefusedError) -> bool:
    """Return whether two results are equal."""
    if isinstance(first, RefusedError) or isinstance(second, RefusedError):
        return isinstance(first, RefusedError) and isinstance(second, RefusedError) and first.refusal == second.refusal
    return jsonvalue.equal(first.object, second.object) and first.warnings == second.warnings


def settle_metadata(before: Resource, after: Resource, *, is_update: bool = False) -> tuple[Resource, tuple[str, ...]]:
    """
    Return an object after admission and a warning if its managed fields are malformed; it then keeps the old ones.

    Args:
        before: The object before admission.
        after: The object after admission.
        is_update: True if it replaces a stored object: metadata that is no object then counts as empty.

    Raises:
        RefusedError: 500: the metadata of a new object is no object.

    Reference:
        apiserver endpoints/handlers/fieldmanager/admission.go; registry/rest/create.go, BeforeCreate;
        apimachinery apis/meta/v1/unstructured, GetManagedFields.
    """
    if "metadata" not in after:
        return after, ()
    metadata = after["metadata"]
    if not isinstance(metadata, Mapping):
        if is_update:
            return {**after, "metadata": {}}, ()
        raise RefusedError(refusal.internal_error("system metadata was not initialized"))
    old_entries, entries = (before.get("metadata") or {}).get("managedFields"), metadata.get("managedFields")
    # The server reads no entries in a list with a null or a wrong type.
    if entries == old_entries or _are_mistyped(entries) or None in (entries or ()):
        return after, ()
    kept = {key: value for key, value in metadata.items() if key != "managedFields"}
    try:
        managers.read(entries or ())
    except BrokenEntriesError as error:
        restored = kept if old_entries is None else {**kept, "managedFields": old_entries}
        return {**after, "metadata": restored}, (f"{_INVALID}{error}",)
    return after, ()


def _are_mistyped(entries: JSONValue) -> bool:
    try:
        converting.convert(entries, _ENTRIES)
    except MistypedError:
        return True
    return False
