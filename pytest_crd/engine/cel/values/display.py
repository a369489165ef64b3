"""
Values in run-time messages: Go's `%v`.

Reference:
    cel-go common/types: the String of each type, or Go's fmt for types without one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_crd.engine.cel.values import durations, timestamps, workload
from pytest_crd.engine.cel.values.celvalues import (
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
    is_list,
    is_map,
)
from pytest_crd.engine.golang import printing

_PARAMETERS: Final = {"list": "(dyn)", "map": "(dyn, dyn)", "optional_type": "(dyn)"}


def show(value: Value) -> str:
    """Return *value* as Go prints it with `%v`."""
    if isinstance(value, str):
        return value
    if (format_scalar := _SCALARS.get(type(value))) is not None:
        return format_scalar(value)
    if is_list(value):
        return workload.convert_text(f"[{', '.join(map(show, workload.visit(value)))}]")
    if is_map(value):
        entries = (f"{show(key)}: {show(find(value, key))}" for key in workload.visit(value))
        return workload.convert_text(f"{{{', '.join(entries)}}}")
    return str(value)


def _show_optional(optional: Optional) -> str:
    return f"optional({show(optional.value)})" if optional.has_value else "optional.none()"


_SCALARS: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda _: "0",  # the number of protobuf's NullValue
    bool: lambda value: "true" if value else "false",
    UInt: lambda value: str(value.value),
    int: printing.number,
    float: printing.number,
    bytes: lambda value: f"[{' '.join(map(str, value))}]",
    Duration: durations.show,
    Timestamp: timestamps.show,
    TypeValue: lambda value: value.name + _PARAMETERS.get(value.name, ""),
    Optional: _show_optional,
}
