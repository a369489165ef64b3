"""Go syntax (`%#v`) of JSON values, which older servers print instead of JSON."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

# Placeholder for a pointer: the server prints a memory address, which cannot be predicted.
ADDRESS: Final = "0xc000000000"


def value(json_value: JSONValue, *, null: str = "interface {}(nil)") -> str:
    """
    Return a nested JSON value in Go syntax; *null* is the notation of nil.

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
