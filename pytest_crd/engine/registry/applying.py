"""Decoding of the body of a server-side apply, and its errors."""

from __future__ import annotations

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import Body, FieldValidation, RefusedError, strict_messages

# Type names in the errors of Go's JSON decoder.
_GO_NAMES = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}


def read(body: Body, profile: Profile) -> dict[str, JSONValue]:
    """
    Return the applied object; `1.0` becomes an integer, because the text goes through YAML.

    Raises:
        RefusedError: The body is not an object.

    Reference:
        apiserver endpoints/handlers/patch.go, applyPatcher.applyPatchToCurrentObject; apimachinery util/yaml, Unmarshal.
    """
    if body.value is None:
        return {}
    if not isinstance(body.value, dict):
        problem = not_a_map(body.value)
        while_ = "error unmarshaling JSON: while decoding JSON"
        raise RefusedError(bad_request(f"error decoding {message_name(profile)}: {while_}: {problem}"))
    applied: dict[str, JSONValue] = jsonvalue.from_python(body.value)
    return applied


def not_a_map(value: JSONValue) -> str:
    """Return Go's error for a value that is not an object."""
    return f"json: cannot unmarshal {_GO_NAMES[type(value)]} into Go value of type map[string]interface {{}}"


def problems(body: Body, field_validation: FieldValidation, profile: Profile) -> tuple[str, ...]:
    """
    Return the warnings about duplicate keys.

    Raises:
        RefusedError: There are duplicate keys under strict validation.
    """
    if field_validation == "Ignore" or not profile.field_validation or not body.duplicates:
        return ()
    if field_validation == "Strict":
        listed = ", ".join(strict_messages(body.duplicates))
        raise RefusedError(
            bad_request(f"error strict decoding {message_name(profile)}: error converting YAML to JSON: {listed}")
        )
    return body.duplicates


def message_name(profile: Profile) -> str:
    """Return the word for the body in the messages of the server: `patch`, or `YAML` before 1.37."""
    return "patch" if profile.apply.reads_patches else "YAML"


def refuse_uid(uid: str, target: RequestTarget) -> Refusal:
    """Return the refusal of an apply with a uid for a missing object."""
    problem = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    return refusal.conflict(target.resource, target.name, problem)
