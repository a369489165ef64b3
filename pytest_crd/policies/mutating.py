"""
The admission plugin of MutatingAdmissionPolicies.

Reference:
    apiserver admission/plugin/policy/mutating/dispatcher.go, dispatchInvocations and dispatchOne.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.admission.chain import Reinvocation, ReinvokedPlugins
from pytest_crd.admission.expressions.admissionexpressions import CostBudget, OutOfBudgetError
from pytest_crd.admission.matching.matchconditions import MatchConditionError
from pytest_crd.admission.matching.matchcriteria import Invocation
from pytest_crd.admission.patches import applyconfiguration, jsonpatching, valueorigins
from pytest_crd.admission.patches.patchvalues import FailedMutationError
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.admission.versionedobjects import NotConvertedError, VersionedObjects
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Denial
from pytest_crd.engine.golang import converting, decoding, printing
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import schemes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import scale
from pytest_crd.engine.registry.admission import AdmissionRequest, GoObjects, PolicyOrder
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import activation, compiledpolicies, evaluating, invocations, policyrefusals
from pytest_crd.policies.compiledpolicies import CompiledPolicy
from pytest_crd.policies.definitions import APPLY_CONFIGURATION, INVALID, Policy, PolicyBinding
from pytest_crd.policies.evaluating import PolicyPart
from pytest_crd.policies.invocations import BoundPolicy, ConfigurationProblem, PolicyInvocation
from pytest_crd.policies.policycontext import PolicyContext

_PLUGIN: Final = "MutatingAdmissionPolicy"
# The cost limit of a mutation with its variables.
_BUDGET: Final = 10_000_000
_GO_SCALE: Final = GoObjects(scale.SCALE, lambda value: value)
_FORBIDDEN: Final = "Forbidden"

# The server decodes the patched Scale of a custom resource as a custom resource.
_SCALE: Final = "request to convert CR to an invalid group/version: autoscaling/v1"
# All orders are tried up to this number, else each pair is swapped.
_ALL: Final = 6
# The policies with their bindings with their params, as nested lists of keys.
_Tree: TypeAlias = Any


def mutate(
    policies: Sequence[BoundPolicy],
    request: AdmissionRequest,
    policy_context: PolicyContext,
    profile: Profile,
    reinvocation: Reinvocation,
) -> Resource | None:
    """
    Return the object of a request after the policies that it matches.

    Args:
        policies: The policies with their bindings.
        request: The request.
        policy_context: Namespaces, params and listeners.
        profile: The Kubernetes version.
        reinvocation: The rounds of the mutating plugins.

    Raises:
        RefusedError: A policy fails with the failure policy Fail, or its result is no object of its kind.
        UnsupportedExpressionError: A policy uses a feature that the server has and this engine has not.
    """
    return _Round(request, policy_context, profile, reinvocation).run(policies)


class _Round:
    """One round of all policies for one request."""

    def __init__(
        self, request: AdmissionRequest, policy_context: PolicyContext, profile: Profile, reinvocation: Reinvocation
    ) -> None:
        self._request = request
        self._context = policy_context.unheard if request.is_rehearsal else policy_context
        self._profile = profile
        self._reinvocation = reinvocation
        self._reinvoked = reinvocation.state_of(_PLUGIN, ReinvokedPlugins)
        # The server mutates the object in each version on its own, and keeps the last one.
        self._by_version: dict[Invocation, VersionedObjects] = {}
        self._last: VersionedObjects | None = None
        self._failures: list[tuple[Denial, str]] = []

    def run(self, policies: Sequence[BoundPolicy]) -> Resource | None:
        """Return the object after the policies."""
        policy_context, result = self._context, self._request.object
        # Policies match the object before all mutations.
        matching = [*invocations.find(policies, self._request, policy_context.namespace_of, policy_context.params)]
        items = [item for item in matching if self._is_ready(item)]
        if items:
            result = self._invoke_all(self._order([item for item in items if isinstance(item, PolicyInvocation)]))
        if self._failures:
            raise RefusedError(policyrefusals.refuse_failures(self._request, self._failures))
        return result

    def _order(self, items: list[PolicyInvocation]) -> list[PolicyInvocation]:
        """Return the invocations in the order of the attempt; offer the other orders in the first attempt."""
        if len(items) == 1:
            return items
        orders, reinvocation = self._request.orders, self._reinvocation
        if reinvocation.order is not None:
            return sort_invocations(items, reinvocation.order)
        if orders is not None and not reinvocation.is_again:
            own, *others = find_orders(items)
            orders.own, orders.report = own.words, self._context.listeners.observe_order
            reinvocation.others = tuple(others)
        return items

    def _is_ready(self, item: PolicyInvocation | ConfigurationProblem) -> bool:
        """Return whether a policy can be evaluated; note its problem otherwise."""
        if isinstance(item, PolicyInvocation):
            self._context.listeners.observe_match(item)
            if item.invocation in self._by_version:
                return True
            objects = VersionedObjects(self._request, self._profile)
            try:
                objects.convert(item.invocation)
            except NotConvertedError as error:
                item = ConfigurationProblem.of_policy(item.policy, str(error))
            else:
                self._by_version[item.invocation] = objects
                return True
        self._context.listeners.observe_problem(item)
        self._fail(item.policy, item.binding, item.message, _FORBIDDEN)
        return False

    def _invoke_all(self, items: Sequence[PolicyInvocation]) -> Resource | None:
        self._reinvoked.begin(self._reinvocation, self._request.object)
        namespace = activation.find_namespace(self._request, self._context.namespace_of)
        for item in items:
            self._invoke(item, namespace)
        result, last = self._request.object, self._last
        if last is not None and last.is_changed:
            self._note_change()
            try:
                result = last.result()
            except NotConvertedError as error:
                raise RefusedError(refusal.internal_error(f"failed to convert object: {error}")) from None
        self._reinvoked.end(result)
        return result

    def _invoke(self, item: PolicyInvocation, namespace: Resource | None) -> None:
        """Evaluate the mutations of a policy with a binding and a param, each on the object of the one before."""
        policy, binding = item.policy, item.binding
        objects = self._by_version[item.invocation]
        compiled = compiledpolicies.compile(policy, self._profile)
        variables = activation.activate(item, self._request, objects, namespace)
        try:
            if not evaluating.meets_conditions(compiled, variables, self._context.listeners.observe):
                return
        except MatchConditionError as error:
            self._fail(policy, binding, str(error))
            return
        key = invocation_key(item)
        if self._reinvocation.is_again and not self._reinvoked.calls_again(key):
            return
        before = objects.new
        for index in range(len(policy.mutations)):
            self._last = objects
            if objects.new is None:
                continue
            try:
                objects.change(self._mutate(item, compiled, index, objects, namespace))
            except FailedMutationError as error:
                self._fail(policy, binding, str(error))
        if not jsonvalue.equal(before, objects.new):
            self._note_change()
        if policy.reinvocation_policy == "IfNeeded":
            self._reinvoked.note_call(key)

    def _note_change(self) -> None:
        self._reinvoked.note_change()
        self._reinvocation.is_needed = True

    def _mutate(
        self,
        item: PolicyInvocation,
        compiled: CompiledPolicy,
        index: int,
        objects: VersionedObjects,
        namespace: Resource | None,
    ) -> Resource:
        """
        Return the object after one mutation.

        Raises:
            FailedMutationError: The mutation fails.
            RefusedError: 500: the result is no object of its kind.
        """
        expression, current = compiled.mutations[index], objects.new or {}
        if expression.program is None:
            raise FailedMutationError(expression.problem)
        find_type = self._request.interfaces.merge_type
        if find_type is None:
            raise UnsupportedExpressionError(f"mutations of {current.get('kind')} by policies")
        variables = activation.activate(item, self._request, objects, namespace).expressions
        part = PolicyPart(compiled, "mutations", self._context.listeners.observe)
        try:
            with valueorigins.tracking() as joined:
                outcome = part.evaluate_at(index, expression, variables, CostBudget(_BUDGET))
        except OutOfBudgetError as error:
            raise FailedMutationError(str(error)) from None
        if outcome.problem:
            raise FailedMutationError(outcome.problem)
        origins = Origins(variables, joined, reflects=self._profile.reflects_requests)
        go = self._request.interfaces.go
        if go is not None and (problem := self._find_unconvertible(item.invocation, go)):
            raise FailedMutationError(problem)
        if item.policy.mutations[index].patch_type == APPLY_CONFIGURATION:
            merged = applyconfiguration.apply(outcome.value, origins, current, find_type(current))
            return merged if go is None else _decode(jsonvalue.written(merged), go)
        is_scale = self._request.subresource == "scale"
        go = _GO_SCALE if is_scale and go is not None else go
        patched = jsonpatching.apply(outcome.value, origins, current, go and go.type, self._profile)
        if is_scale and go is None and patched is not current:
            raise FailedMutationError(_SCALE)
        return patched if go is None else go.default({**patched})

    def _find_unconvertible(self, invocation: Invocation, go: GoObjects) -> str:
        """
        Return why the server cannot convert a patched object of a built-in kind to the version of the request; empty if it need not.

        Its scheme has no conversions between versions without the internal one.
        """
        version = self._request.version
        if invocation.group != self._request.group:
            api_version = declared.api_version(self._request.group, version)
            return schemes.unsuitable(go.type.name, api_version, self._profile)
        if invocation.version == version:
            return ""
        kind = go.type.name.partition(".")[2]
        return f"converting ({invocation.version}.{kind}) to ({version}.{kind}): unknown conversion"

    def _fail(self, policy: Policy, binding: PolicyBinding | None, problem: str, reason: str = INVALID) -> None:
        """Note a policy that fails, unless its failure policy is Ignore."""
        if policy.failure_policy == "Ignore":
            return
        by = f"policy {printing.quote(policy.name)}"
        if binding is not None:
            by = f"policy '{policy.name}' with binding '{binding.name}'"
        self._failures.append((Denial(policy.name, problem, reason, policy.texts), f"{by} denied request: {problem}"))


def _decode(merged: Resource, go: GoObjects) -> Resource:
    """
    Return a merged object of a built-in kind, decoded and with defaults.

    Raises:
        FailedMutationError: It does not fit its Go type.

    Reference:
        apimachinery runtime/scheme.go, unstructuredToTyped.
    """
    try:
        decoded = decoding.decode(converting.convert(merged, go.type), go.type).value
    except (MistypedError, DecodeError) as error:
        cannot = f"unable to convert unstructured object to {applyconfiguration.spell_kind(merged)}"
        raise FailedMutationError(f"{cannot}: {error}") from None
    return go.default({**decoded, "apiVersion": merged["apiVersion"], "kind": merged["kind"]})


def invocation_key(item: PolicyInvocation) -> Hashable:
    """Return the policy, binding and param of an invocation."""
    metadata = {} if item.param is None else item.param.get("metadata") or {}
    return item.policy.name, item.binding.name, metadata.get("namespace"), metadata.get("name")


def find_orders(items: Sequence[PolicyInvocation]) -> tuple[PolicyOrder, ...]:
    """Return the orders to try, first the order of *items*: all up to six, else each pair swapped."""
    keys: list[Any] = [invocation_key(item) for item in items]
    tree = _group(keys, 0)
    orders = _arrange(tree) if _count(tree) <= _ALL else itertools.chain((tuple(keys),), _swap(tree))
    return tuple(PolicyOrder(order, _describe(order)) for order in orders)


def sort_invocations(items: Sequence[PolicyInvocation], order: PolicyOrder) -> list[PolicyInvocation]:
    """Return invocations in an order; others come last."""
    places = {key: place for place, key in enumerate(order.keys)}
    return sorted(items, key=lambda item: places.get(invocation_key(item), len(places)))


def _group(keys: Sequence[Any], level: int) -> _Tree:
    if level == 3:
        return keys[0]
    groups = itertools.groupby(keys, lambda key: key[level] if level < 2 else key[2:])
    return [_group(list(group), level + 1) for _, group in groups]


def _count(tree: _Tree) -> int:
    if not isinstance(tree, list):
        return 1
    return math.factorial(len(tree)) * math.prod(map(_count, tree))


def _arrange(tree: _Tree) -> Iterator[tuple[Hashable, ...]]:
    """Yield all orders."""
    if not isinstance(tree, list):
        yield (tree,)
        return
    for permutation in itertools.permutations(tree):
        for parts in itertools.product(*map(_arrange, permutation)):
            yield tuple(itertools.chain(*parts))


def _swap(tree: _Tree) -> Iterator[tuple[Hashable, ...]]:
    """Yield the orders in which two items of one level have changed places."""
    if not isinstance(tree, list):
        return
    for first, second in itertools.combinations(range(len(tree)), 2):
        swapped = [*tree]
        swapped[first], swapped[second] = tree[second], tree[first]
        yield _flatten(swapped)
    for index, child in enumerate(tree):
        for order in _swap(child):
            yield (*_flatten(tree[:index]), *order, *_flatten(tree[index + 1 :]))


def _flatten(tree: _Tree) -> tuple[Hashable, ...]:
    return tuple(itertools.chain(*map(_flatten, tree))) if isinstance(tree, list) else (tree,)


def _describe(order: Sequence[Any]) -> str:
    """Return the policies in an order; with the binding and the param if a policy is evaluated more than once."""
    policies = [key[0] for key in order]
    return ", ".join(key[0] if policies.count(key[0]) == 1 else f"{key[0]} ({_describe_param(key)})" for key in order)


def _describe_param(key: Any) -> str:
    _, binding, namespace, name = key
    return (
        f"binding {binding}"
        if name is None
        else f"binding {binding}, param {'/'.join(filter(None, (namespace, name)))}"
    )
