"""
Value validation: whether a value meets the value keywords of its schema, and what the server says where it does not.

A schema is compiled into two forms: a test that builds nothing, run first, and an examination, run only on what the test refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import children as valuechildren
from pytest_crd.engine.values import junctors as valuejunctors
from pytest_crd.engine.values import numberkeywords, valuekeywords
from pytest_crd.engine.values.children import Holds, Lists, Objects
from pytest_crd.engine.values.junctors import Junctors
from pytest_crd.engine.values.numberkeywords import ServerPanicError
from pytest_crd.engine.values.ratcheting import Correlation
from pytest_crd.engine.values.validationresult import KeywordCheck, Result
from pytest_crd.engine.values.valuekeywords import TypeCheck

_T = TypeVar("_T")

_ROOT: Final = FieldPath()
# How often the server counts a value of a type for having been looked at, beside what is counted for what it meets.
_MATCHES: Final = {type(None): 0, bool: 4, str: 5, int: 6, float: 6, list: 6, dict: 5}


class Validator:
    """A compiled schema."""

    def __init__(self, schema: Schema, profile: Profile, *, all_formats: bool, root: Steps | None) -> None:
        """For this module: everybody else calls `compile`."""
        self._schema = schema
        self._root = root
        self._node = _Node(schema, profile, all_formats=all_formats)
        self._ratchets = profile.ratchets
        # The test ends as soon as it knows, and so may miss what the server stumbles over.
        self._tests_first = profile.refuses_multiples_of_zero or not numberkeywords.may_divide_by_zero(schema)

    def accepts(self, value: JSONValue) -> bool:
        """Return whether *value* is valid: as fast as it can be said."""
        return self._node.accepts(value)

    def create(self, value: JSONValue, path: FieldPath = _ROOT) -> tuple[FieldError, ...]:
        """
        Return what is wrong with a new value.

        Args:
            value: Pruned and defaulted; not modified.
            path: Where it stands, as the errors are to spell it.

        Errors:
            Required, NotSupported, Invalid, and TypeInvalid, TooLong and TooMany where the version has these, in the
            server's order; properties by name, which the server meets at random. Internal where it panics.

        Reference:
            apiextensions-apiserver apiserver/validation/validation.go, ValidateCustomResource.
        """
        return self._judge(value, None, path)

    def update(self, value: JSONValue, old: JSONValue, path: FieldPath = _ROOT) -> tuple[FieldError, ...]:
        """
        Return what is wrong with a value that replaces another one; what did not change is not held to the schema.

        Args:
            value: Pruned and defaulted; not modified.
            old: What was stored, pruned and defaulted too; None where nothing was. Not modified.
            path: Where they stand.

        Errors:
            As `create`; all of them where the version does not ratchet.

        Reference:
            KEP-4008; apiextensions-apiserver apiserver/validation/ratcheting.go.
        """
        return self._judge(value, Correlation(value, old, self._schema) if self._ratchets else None, path)

    def _judge(self, value: JSONValue, correlation: Correlation | None, path: FieldPath) -> tuple[FieldError, ...]:
        try:
            if self._tests_first and self._node.accepts(value):
                return ()
            return self._node.examine(value, "", correlation).errors(path, self._root)
        except ServerPanicError as error:
            return (fielderror.internal(path, str(error)),)


def compile(  # noqa: A001 - read as valuevalidation.compile
    schema: Schema, profile: Profile, *, all_formats: bool = False, root: Steps | None = None
) -> Validator:
    """
    Return the compiled form of a schema; each part of it is compiled when a value first needs it.

    Args:
        schema: `openAPIV3Schema`, or any schema in it, as the server decodes it. What no server takes in a CRD
            (`patternProperties`, `dependencies`, `definitions`, `$ref`, lists of `items`) is not looked at.
        profile: The Kubernetes version.
        all_formats: Whether a format that the version does not know counts, as it does for defaults: no value but a string
            has it.
        root: Where the schema stands in that of a version, from which the origins of errors count; None: they have none.
    """
    return Validator(schema, profile, all_formats=all_formats, root=root)


class _Node:
    """One schema, compiled for each type of value when one of it comes."""

    def __init__(self, schema: Schema, profile: Profile, *, all_formats: bool) -> None:
        self._schema = schema
        self._profile = profile
        self._all_formats = all_formats
        self._steps = _ByKind(self._compiled)
        self.kinds = _ByKind(lambda kind: valuechildren.every([step.holds for step in self._steps[kind] if step.holds]))

    def accepts(self, value: JSONValue) -> bool:
        """Return whether *value* is valid."""
        holds = self.kinds[type(value)]
        return holds is None or holds(value)

    def examine(self, value: JSONValue, name: str, correlation: Correlation | None = None) -> Result:
        """
        Return everything that is wrong with *value*.

        Args:
            value: Any value.
            name: Where it stands, as the sentences spell it.
            correlation: What it replaces; None where that cannot be told.

        Reference:
            kube-openapi validation/validate/schema.go, SchemaValidator.Validate; apiextensions-apiserver
            apiserver/validation/ratcheting.go, ratchetingValueValidator.Validate.
        """
        result = Result()
        result.matches = _MATCHES[type(value)]
        for step in self._steps[type(value)]:
            step.examine(value, name, correlation, result)
        if result.failures and correlation is not None and correlation.is_unchanged:
            result.failures.clear()
        return result

    def _compiled(self, kind: type) -> list[_Step]:
        """Return the steps for values of one type, in the server's order."""
        schema, profile = self._schema, self._profile
        of_type = self._type_check
        steps = [_type_step(of_type, kind)]
        if kind is not type(None) and self._junctors is not None:
            steps.append(_junctors_step(self._junctors))
        if kind is str:
            steps.append(_checks_step(valuekeywords.string_checks(schema, profile), first_only=True))
            if (check := valuekeywords.format_check(of_type)) is not None:
                steps.append(_checks_step([check], matches=1))
        elif kind in (int, float):
            steps.append(_checks_step(numberkeywords.checks(schema, of_type.types, of_type.format, profile, kind=kind)))
        elif kind is list:
            steps.append(_children_step(Lists(schema, self._child, profile)))
        if (check := valuekeywords.enum_check(schema, profile)) is not None:
            steps.append(_checks_step([check]))
        if kind is dict:
            steps.append(_children_step(Objects(schema, self._child, profile)))
        return steps

    @cached_property
    def _type_check(self) -> TypeCheck:
        return valuekeywords.type_check(self._schema, self._profile, all_formats=self._all_formats)

    @cached_property
    def _junctors(self) -> Junctors | None:
        return valuejunctors.compile(self._schema, self._child)

    def _child(self, schema: Schema) -> _Node:
        return _Node(schema, self._profile, all_formats=self._all_formats)


class _ByKind(dict[type, _T]):
    """What is known of values by their type, found out when the first of a type comes."""

    def __init__(self, find: Callable[[type], _T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, kind: type) -> _T:
        found = self[kind] = self._find(kind)
        return found


class _Step(NamedTuple):
    """
    One of the things that are looked at in turn.

    Attributes:
        holds: Whether a value passes; None where every value does.
        examine: Adds what is wrong with a value.
    """

    holds: Holds | None
    examine: Callable[[JSONValue, str, Correlation | None, Result], None]


def _type_step(check: TypeCheck, kind: type) -> _Step:
    def examine(value: JSONValue, name: str, _correlation: Correlation | None, result: Result) -> None:
        result.matches += check.is_set and value is not None
        if check.mismatch(value) is None:
            result.matches += check.is_set or value is None
        else:
            result.add(check.failure(value, name))

    return _Step(check.test(kind), examine)


def _checks_step(checks: list[KeywordCheck], *, matches: int = 0, first_only: bool = False) -> _Step:
    def examine(value: JSONValue, name: str, _correlation: Correlation | None, result: Result) -> None:
        result.matches += matches
        failed = [check for check in checks if not check.holds(value)]
        for check in failed[:1] if first_only else failed:
            result.add(check.failure(value, name))

    return _Step(valuechildren.every([check.holds for check in checks]), examine)


def _junctors_step(junctors: Junctors) -> _Step:
    def examine(value: JSONValue, name: str, _correlation: Correlation | None, result: Result) -> None:
        result.merge(junctors.examine(value, name))

    return _Step(junctors.holds, examine)


def _children_step(children: Objects | Lists) -> _Step:
    return _Step(children.holds, children.examine)
