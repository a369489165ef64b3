"""JSON values as older servers print them: in the syntax of Go (`%#v`) instead of JSON."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# What stands for an address: the server prints a real one, which nobody can foretell.
ADDRESS: Final = "0xc000000000"


def value(json_value: JSONValue, *, null: str = "interface {}(nil)") -> str:
    """
    Return a JSON value that stands in another one as Go writes it; *null* is how a nil is written there.

    Reference:
        fmt `%#v` of `map[string]interface{}`, `[]interface{}` and scalars.
    """
    if isinstance(json_value, dict):
        entries = (f"{printing.quote(key)}:{value(json_value[key])}" for key in sorted(json_value))
        return f"map[string]interface {{}}{{{', '.join(entries)}}}"
    if isinstance(json_value, list):
        return f"[]interface {{}}{{{', '.join(map(value, json_value))}}}"
    if json_value is None:
        return null
    if isinstance(json_value, str):
        return printing.quote(json_value)
    if isinstance(json_value, bool):
        return "true" if json_value else "false"
    return printing.number(json_value)
