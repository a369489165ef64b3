"""What a caller may leave out of a request, as kubectl and clients fill it in: type, name, namespace, resourceVersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.reading import yamlreader
from pytest_crd.engine.resources.requestbody import Body

# For objects of which a name does not matter.
MADE_UP_NAME: Final = "example"
_DEFAULT_NAMESPACE: Final = "default"
_FROM_STORED: Final = ("name", "namespace", "resourceVersion")


def body(
    sent: Mapping[str, object] | str,
    defaults: Mapping[str, JSONValue],
    stored_metadata: Mapping[str, JSONValue] | None = None,
) -> Body:
    """Return what is sent: a text as it is, anything else completed with *defaults* and, by default, the stored name."""
    if isinstance(sent, str):
        document = yamlreader.read_one(sent)
        return Body(document.value, sent, tuple(duplicate.message for duplicate in document.duplicates))
    value = jsonvalue.from_python(sent)
    if not isinstance(value, dict):
        return Body(value)
    value = {**defaults, **value}
    if stored_metadata is not None and isinstance(value["metadata"], dict):
        kept = {key: stored_metadata[key] for key in _FROM_STORED if key in stored_metadata}
        value["metadata"] = {**kept, **value["metadata"]}
    return Body(value)


def named(body: Body) -> Body:
    """Return the body of a POST with a name, where it has nothing of which the server makes one."""
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    if not isinstance(metadata, dict) or metadata.keys() & {"name", "generateName"}:
        return body
    return Body({**body.value, "metadata": {"name": MADE_UP_NAME, **metadata}})


def namespace(given: str | None, body: Body) -> str:
    """Return the namespace of the URL: *given*, else what the object states, as kubectl takes it."""
    if given is not None:
        return given
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    stated = metadata.get("namespace") if isinstance(metadata, dict) else None
    return stated if isinstance(stated, str) and stated else _DEFAULT_NAMESPACE


def resource(given: Mapping[str, object] | str) -> Mapping[str, JSONValue]:
    """
    Return a whole custom resource as a JSON object.

    Raises:
        TypeError: It is no mapping.
    """
    value = yamlreader.read_one(given).value if isinstance(given, str) else jsonvalue.from_python(given)
    if not isinstance(value, dict):
        raise TypeError(f"a custom resource is a mapping, not {jsonvalue.type_of(value)}")
    return value


def over(
    sent: Mapping[str, object] | str, old: Mapping[str, object], type_meta: Mapping[str, JSONValue]
) -> tuple[Body, dict[str, JSONValue]]:
    """Return the body of a PUT over *old*, and *old* as it is stored, each with what may be left out."""
    stored = {**type_meta, **resource(old)}
    metadata = stored.get("metadata") or {}
    stored["metadata"] = {"name": MADE_UP_NAME, "resourceVersion": "1", **metadata}
    return body(sent, {**type_meta, "metadata": {}}, stored["metadata"]), stored
