"""Completion of a request by what callers may leave out, as kubectl and clients do it: type, name, namespace, resourceVersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests.requestbody import Body
from pytest_crd.engine.text import yamlreader

# For objects of which a name does not matter.
MADE_UP_NAME: Final = "example"
_DEFAULT_NAMESPACE: Final = "default"
_FROM_STORED: Final = ("name", "namespace", "resourceVersion")


def read(sent: Mapping[str, object] | str) -> Body:
    """
    Return what is sent, read: an object, or the text of one YAML or JSON document, which is sent as it is.

    Raises:
        ManifestError: A text that the server could not read.
        TypeError: Something in the object is not JSON.
    """
    if not isinstance(sent, str):
        return Body(jsonvalue.from_python(sent))
    document = yamlreader.read_one(sent)
    return Body(document.value, sent, tuple(duplicate.message for duplicate in document.duplicates))


def typed(body: Body, type_meta: Mapping[str, JSONValue]) -> Body:
    """Return *body* with apiVersion, kind and metadata, unless it is a text."""
    return Body({**type_meta, "metadata": {}, **body.value}) if _is_open(body) else body


def named(body: Body, name: str = MADE_UP_NAME) -> Body:
    """Return the body of a POST with a *name*, where it has nothing of which the server makes one; a text stays as it is."""
    metadata = _metadata(body)
    if not _is_open(body) or metadata is None or metadata.keys() & {"name", "generateName"}:
        return body
    return Body({**body.value, "metadata": {"name": name, **metadata}})


def over(
    body: Body, old: Mapping[str, object], type_meta: Mapping[str, JSONValue]
) -> tuple[Body, dict[str, JSONValue]]:
    """
    Return the body of a PUT over *old*, and *old* as it is stored, each with what may be left out.

    Raises:
        TypeError: *old* is no mapping, or its metadata is none, as it is of whatever is stored.
    """
    stored = {**type_meta, **resource(old)}
    metadata = stored.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise TypeError(f"the metadata of a stored object is a mapping, not {jsonvalue.type_of(metadata)}")
    stored["metadata"] = {"name": MADE_UP_NAME, "resourceVersion": "1", **metadata}
    sent = typed(body, type_meta)
    metadata = _metadata(sent)
    if _is_open(sent) and metadata is not None:
        kept = {key: stored["metadata"][key] for key in _FROM_STORED if key in stored["metadata"]}
        sent = Body({**sent.value, "metadata": {**kept, **metadata}})
    return sent, stored


def namespace(given: str | None, body: Body) -> str:
    """
    Return the namespace of the URL: *given*, else what the object states, as kubectl takes it.

    Raises:
        TypeError: *given* is no text.
    """
    if isinstance(given, str):
        return given
    if given is not None:
        raise TypeError(f"a namespace is a text, not {type(given).__name__}: {given!r}")
    stated = (_metadata(body) or {}).get("namespace")
    return stated if isinstance(stated, str) and stated else _DEFAULT_NAMESPACE


def resource(given: Mapping[str, object] | str) -> Mapping[str, JSONValue]:
    """
    Return a whole custom resource as a JSON object.

    Raises:
        TypeError: It is no mapping.
    """
    value = read(given).value
    if not isinstance(value, dict):
        raise TypeError(f"a custom resource is a mapping, not {jsonvalue.type_of(value)}")
    return value


def _is_open(body: Body) -> bool:
    """Return whether a body may be completed: an object that was not sent as a text."""
    return not body.text and isinstance(body.value, dict)


def _metadata(body: Body) -> dict[str, JSONValue] | None:
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    return metadata if isinstance(metadata, dict) else None
