"""
Calls that collect the params of a binding.

`params`: the `kind` of a policy with its `scope`, the `reference` of a binding, the `namespace` of a request and the `objects` of
the kind; the collected `params`, or `error`. Objects have only the fields that decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_crd.policies import definitions, params
from pytest_crd.policies.definitions import VALIDATING_BINDING, ParamKind
from pytest_crd.policies.params import ParamError


class _Source(NamedTuple):
    """The objects of a call."""

    scope: str
    objects: Sequence[Any]

    def is_namespaced(self, _kind: ParamKind) -> bool:
        return self.scope == "namespace"

    def read(self, _kind: ParamKind, namespace: str) -> Sequence[Any]:
        params = (each for each in self.objects if (each["metadata"]["namespace"] or "") == namespace)
        return sorted(params, key=lambda each: str(each["metadata"]["name"]))


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    unlisted = [each for each in fact.get("params") or () if each is not None and each not in (fact["objects"] or ())]
    return "the test delays the cache of params" if unlisted else ""


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    kind, spec = fact.get("kind"), {"policyName": "policy", "paramRef": fact.get("reference")}
    binding = definitions.read_binding({"kind": VALIDATING_BINDING, "metadata": {"name": "binding"}, "spec": spec})
    source = _Source(fact.get("scope", ""), fact.get("objects") or ())
    expected: Any = fact["error"] if "error" in fact else _sorted(fact["params"] or ())
    try:
        kind = ParamKind(kind["apiVersion"], kind["kind"]) if kind else None
        actual: Any = _sorted(params.collect(kind, binding.param_ref, fact["namespace"], source))
    except ParamError as error:
        actual = str(error)
    return "" if actual == expected else f"{actual} instead of {expected}"


def _sorted(objects: Sequence[Any]) -> list[Any]:
    return sorted(objects, key=str)
