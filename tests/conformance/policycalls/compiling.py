"""
Calls that compile an expression.

`compile`: an `expression`, `types` (those that its value may have), `params`, `authorizer` and `patches` (whether these are
declared); `output`, the type of its value, or `error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.policycalls import requests
from pytest_crd.admission.patches import patchtypes
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.policies.composition import Composition

_TYPES: Final[Mapping[str, tuple[Type, ...]]] = {
    "bool": (celtypes.BOOL,),
    "string": (celtypes.STRING,),
    "null_type": (celtypes.NULL,),
    "list(JSONPatch)": (patchtypes.JSON_PATCHES,),
    "Object": (patchtypes.OBJECT,),
    "google.protobuf.Any": (),
    "dyn": (),
}
# Parts of expressions that are left out, with the reason.
_OTHERS: Final = {
    "test()": "the test adds a function",
    'isQuantity("20M")': "the test takes the libraries of another version",
}


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    if "variables" in fact["expression"]:
        return "the call does not have the variables of the policy; evaluations have them"
    return foreign(fact["expression"])


def foreign(expression: str) -> str:
    """Return the reason if an expression needs another environment than a server has; empty otherwise."""
    return next((reason for part, reason in _OTHERS.items() if part in expression), "")


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    composition = Composition(requests.PROFILE, has_params=fact["params"], has_variables=False)
    types = [type_ for name in fact["types"] for type_ in _TYPES[name]]
    compiled = composition.compile(
        fact["expression"],
        types,
        has_authorizer=fact["authorizer"],
        extend=patchtypes.extend if fact["patches"] else None,
    )
    expected = fact.get("error", "")
    return "" if compiled.problem == expected else f"{compiled.problem!r} instead of {expected!r}"
