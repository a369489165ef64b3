"""JSON values and field errors as older servers print them: in the syntax of Go (`%#v`) instead of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import goformat
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

# What stands for an address: the server prints a real one, which nobody can foretell.
ADDRESS: Final = "0xc000000000"


@dataclass(frozen=True, slots=True)
class PrintedError(FieldError):
    """
    An error whose bad value is of a Go type that is not printed like a JSON value.

    Attributes:
        printed: The bad value as the message has it.
    """

    printed: str

    @property
    def message(self) -> str:
        """The message of the cause in the server's Status."""
        text = f"{self.type.words}: {self.printed}"
        return f"{text}: {self.detail}" if self.detail else text


def invalid(path: FieldPath, bad_value: JSONValue, detail: str, *, profile: Profile) -> FieldError:
    """Return "the value is malformed", with *bad_value*, any JSON value, printed as the server of *profile* prints it."""
    return invalid_as(path, bad_value, None if profile.prints_values_as_json else value(bad_value), detail)


def invalid_as(path: FieldPath, bad_value: JSONValue, printed: str | None, detail: str) -> FieldError:
    """Return "the value is malformed", with *printed* in place of *bad_value*; None prints the value itself."""
    error = fielderror.invalid(path, bad_value, detail)
    return error if printed is None else reprinted(error, printed)


def reprinted(error: FieldError, printed: str) -> PrintedError:
    """Return *error* with *printed* in place of its bad value."""
    return PrintedError(error.type, error.field, error.bad_value, error.detail, printed)


def value(json_value: JSONValue, *, null: str = "interface {}(nil)") -> str:
    """
    Return a JSON value that stands in another one as Go writes it; *null* is how a nil is written there.

    Reference:
        fmt `%#v` of `map[string]interface{}`, `[]interface{}` and scalars.
    """
    if isinstance(json_value, dict):
        entries = (f"{goformat.quote(key)}:{value(json_value[key])}" for key in sorted(json_value))
        return f"map[string]interface {{}}{{{', '.join(entries)}}}"
    if isinstance(json_value, list):
        return f"[]interface {{}}{{{', '.join(map(value, json_value))}}}"
    if json_value is None:
        return null
    if isinstance(json_value, str):
        return goformat.quote(json_value)
    if isinstance(json_value, bool):
        return "true" if json_value else "false"
    return goformat.number(json_value)
