"""Bodies of requests: as they were sent, decoded, the results of patches, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.inputerror import WrongValueError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.errors import refusal
    from pytest_crd.engine.errors.refusal import Refusal
    from pytest_crd.engine.registry import response
    from pytest_crd.engine.registry.malformedmetadata import MalformedMetadata
    from pytest_crd.engine.registry.response import Changes, FieldConflict
else:
    response = lazyimport.module("pytest_crd.engine.registry.response")
    refusal = lazyimport.module("pytest_crd.engine.errors.refusal")


FieldValidation = Literal["Strict", "Warn", "Ignore"]
FIELD_VALIDATIONS: Final = ("Strict", "Warn", "Ignore")


def check_field_validation(field_validation: FieldValidation) -> FieldValidation:
    """Return *field_validation*, or raise ValueError if it is unknown."""
    if field_validation not in FIELD_VALIDATIONS:
        raise WrongValueError(f"field_validation {field_validation!r}: one of {', '.join(FIELD_VALIDATIONS)}")
    return field_validation


class Body(NamedTuple):
    """
    The body of a request.

    Attributes:
        value: The parsed value, which need not be a resource.
        text: The sent text; empty if messages quote the value as JSON.
        duplicates: The server's messages about duplicate keys.
        has_floats: False if the text has no float, such as `1.0`, whose spelling counts until it is stored.
        is_yaml: Whether the text was read as YAML even if it looks like JSON.
    """

    value: JSONValue
    text: str = ""
    duplicates: tuple[str, ...] = ()
    has_floats: bool = True
    is_yaml: bool = False


class TypedObject(Protocol):
    """An object that its strategy holds in a form of its own."""

    def encoded(self) -> JSONObject:
        """Return the object as JSON."""


class DecodedBody(NamedTuple):
    """
    A decoded resource.

    Attributes:
        resource: The resource: pruned, without disallowed nulls, defaulted.
        changes: The changes by pruning and defaulting.
        warnings: The warnings about unknown and duplicate fields.
        is_text: Whether it comes from a text with floats, in which `1.0` differs from `1` until it is stored.
        is_raw: Whether it is not pruned yet, as in an apply.
        sent: The value before decoding.
        typed: The decoded form of the strategy; None if that is the resource itself.
        malformed: The malformed metadata that admission plugins return; None if it is well-formed.
    """

    resource: dict[str, JSONValue]
    changes: Changes
    warnings: tuple[str, ...]
    is_text: bool = False
    sent: JSONValue = None
    is_raw: bool = False
    typed: TypedObject | None = None
    malformed: MalformedMetadata | None = None

    def encoded(self) -> JSONObject:
        """Return the resource in the form that field managers compare."""
        return self.resource if self.typed is None else self.typed.encoded()


class Patched(NamedTuple):
    """
    The result of a patch.

    Attributes:
        value: The patched object.
        write: Returns its text, which the server parses again and quotes in messages.
        duplicates: The server's messages about duplicate keys in that text.
        problems: The messages about unknown and duplicate fields of the patch itself.
        is_text: Whether its numbers have other spellings than the server's: see `DecodedBody`.
    """

    value: JSONValue
    write: Callable[[], str]
    duplicates: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_text: bool = False


class RefusedError(Exception):
    """A refused request, with the findings up to the refusal."""

    def __init__(
        self,
        refusal_: Refusal,
        decoded: DecodedBody | None = None,
        warnings: tuple[str, ...] = (),
        pruned: Mapping[str, JSONValue] | None = None,
        conflicts: tuple[FieldConflict, ...] = (),
    ) -> None:
        """
        Create from a refusal.

        Args:
            refusal_: The refusal.
            decoded: The resource, if it was decoded.
            warnings: Further warnings.
            pruned: The resource without the unknown fields that cause the refusal.
            conflicts: The fields of other managers that the request changes.
        """
        super().__init__(refusal_.message)
        self.pruned = pruned
        self.conflicts = conflicts
        self.refusal = refusal_
        self.changes = decoded.changes if decoded else response.Changes()
        self.warnings = (*(decoded.warnings if decoded else ()), *warnings)


def bad_patch(written: str, problem: str) -> Refusal:
    """Return the refusal of a patch for its result, which the server leaves unnamed."""
    error = fielderror.invalid(FieldPath(("patch",)), written, problem)
    return refusal.Refusal(422, "Invalid", f' "" is invalid: {error}', (error,), subject={})


def strict_messages(duplicates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the messages of a strict decoder about duplicates; YAML's messages are joined into a single one with several lines."""
    if not (duplicates and duplicates[0].startswith("line ")):
        return duplicates
    return ("yaml: unmarshal errors:" + "".join(f"\n  {text}" for text in duplicates),)
