"""The body of a server-side apply: how it is read, and what is said about it."""

from __future__ import annotations

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.requestbody import Body, FieldValidation, RefusedError, worded_strictly

# As Go's JSON names what is no object.
_GO_NAMES = {str: "string", bool: "bool", int: "number", float: "number", list: "array"}


def read(body: Body, profile: Profile) -> dict[str, JSONValue]:
    """
    Return what is applied; `1.0` is an integer in it, as its text goes through YAML.

    Raises:
        RefusedError: It is no object.

    Reference:
        apiserver endpoints/handlers/patch.go, applyPatcher.applyPatchToCurrentObject; apimachinery util/yaml, Unmarshal.
    """
    if body.value is None:
        return {}
    if not isinstance(body.value, dict):
        problem = no_map(body.value)
        while_ = "error unmarshaling JSON: while decoding JSON"
        raise RefusedError(bad_request(f"error decoding {called(profile)}: {while_}: {problem}"))
    found: dict[str, JSONValue] = jsonvalue.from_python(body.value)
    return found


def no_map(value: JSONValue) -> str:
    """Return what Go says of a value that is no object, where it wants any."""
    return f"json: cannot unmarshal {_GO_NAMES[type(value)]} into Go value of type map[string]interface {{}}"


def problems(body: Body, field_validation: FieldValidation, profile: Profile) -> tuple[str, ...]:
    """
    Return what is warned of: keys that are set twice.

    Raises:
        RefusedError: Field validation is strict, and there are such keys.
    """
    if field_validation == "Ignore" or not profile.field_validation or not body.duplicates:
        return ()
    if field_validation == "Strict":
        listed = ", ".join(worded_strictly(body.duplicates))
        raise RefusedError(
            bad_request(f"error strict decoding {called(profile)}: error converting YAML to JSON: {listed}")
        )
    return body.duplicates


def called(profile: Profile) -> str:
    """Return what messages call an apply that cannot be read."""
    return "patch" if profile.apply.reads_patches else "YAML"


def refuse_uid(uid: str, target: RequestTarget) -> Refusal:
    """Return how an apply is refused that is for one object, where there is none of that name."""
    problem = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    return refusal.conflict(target.resource, target.name, problem)
