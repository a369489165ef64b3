"""The server's verdict on a CRD; a refused CRD has no custom resources, so that cases about it cannot run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine import CustomResourceDefinition, FieldError
from pytest_crd.engine.inputerror import CrdError, Mistake

if TYPE_CHECKING:
    from pytest_crd.engine.cel import errors as cel
else:
    cel = lazyimport.module("pytest_crd.engine.cel.errors")


class RefusedCrdError(CrdError):
    """A CRD that the server refuses, so that its custom resources cannot be tested."""


def describe_refusal(crd: CustomResourceDefinition) -> str:
    """Return the server's errors about *crd*, one behind a blank or several on lines of their own; empty if it is accepted."""
    errors = ["\n    ".join((str(error), *_place(error))) for error in crd.first_response.errors]
    return f" {errors[0]}" if len(errors) == 1 else "".join(f"\n  {error}" for error in errors)


def _place(error: FieldError) -> Iterator[str]:
    """Yield the place in the CRD's file of the rule behind *error*, if it has one."""
    if error.rule is not None and error.rule.source:
        yield f"at {error.rule.source}"


def explain_references(
    crd: CustomResourceDefinition, find_crds: Callable[[], Iterable[CustomResourceDefinition]]
) -> str:
    """
    Return the remedy for a CRD with `$ref`, which every server refuses: the copy to use; empty if *crd* has none.

    Args:
        crd: A refused CRD.
        find_crds: Finds the CRDs of the project, with all copies; called only if *crd* has `$ref`.
    """
    if not any(is_reference(error) for error in crd.first_response.errors):
        return ""
    copies = (item.source for item in find_crds() if item.name == crd.name and _has_no_reference(item))
    if copy := next(copies, ""):
        folder = PurePath(copy.rpartition(":")[0]).parent.as_posix()
        return f"$ref is not resolved in this file; the copy {copy} has none: write crd_paths = {folder}"
    return (
        "$ref is not resolved in this file, and the project has no copy without it: write the resolved CRDs to files, and "
        "their folder to crd_paths, or print them with crd_commands"
    )


def is_reference(error: FieldError) -> bool:
    """Return whether *error* is about a `$ref` in a schema."""
    return error.field.endswith(".$ref")


def _has_no_reference(crd: CustomResourceDefinition) -> bool:
    return bool(crd.source) and not any(map(is_reference, crd.first_response.errors))


def require_accepted(
    crd: CustomResourceDefinition, find_crds: Callable[[], Iterable[CustomResourceDefinition]] = tuple
) -> None:
    """
    Raise an error unless the server accepts *crd*.

    Args:
        crd: The CRD.
        find_crds: As in `explain_references`.

    Raises:
        RefusedCrdError: The server refuses it, or its verdict is unknown. The message has the server's words, and the
            setting for a CRD that is stored all the same.
    """
    __tracebackhide__ = True
    try:
        words = describe_refusal(crd)
    except cel.UnsupportedExpressionError as error:
        message = f"what a server makes of this CRD is not known: {error}"
        raise RefusedCrdError([Mistake(crd.source or crd.name, 0, message)]) from None
    if words:
        remedy = explain_references(crd, find_crds) or (
            "if it is stored since the days of a version that took it, say so with `storedCRD: true` in the case file, or "
            "with its name in crd_stored"
        )
        message = f"the server refuses this CRD:{words}\n  ({crd.name}; {remedy})"
        raise RefusedCrdError([Mistake(crd.source or crd.name, 0, message)])
