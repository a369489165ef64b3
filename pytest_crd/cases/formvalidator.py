"""Validator of the form of case files, with jsonschema, which is slow to import."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
from jsonschema import Draft202012Validator, ValidationError

from pytest_crd.cases import caseformat
from pytest_crd.engine.jsonvalue import JSONValue


@functools.cache
def get() -> Draft202012Validator:
    """Return the validator; it is created on first use."""
    checks = {"anyOf": _check_any_of, "dependentSchemas": _check_conflicts}
    schema = caseformat.schema()
    quick: type[Draft202012Validator] = jsonschema.validators.extend(jsonschema.Draft202012Validator, checks)  # type: ignore[no-untyped-call]
    return quick(_inlined(schema, schema["$defs"]))


# The two keywords below have one shape each in the schema of case files. The general ones of jsonschema take half the time of a check.


def _check_any_of(
    _: object, options: list[dict[str, list[str]]], instance: JSONValue, __: object
) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and not any(option["required"][0] in instance for option in options):
        yield _error("none of the keys is there")


def _check_conflicts(_: object, clashes: Any, instance: JSONValue, __: object) -> Iterator[ValidationError]:
    for first in clashes.keys() & instance.keys() if isinstance(instance, dict) else ():
        for second in clashes[first]["properties"].keys() & instance.keys():
            yield _error(
                "both keys are there", path=[second], schema_path=[first, "properties", second, "not"], validator="not"
            )


def _error(message: str, **details: Any) -> ValidationError:
    return ValidationError(message, **details)


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Return the schema with references replaced by definitions; references would triple the time of a check."""
    if isinstance(node, Mapping):
        if "$ref" in node:
            return definitions[node["$ref"].rpartition("/")[2]]
        return {key: _inlined(item, definitions) for key, item in node.items()}
    return [_inlined(item, definitions) for item in node] if isinstance(node, list) else node
