"""
The orders in which a server may evaluate the policies that a request matches.

It takes policies, the bindings of a policy, and the params of a binding in the random order of Go's maps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.registry.admission import PolicyOrder
from pytest_crd.policies.invocations import PolicyInvocation

# All orders are tried up to this number, else each pair is swapped.
_ALL: Final = 6
# The policies with their bindings with their params, as nested lists of keys.
_Tree: TypeAlias = Any


def key_of(item: PolicyInvocation) -> Hashable:
    """Return the policy, binding and param of an invocation."""
    metadata = {} if item.param is None else item.param.get("metadata") or {}
    return item.policy.name, item.binding.name, metadata.get("namespace"), metadata.get("name")


def find_orders(items: Sequence[PolicyInvocation]) -> tuple[PolicyOrder, ...]:
    """Return the orders to try, first the order of *items*: all up to six, else each pair swapped."""
    keys: list[Any] = [key_of(item) for item in items]
    tree = _group(keys, 0)
    orders = _arrange(tree) if _count(tree) <= _ALL else itertools.chain((tuple(keys),), _swap(tree))
    return tuple(PolicyOrder(order, _describe(order)) for order in orders)


def sort(items: Sequence[PolicyInvocation], order: PolicyOrder) -> list[PolicyInvocation]:
    """Return invocations in an order; others come last."""
    places = {key: place for place, key in enumerate(order.keys)}
    return sorted(items, key=lambda item: places.get(key_of(item), len(places)))


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
