"""Validation of `x-kubernetes-validations` without compiling the expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import declaredschema, schemapaths
from pytest_crd.engine.schema.structural import UnsupportedConstructError
from pytest_crd.engine.schema.subschemas import Schema

KEYWORD: Final = "x-kubernetes-validations"
NOT_SPECIFIED: Final = "rule is not specified"
_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_LINE_BREAK: Final = lazyre.compile(r"[\n\r]")


def validate(schema: Schema, path: FieldPath, *, profile: Profile) -> Iterator[FieldError]:
    """
    Yield the errors of the rules of one schema; the expressions are not compiled.

    Errors:
        Required, Invalid and NotSupported, rule by rule.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
    """
    for index, rule in enumerate(schema.get(KEYWORD) or ()):
        rule_path = path.child(KEYWORD).index(index)
        yield from _expressions(rule, rule_path, profile)
        if rule.get("messageExpression") and not gostrings.trim_space(rule["messageExpression"]):
            detail = "messageExpression must be non-empty if specified"
            yield fielderror.required(rule_path.child("messageExpression"), detail)
        reason = rule.get("reason")
        if reason is not None and reason not in _REASONS:
            yield _reason(reason, rule_path.child("reason"), profile)
        if rule.get("fieldPath"):
            yield from _field_path(rule["fieldPath"], schema, rule_path.child("fieldPath"), profile)


def _expressions(rule: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    """Yield the first error of rule and message."""
    expression, message = gostrings.trim_space(rule.get("rule", "")), rule.get("message", "")
    prefix = "message " if profile.rule_errors_name_the_field else ""
    if not expression:
        yield fielderror.required(path.child("rule"), NOT_SPECIFIED)
    elif message and not gostrings.trim_space(message):
        yield fielderror.invalid(path.child("message"), message, f"{prefix}must be non-empty if specified")
    elif _LINE_BREAK.search(gostrings.trim_space(message)):
        yield fielderror.invalid(path.child("message"), message, f"{prefix}must not contain line breaks")
    elif _LINE_BREAK.search(expression) and not message:
        detail = "message must be specified if rule contains line breaks"
        yield fielderror.required(path.child("message"), detail)


def _reason(reason: str, path: FieldPath, profile: Profile) -> FieldError:
    error = fielderror.not_supported(path, reason, _REASONS)
    if profile.prints_values_as_json and printing.marshal(reason) != printing.quote(reason):
        # Go has a named string type for the reason, and prints it as JSON.
        return badvalues.reprinted(error, printing.marshal(reason))
    return error


def _field_path(field_path: str, schema: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    prefix = "fieldPath " if profile.rule_errors_name_the_field else ""
    if not gostrings.trim_space(field_path):
        yield fielderror.invalid(path, field_path, f"{prefix}must be non-empty if specified")
    if _LINE_BREAK.search(field_path):
        yield fielderror.invalid(path, field_path, f"{prefix}must not contain line breaks")
    try:
        schemapaths.find_target(field_path, declaredschema.to_structural(schema, profile))
    except UnsupportedConstructError:
        return  # the schema is refused for another error, and the server does not follow paths in it
    except schemapaths.PanicError as error:
        yield fielderror.internal(path, str(error))
    except schemapaths.PathError:
        yield fielderror.invalid(path, field_path, f"{prefix}must be a valid path")
