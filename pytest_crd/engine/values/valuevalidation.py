"""
Value validation: keywords of a schema, and the server's errors about invalid values.

A schema is compiled into two forms: a fast test, and an examination that collects failures, run only if the test fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import children as valuechildren
from pytest_crd.engine.values import keywords, numberkeywords
from pytest_crd.engine.values import validationresult as valueresult
from pytest_crd.engine.values.children import Holds, Lists, Objects
from pytest_crd.engine.values.keywords import TypeCheck
from pytest_crd.engine.values.numberkeywords import ServerPanicError
from pytest_crd.engine.values.validationresult import KeywordCheck, Result
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.values import ratcheting
    from pytest_crd.engine.values.ratcheting import Correlation
else:
    ratcheting = lazyimport.module("pytest_crd.engine.values.ratcheting")

_T = TypeVar("_T")

_ROOT: Final = FieldPath()
# The server's base count of matches for a value of each type, before counting successful checks.
_MATCHES: Final = {type(None): 0, bool: 4, str: 5, int: 6, float: 6, list: 6, dict: 5}


class Validator:
    """A compiled schema."""

    def __init__(self, schema: Schema, profile: Profile, *, all_formats: bool, root: Steps | None) -> None:
        """Private to this module: call `compile`."""
        self._schema = schema
        self._root = root
        self._node = _Node(schema, profile, all_formats=all_formats)
        self._ratchets = profile.ratchets
        # The test stops early, and so could miss a division by zero that makes the server panic.
        self._tests_first = profile.refuses_multiples_of_zero or not numberkeywords.may_divide_by_zero(schema)

    def accepts(self, value: JSONValue) -> bool:
        """Return whether *value* is valid, as fast as possible."""
        return self._node.accepts(value)

    def create(self, value: JSONValue, path: FieldPath = _ROOT) -> tuple[FieldError, ...]:
        """
        Return the errors of a new value.

        Args:
            value: Pruned and defaulted; not modified.
            path: The path of the value, as errors spell it.

        Errors:
            Required, NotSupported, Invalid, and TypeInvalid, TooLong and TooMany if the version has these, in the
            server's order; properties sorted by name, which the server visits in random order. Internal if the server
            panics.

        Reference:
            apiextensions-apiserver apiserver/validation/validation.go, ValidateCustomResource.
        """
        return self._judge(value, None, path)

    def update(self, value: JSONValue, old: JSONValue, path: FieldPath = _ROOT) -> tuple[FieldError, ...]:
        """
        Return the errors of a value that replaces *old*; unchanged parts are not validated.

        Args:
            value: Pruned and defaulted; not modified.
            old: The stored value, also pruned and defaulted; None if there is none. Not modified.
            path: The path of the value.

        Errors:
            As for `create`; errors of unchanged parts too if the version does not ratchet.

        Reference:
            KEP-4008; apiextensions-apiserver apiserver/validation/ratcheting.go.
        """
        return self._judge(value, ratcheting.Correlation(value, old, self._schema) if self._ratchets else None, path)

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
    Return the compiled form of a schema; each part is compiled when a value first needs it.

    Args:
        schema: `openAPIV3Schema`, or a nested schema, as the server decodes it. Keywords that no CRD may use
            (`patternProperties`, `dependencies`, `definitions`, `$ref`, lists of `items`) are ignored.
        profile: The Kubernetes version.
        all_formats: Whether unchecked formats count, as they do for defaults: only strings have such a format.
        root: The steps to the schema in that of a version, for the origins of errors; None: errors have no origin.
    """
    return Validator(schema, profile, all_formats=all_formats, root=root)


class _Node:
    """One schema, compiled separately for each type of value on first use."""

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
        Return all failures of *value*.

        Args:
            value: Any value.
            name: Its path, as messages spell it.
            correlation: The value with its old value; None if there is no corresponding old value.

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
        """Return the validation steps for values of one type, in the server's order."""
        schema, profile = self._schema, self._profile
        type_check = self._type_check
        steps = [_type_step(type_check, kind)]
        if kind is not type(None) and self._junctors is not None:
            steps.append(_junctors_step(self._junctors))
        if kind is str:
            steps.append(_checks_step(keywords.string_checks(schema, profile), first_only=True))
            if (check := keywords.format_check(type_check)) is not None:
                steps.append(_checks_step([check], matches=1))
        elif kind in (int, float):
            steps.append(
                _checks_step(
                    numberkeywords.compile_checks(schema, type_check.types, type_check.format, profile, kind=kind)
                )
            )
        elif kind is list:
            steps.append(_children_step(Lists(schema, self._child, profile)))
        if (check := keywords.enum_check(schema, profile)) is not None:
            steps.append(_checks_step([check]))
        if kind is dict:
            steps.append(_children_step(Objects(schema, self._child, profile)))
        return steps

    @cached_property
    def _type_check(self) -> TypeCheck:
        return keywords.type_check(self._schema, self._profile, all_formats=self._all_formats)

    @cached_property
    def _junctors(self) -> Junctors | None:
        return compile_junctors(self._schema, self._child)

    def _child(self, schema: Schema) -> _Node:
        return _Node(schema, self._profile, all_formats=self._all_formats)


class _ByKind(dict[type, _T]):
    """Cache by the type of values, filled on first use."""

    def __init__(self, find: Callable[[type], _T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, kind: type) -> _T:
        item = self[kind] = self._find(kind)
        return item


class _Step(NamedTuple):
    """
    Step of the validation of a value.

    Attributes:
        holds: The test for valid values; None if every value is valid.
        examine: Adds the failures of a value.
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


class Branch(Protocol):
    """A compiled schema."""

    def accepts(self, value: JSONValue) -> bool:
        """Return whether *value* is valid."""

    def examine(self, value: JSONValue, name: str) -> Result:
        """Return all failures of *value* at *name*."""


class Junctors(NamedTuple):
    """
    The junctors of one schema.

    Attributes:
        any_of: At least one of these branches must hold.
        one_of: Exactly one of these branches must hold.
        all_of: All of these branches must hold.
        not_: A branch that must not hold, or empty.
    """

    any_of: tuple[Branch, ...]
    one_of: tuple[Branch, ...]
    all_of: tuple[Branch, ...]
    not_: tuple[Branch, ...]

    def holds(self, value: JSONValue) -> bool:
        """Return whether *value* satisfies all junctors."""
        return (
            (not self.any_of or any(branch.accepts(value) for branch in self.any_of))
            and (not self.one_of or sum(branch.accepts(value) for branch in self.one_of) == 1)
            and all(branch.accepts(value) for branch in self.all_of)
            and not any(branch.accepts(value) for branch in self.not_)
        )

    def examine(self, value: JSONValue, name: str) -> Result:
        """
        Return the failures of *value*.

        Branches are not ratcheted: they validate every value as new.

        Reference:
            kube-openapi validation/validate/schema_props.go, schemaPropsValidator.
        """
        result, quoted = Result(), printing.quote(name)
        if self.any_of:
            _examine_any_of((branch.examine(value, name) for branch in self.any_of), quoted, result)
        if self.one_of:
            _examine_one_of([branch.examine(value, name) for branch in self.one_of], quoted, result)
        if self.all_of:
            _examine_all_of([branch.examine(value, name) for branch in self.all_of], quoted, result)
        if any(not branch.examine(value, name).failures for branch in self.not_):
            result.add(valueresult.composite("not", f"{quoted} must not validate the schema (not)"))
        return result


def compile_junctors(schema: Schema, branch: Callable[[Schema], Branch]) -> Junctors | None:
    """
    Return the junctors of *schema*; None without junctors.

    Args:
        schema: The schema.
        branch: Compiles the schema of a branch.
    """
    any_of, one_of, all_of = (tuple(map(branch, schema.get(key) or ())) for key in ("anyOf", "oneOf", "allOf"))
    not_ = () if schema.get("not") is None else (branch(schema["not"]),)
    return Junctors(any_of, one_of, all_of, not_) if any_of or one_of or all_of or not_ else None


def _examine_any_of(branches: Iterable[Result], name: str, result: Result) -> None:
    failed = []
    for branch in branches:
        if not branch.failures:
            result.merge(branch)
            return
        failed.append(branch)
    result.add(valueresult.composite("anyOf", f"{name} must validate at least one schema (anyOf)"))
    _merge_best(failed, "anyOf", result)


def _examine_one_of(branches: Sequence[Result], name: str, result: Result) -> None:
    succeeded = [branch for branch in branches if not branch.failures]
    if len(succeeded) == 1:
        result.merge(succeeded[0])
        return
    summary = f"Found {len(succeeded)} valid alternatives" if succeeded else "Found none valid"
    result.add(valueresult.composite("oneOf", f"{name} must validate one and only one schema (oneOf). {summary}"))
    if not succeeded:
        _merge_best(branches, "oneOf", result)


def _examine_all_of(branches: Sequence[Result], name: str, result: Result) -> None:
    for index, branch in enumerate(branches):
        result.merge(branch, schema=("allOf", index))
    failed = sum(bool(branch.failures) for branch in branches)
    if failed:
        none = ". None validated" if failed == len(branches) else ""
        result.add(valueresult.composite("allOf", f"{name} must validate all the schemas (allOf){none}"))


def _merge_best(branches: Sequence[Result], keyword: str, result: Result) -> None:
    """Add the failures of the best failed branch: the first with the most matches."""
    index, best = max(enumerate(branches), key=lambda numbered: numbered[1].matches)
    result.merge(best, schema=(keyword, index))
