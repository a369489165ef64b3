"""Field errors with bad values that are not printed as JSON: in Go syntax, or as a Go type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang.gotypes import GoType, Pointer
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.records import dataclass

if TYPE_CHECKING:
    from pytest_crd.engine.golang import gosyntax, structs
else:
    gosyntax = lazyimport.module("pytest_crd.engine.golang.gosyntax")
    structs = lazyimport.module("pytest_crd.engine.golang.structs")


@dataclass(frozen=True)
class PrintedError(FieldError):
    """
    Error with a bad value of a Go type that is not printed as JSON.

    Attributes:
        printed: The bad value as the message prints it.
    """

    printed: str

    @property
    def message(self) -> str:
        """The message of the cause in the server's Status."""
        text = f"{self.type.words}: {self.printed}"
        return f"{text}: {self.detail}" if self.detail else text


def invalid(path: FieldPath, bad_value: JSONValue, detail: str, *, profile: Profile) -> FieldError:
    """Return an Invalid error with *bad_value*, any JSON value, printed as the server of *profile* prints it."""
    return invalid_as(path, bad_value, None if profile.prints_values_as_json else gosyntax.value(bad_value), detail)


def invalid_embedded(path: FieldPath, bad_value: JSONValue, detail: str, *, profile: Profile) -> FieldError:
    """Return an Invalid error about a part of an embedded resource, where Go syntax prints null as a text."""
    printed = None if profile.prints_values_as_json else gosyntax.value(bad_value, null='"null"')
    return invalid_as(path, bad_value, printed, detail)


def invalid_as(path: FieldPath, bad_value: JSONValue, printed: str | None, detail: str) -> FieldError:
    """Return an Invalid error that prints *printed* instead of *bad_value*; without it, the value itself."""
    error = fielderror.invalid(path, bad_value, detail)
    return error if printed is None else reprinted(error, printed)


def reprinted(error: FieldError, printed: str) -> PrintedError:
    """Return *error* with *printed* as its printed bad value."""
    return PrintedError(error.type, error.field, error.bad_value, error.detail, printed, path=error.path)


def invalid_of_type(path: FieldPath, value: JSONValue, kind: GoType, detail: str, profile: Profile) -> FieldError:
    """
    Return an Invalid error for a value of a Go type other than a string, a number or a bool.

    Args:
        path: The path of the value.
        value: The value in its JSON shape.
        kind: Its type.
        detail: The end of the message.
        profile: Older versions print Go syntax, newer ones JSON.
    """
    if isinstance(kind, Pointer) and isinstance(value, str) and not profile.prints_values_as_json:
        return fielderror.invalid(path, value, detail)
    printed = structs.to_json(value, kind) if profile.prints_values_as_json else structs.to_go_syntax(value, kind)
    return invalid_as(path, value, printed, detail)
