"""Validation with `allOf`, `anyOf`, `oneOf` and `not`: valid branches, and the failures to report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import validationresult as valueresult
from pytest_crd.engine.values.validationresult import Result


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


def compile(schema: Schema, branch: Callable[[Schema], Branch]) -> Junctors | None:  # noqa: A001 - read as valuejunctors.compile
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
