"""Label selectors in objects such as webhook configurations: type, validation, and matching."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import STRING, List, Map, Struct
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.profile import Profile

Labels: TypeAlias = Mapping[str, str]

_REQUIREMENT: Final = Struct(
    "v1.LabelSelectorRequirement",
    {"key": STRING, "operator": gotypes.string("v1.LabelSelectorOperator"), "values": List(STRING)},
)
LABEL_SELECTOR: Final = Struct("v1.LabelSelector", {"matchLabels": Map(STRING), "matchExpressions": List(_REQUIREMENT)})
# Operators in objects, and in queries.
OPERATORS: Final = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_INTEGER: Final = lazyre.compile(r"[+-]?[0-9]+\Z")


class Requirement(NamedTuple):
    """
    A requirement of a label selector.

    Attributes:
        key: The label.
        operator: `in`, `notin`, `exists`, `!`, `>` or `<`; `=` is an `in` with one value.
        values: The values; empty for `exists` and `!`.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Labels) -> bool:
        """Return whether *labels* meet the requirement."""
        value = labels.get(self.key)
        if self.operator == "in":
            return value in self.values
        if self.operator == "notin":
            return value not in self.values
        if self.operator in ("exists", "!"):
            return (value is not None) == (self.operator == "exists")
        number, bound = int64(value or ""), int(self.values[0])
        if number is None:
            return False
        return number > bound if self.operator == ">" else number < bound


def int64(text: str) -> int | None:
    """Return a text as an int64; None if it is not one."""
    return int(text) if _INTEGER.match(text) and jsonvalue.MIN_INT64 <= int(text) <= jsonvalue.MAX_INT64 else None


def requirements(selector: JSONObject) -> tuple[Requirement, ...]:
    """Return the requirements of a valid selector; empty if it matches everything."""
    labels = (Requirement(key, "in", (value,)) for key, value in (selector.get("matchLabels") or {}).items())
    expressions = (
        Requirement(expression["key"], OPERATORS[expression["operator"]], tuple(expression.get("values") or ()))
        for expression in selector.get("matchExpressions") or ()
    )
    return (*labels, *expressions)


def is_match(selector: Iterable[Requirement], labels: Labels) -> bool:
    """Return whether *labels* meet all requirements of a selector."""
    return all(requirement.matches(labels) for requirement in selector)


def validate(selector: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of a decoded selector.

    Args:
        selector: The selector.
        path: Its path.
        profile: The Kubernetes version.

    Errors:
        Required, Invalid and Forbidden; those of labels by sorted key, as the server's order is random.

    Reference:
        apimachinery meta/v1/validation, ValidateLabelSelector.
    """
    yield from objectmetarules.validate_labels(selector.get("matchLabels") or {}, path.child("matchLabels"), profile)
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from _validate_expression(expression or {}, path.child("matchExpressions").index(index), profile)


def _validate_expression(expression: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    operator, values, key = expression.get("operator", ""), expression.get("values") or (), expression.get("key", "")
    if operator not in OPERATORS:
        yield fielderror.invalid(path.child("operator"), operator, "not a valid selector operator")
    elif operator in ("In", "NotIn") and not values:
        detail = "must be specified when `operator` is 'In' or 'NotIn'"
        yield fielderror.required(path.child("values"), detail)
    elif operator in ("Exists", "DoesNotExist") and values:
        detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield fielderror.forbidden(path.child("values"), detail)
    for problem in names.label_key(key, profile):
        yield fielderror.invalid(path.child("key"), key, problem)
    for index, value in enumerate(values):
        for problem in names.label_value(value, profile):
            yield fielderror.invalid(path.child("values").index(index), value, problem)
