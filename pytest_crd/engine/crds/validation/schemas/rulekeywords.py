"""The keywords of CEL rules, `x-kubernetes-validations`: everything about them that needs no compiler of CEL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import schemapaths, structuralversion
from pytest_crd.engine.schema.structural import UnsupportedConstructError
from pytest_crd.engine.schema.subschemas import Schema

KEYWORD: Final = "x-kubernetes-validations"
NOT_SPECIFIED: Final = "rule is not specified"
_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_LINE_BREAK: Final = re.compile(r"[\n\r]")


def find(schema: Schema, path: FieldPath, *, profile: Profile) -> Iterator[FieldError]:
    """
    Yield what is wrong with the rules of one schema before anybody reads the expressions in them.

    Errors:
        Required, Invalid and NotSupported, rule by rule.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
    """
    for index, rule in enumerate(schema.get(KEYWORD) or ()):
        at = path.child(KEYWORD).index(index)
        yield from _expressions(rule, at, profile)
        if rule.get("messageExpression") and not gostrings.trim_space(rule["messageExpression"]):
            detail = "messageExpression must be non-empty if specified"
            yield fielderror.required(at.child("messageExpression"), detail)
        reason = rule.get("reason")
        if reason is not None and reason not in _REASONS:
            yield _reason(reason, at.child("reason"), profile)
        if rule.get("fieldPath"):
            yield from _field_path(rule["fieldPath"], schema, at.child("fieldPath"), profile)


def _expressions(rule: Schema, at: FieldPath, profile: Profile) -> Iterator[FieldError]:
    """Yield the first thing that is wrong with rule and message."""
    expression, message = gostrings.trim_space(rule.get("rule", "")), rule.get("message", "")
    named = "message " if profile.rule_errors_name_the_field else ""
    if not expression:
        yield fielderror.required(at.child("rule"), NOT_SPECIFIED)
    elif message and not gostrings.trim_space(message):
        yield fielderror.invalid(at.child("message"), message, f"{named}must be non-empty if specified")
    elif _LINE_BREAK.search(gostrings.trim_space(message)):
        yield fielderror.invalid(at.child("message"), message, f"{named}must not contain line breaks")
    elif _LINE_BREAK.search(expression) and not message:
        detail = "message must be specified if rule contains line breaks"
        yield fielderror.required(at.child("message"), detail)


def _reason(reason: str, path: FieldPath, profile: Profile) -> FieldError:
    error = fielderror.not_supported(path, reason, _REASONS)
    if profile.prints_values_as_json and printing.marshal(reason) != printing.quote(reason):
        # A string of a type of its own is printed as JSON.
        return badvalues.reprinted(error, printing.marshal(reason))
    return error


def _field_path(field_path: str, schema: Schema, at: FieldPath, profile: Profile) -> Iterator[FieldError]:
    named = "fieldPath " if profile.rule_errors_name_the_field else ""
    if not gostrings.trim_space(field_path):
        yield fielderror.invalid(at, field_path, f"{named}must be non-empty if specified")
    if _LINE_BREAK.search(field_path):
        yield fielderror.invalid(at, field_path, f"{named}must not contain line breaks")
    try:
        schemapaths.find(field_path, structuralversion.from_schema(schema, profile))
    except UnsupportedConstructError:
        return  # such a schema is refused for what it has; the server does not follow paths in it
    except schemapaths.PanicError as error:
        yield fielderror.internal(at, str(error))
    except schemapaths.PathError:
        yield fielderror.invalid(at, field_path, f"{named}must be a valid path")
