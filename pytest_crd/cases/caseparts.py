"""What a case consists of: where its keys stand, expected errors and conflicts, the sources of its objects, the steps of applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml.document import Document


@dataclass(frozen=True, slots=True, eq=False)
class CaseLines:
    """
    Where things stand in the file; looked up when asked, which most cases never are.

    Attributes:
        document: The document that is meant.
        path: Where in it the paths of `of` begin.
    """

    document: Document
    path: tuple[str | int, ...] = ()

    def of(self, *path: str | int) -> int:
        """
        Return the 1-based line of a key, or of a list's item.

        Args:
            path: Keys and 0-based indices, as in `of("errors", 0, "field")`; nothing asks for the beginning.
        """
        return self.document.line_of((*self.path, *path), key=bool(path) and isinstance(path[-1], str))


class ExpectedError(NamedTuple):
    """
    One expected error; what is None may be anything.

    Attributes:
        type: The type of the error.
        field: The field path, as field errors spell it.
        message: The whole message of the cause.
        detail: The last part of the message.
        matches: RE2 pattern that is found in the message.
        rule: A part of the CEL rule that found it.
    """

    type: ErrorType | None = None
    field: str | None = None
    message: str | None = None
    detail: str | None = None
    matches: str | None = None
    rule: str | None = None


class ExpectedConflict(NamedTuple):
    """
    One expected conflict.

    Attributes:
        manager: The manager that owns the field.
        field: The path of the field, as `managers` spells it.
    """

    manager: str
    field: str


class OldCRD(NamedTuple):
    """
    The CRD under which the old object was stored; exactly one is not None.

    Attributes:
        path: A file, relative to the case file.
        patch: The operations of a JSON Patch on the CRD of the case file.
        place: Where in the case it stands.
    """

    path: str | None = None
    patch: tuple[JSONValue, ...] | None = None
    place: tuple[str, ...] = ("oldCRD",)


class ObjectSource(NamedTuple):
    """
    Where an object of a case comes from, and what is changed in it.

    Attributes:
        file: A file, relative to the case file; None where the object stands in the case.
        document: Which document of the file, from 1; None where it has only one.
        patch: The operations of a JSON Patch, or a merge patch; None where nothing is changed.
    """

    file: str | None = None
    document: int | None = None
    patch: JSONValue = None


class ApplyStep(NamedTuple):
    """
    One of several applies.

    Attributes:
        manager: Who applies, the field manager.
        input: What is applied: a JSON object, or the text of one YAML document; None until it is read from a file.
        source: Where it comes from; None where it is applied as it stands.
        force: Whether it takes over the fields of others.
    """

    manager: str
    input: JSONValue = None
    source: ObjectSource | None = None
    force: bool = False
