"""Parts of a case that most cases do not have: expected errors and conflicts, sources of objects, steps of applies."""

from __future__ import annotations

from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple


class ExpectedError(NamedTuple):
    """
    An expected error; None matches anything.

    Attributes:
        type: The type of the error.
        field: The field path, as field errors spell it.
        message: The whole message of the cause.
        detail: The last part of the message.
        matches: An RE2 pattern that the message must contain.
        rule: A part of the CEL rule behind the error.
    """

    type: ErrorType | None = None
    field: str | None = None
    message: str | None = None
    detail: str | None = None
    matches: str | None = None
    rule: str | None = None


class ExpectedConflict(NamedTuple):
    """
    An expected conflict.

    Attributes:
        manager: The manager that owns the field.
        field: The path of the field, as `managers` spells it.
    """

    manager: str
    field: str


class ExpectedDenial(NamedTuple):
    """
    An expected denial by admission; None matches anything.

    Attributes:
        by: The name of the webhook or policy.
        message: A part of its own message.
        reason: The reason of the Status.
    """

    by: str
    message: str | None = None
    reason: str | None = None


class OldCRD(NamedTuple):
    """
    The CRD under which the old object was stored; either *path* or *patch* is set.

    Attributes:
        path: A file, relative to the case file.
        patch: The operations of a JSON Patch on the CRD of the case file.
        place: The path of its key in the case.
    """

    path: str | None = None
    patch: tuple[JSONValue, ...] | None = None
    place: tuple[str, ...] = ("oldCRD",)


class ObjectSource(NamedTuple):
    """
    The source of an object of a case, and a patch for it.

    Attributes:
        file: A file, relative to the case file; None if the case itself has the object.
        document: The number of the document in the file, from 1; None if it has only one.
        patch: The operations of a JSON Patch, or a merge patch; None for no change.
    """

    file: str | None = None
    document: int | None = None
    patch: JSONValue = None


class ApplyStep(NamedTuple):
    """
    One step of a case about applies.

    Attributes:
        manager: The field manager.
        input: The applied configuration: a JSON object, or the text of a YAML document; None until it is read from a file.
        source: Its source; None if *input* is complete.
        force: Whether it takes over fields of other managers.
    """

    manager: str
    input: JSONValue = None
    source: ObjectSource | None = None
    force: bool = False
