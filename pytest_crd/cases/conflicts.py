"""Pairs of keys of a case file, or of a case, that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.cases import valueforms
from pytest_crd.cases.keyschemas import Conflict
from pytest_crd.cases.sections import Section

_REFUSALS: Final = ("errors", "containsErrors", "error", "denied", "conflicts", "refused")
CASE_CONFLICTS: Final = (
    valueforms.INPUT_CONFLICT,
    Conflict("old", "oldFile", "both are what is stored"),
    Conflict("expected", "contains", "`contains` is a part of `expected`"),
    *(
        Conflict(stored, refusal, "an object that is refused is not stored")
        for stored in ("expected", "contains", "absent", "lost", "managers")
        for refusal in _REFUSALS
        if refusal != "refused" or stored not in {"lost", "managers"}
    ),
    *(Conflict("accepted", refusal, "an object is either accepted or refused") for refusal in _REFUSALS[:-1]),
    Conflict("errors", "containsErrors", "`errors` lists all errors, `containsErrors` some of them"),
    Conflict("errors", "error", "`errors` lists all errors, `error` is the short form"),
    *(
        Conflict("conflicts", errors, "`conflicts` lists all conflicts, and there are no other errors then")
        for errors in ("errors", "containsErrors")
    ),
    *(
        Conflict("matched", key, "a policy that does not match a request decides nothing")
        for key in ("expected", "contains", "absent", "error", "denied", "mutated", "warnings", "auditAnnotations")
    ),
    Conflict("skip", "xfail", "a case that is skipped cannot fail"),
)
# Between keys of a file.
FILE_CONFLICTS: Final = (
    *(
        Conflict("policy", key, "a file is about a policy, with cases about any kind, or about a CRD")
        for key in (
            "crd",
            "version",
            "storedCRD",
            "unknownFields",
            *(section for section in Section if section is not Section.POLICY),
        )
    ),
    Conflict("crd", "cases", "the cases of a CRD are in a section, as in `create`"),
)

CONFLICTS: Final[Mapping[tuple[str, str], Conflict]] = {
    (conflict.first, conflict.second): conflict
    for conflict in (
        *CASE_CONFLICTS,
        *FILE_CONFLICTS,
        *valueforms.ERROR_CONFLICTS,
        *valueforms.OLD_CRD_CONFLICTS,
    )
}
