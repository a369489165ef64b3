"""
Kubernetes' library for named formats.

The caller supplies the validators, because they depend on the formats of names and schemas.

Reference:
    k8s.io/apiserver pkg/cel/library/format.go; pkg/cel/format.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import STRING, list_of, optional_of, struct
from pytest_crd.engine.cel.types.costs import REGEX_LENGTH, STRING_TRAVERSAL, Argument, CallEstimate, EstimateContext
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import NONE, Opaque, Optional, Value

TYPE: Final = struct("kubernetes.NamedFormat")
# Returns the problems of a text.
Validate: TypeAlias = Callable[[str], Sequence[str]]
_LONGEST_NAME_REGEX: Final = 128

# By name in expressions: the format's name, and the assumed length of its regular expression for costs.
FORMATS: Final[Mapping[str, tuple[str, int]]] = {
    "dns1123Label": ("DNS1123Label", 30),
    "dns1123Subdomain": ("DNS1123Subdomain", 60),
    "dns1035Label": ("DNS1035Label", 30),
    "qualifiedName": ("QualifiedName", 60),
    "dns1123LabelPrefix": ("DNS1123LabelPrefix", 30),
    "dns1123SubdomainPrefix": ("DNS1123SubdomainPrefix", 60),
    "dns1035LabelPrefix": ("DNS1035LabelPrefix", 30),
    "labelValue": ("LabelValue", 40),
    "uri": ("URI", 1103),
    "uuid": ("uuid", 70),
    "byte": ("byte", 84),
    "date": ("date", 71),
    "datetime": ("datetime", 71),
}


class Format(Opaque):
    """Named format as a CEL value."""

    __slots__ = ("name", "regex_size", "validate")

    type_name = TYPE.name

    def __init__(self, name: str, regex_size: int, validate: Validate) -> None:
        self.name = name
        self.regex_size = regex_size
        self.validate = validate

    def equal(self, other: Value) -> bool:
        """Return whether *other* is the same format; raise EvaluationError for other types."""
        if not isinstance(other, Format):
            raise EvaluationError("no such overload")
        return self.name == other.name

    def __str__(self) -> str:
        return self.name


def _validate(format_: Format, text: str) -> Optional:
    problems = list(format_.validate(text))
    return Optional(problems) if problems else NONE


def _validation_cost(arguments: Sequence[Value], _result: Value) -> int:
    format_, text = arguments
    if not isinstance(format_, Format):
        return 1
    return costing.units(1.0 + costing.counted(text)) * costing.units(format_.regex_size, REGEX_LENGTH)


def _validation_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    text = context.size(arguments[1]).cost(STRING_TRAVERSAL)
    return CallEstimate(text.times(_LONGEST_NAME_REGEX * REGEX_LENGTH))


def library(validators: Mapping[str, Validate]) -> Library:
    """
    Return the format library.

    Args:
        validators: Validator of each format in FORMATS.
    """
    formats = {key: Format(name, size, validators[key]) for key, (name, size) in FORMATS.items()}
    named = Overload(
        "format-named",
        (STRING,),
        optional_of(TYPE),
        lambda name: Optional(formats[name]) if name in formats else NONE,
        cost=costing.unit_cost,
        estimate=costing.estimate_one,
    )
    validate = Overload(
        "format-validate",
        (TYPE, STRING),
        optional_of(list_of(STRING)),
        _validate,
        is_member=True,
        cost=_validation_cost,
        estimate=_validation_estimate,
    )
    constants = tuple(_constant(f"format.{key}", format_) for key, format_ in formats.items())
    return Library("format", (Function("validate", (validate,)), Function("format.named", (named,)), *constants))


def _constant(name: str, format_: Format) -> Function:
    return Function(name, (Overload(name, (), TYPE, lambda: format_),))
