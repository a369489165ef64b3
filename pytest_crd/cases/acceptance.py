"""The server's verdict on a CRD; a refused CRD has no custom resources, so that cases about it cannot run."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.engine import CustomResourceDefinition, FieldError, UnsupportedExpressionError
from pytest_crd.engine.inputerror import CrdError, Mistake


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


def require_accepted(crd: CustomResourceDefinition) -> None:
    """
    Raise an error unless the server accepts *crd*.

    Raises:
        RefusedCrdError: The server refuses it, or its verdict is unknown. The message has the server's words, and the
            setting for a CRD that is stored all the same.
    """
    __tracebackhide__ = True
    try:
        words = describe_refusal(crd)
    except UnsupportedExpressionError as error:
        message = f"what a server makes of this CRD is not known: {error}"
        raise RefusedCrdError([Mistake(crd.source or crd.name, 0, message)]) from None
    if words:
        message = (
            f"the server refuses this CRD:{words}\n"
            f"  ({crd.name}; if it is stored since the days of a version that took it, say so with `storedCRD: true` in the "
            "case file, or with its name in crd_stored)"
        )
        raise RefusedCrdError([Mistake(crd.source or crd.name, 0, message)])
