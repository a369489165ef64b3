"""
Expressions that upstream's tests of admission policies compile, with the results of the server's compiler.

Each fact has `expression`, `types` (those that its value may have), `params`, `authorizer` and `patches` (whether these are
declared), and `output`, the type of its value, or `error`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_crd.engine import profile
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.policies import patchtypes
from pytest_crd.policies.composition import Composition

PATH: Final = Path(__file__).with_name("policytables.jsonl")
_TYPES: Final[Mapping[str, tuple[Type, ...]]] = {
    "bool": (celtypes.BOOL,),
    "string": (celtypes.STRING,),
    "null_type": (celtypes.NULL,),
    "list(JSONPatch)": (patchtypes.JSON_PATCHES,),
    "Object": (patchtypes.OBJECT,),
    "google.protobuf.Any": (),
    "dyn": (),
}
# Parts of expressions that are left out: the declarations of their variables are unknown, or their tests add a function
# `test` or lack the libraries of later versions.
_OTHERS: Final = ("variables", "test()", 'isQuantity("20M")')


def read() -> list[Any]:
    """Return the recorded facts."""
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def text_of(facts: Iterable[Any]) -> str:
    """Return the text of the file: each fact once, without facts of other environments."""
    lines = {
        json.dumps(fact, ensure_ascii=False, sort_keys=True)
        for fact in facts
        if not any(part in fact["expression"] for part in _OTHERS)
    }
    return "".join(f"{line}\n" for line in sorted(lines))


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result; empty if it is equal."""
    composition = Composition(profile.named("1.37"), has_params=fact["params"], has_variables=False)
    types = [type_ for name in fact["types"] for type_ in _TYPES[name]]
    compiled = composition.compile(
        fact["expression"],
        types,
        has_authorizer=fact["authorizer"],
        extend=patchtypes.extend if fact["patches"] else None,
    )
    expected = fact.get("error", "")
    return "" if compiled.problem == expected else f"{fact['expression']}: {compiled.problem!r} instead of {expected!r}"
