"""Whether the server takes a CRD: of one that it refuses there are no custom resources, and no answers about any."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.engine import CustomResourceDefinition, FieldError, UnsupportedExpressionError
from pytest_crd.engine.inputerror import CrdError, Mistake


class RefusedCrdError(CrdError):
    """A CRD that the server refuses, so that nothing is known of its custom resources."""


def refusal(crd: CustomResourceDefinition) -> str:
    """Return why the server refuses *crd*, in its words: one behind a blank, or a line for each; empty where it takes it."""
    errors = ["\n    ".join((str(error), *_place(error))) for error in crd.first_response.errors]
    return f" {errors[0]}" if len(errors) == 1 else "".join(f"\n  {error}" for error in errors)


def _place(error: FieldError) -> Iterator[str]:
    """Yield where in the CRD's file the rule stands that *error* is about."""
    if error.rule is not None and error.rule.source:
        yield f"at {error.rule.source}"


def demand(crd: CustomResourceDefinition) -> None:
    """
    Pass when the server takes *crd*.

    Raises:
        RefusedCrdError: It refuses it, or nobody knows; the message has its words, and what to write where the CRD is stored
            all the same.
    """
    __tracebackhide__ = True
    try:
        words = refusal(crd)
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
