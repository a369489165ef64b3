"""Completion of partial requests with type, name, namespace and resourceVersion, as kubectl and clients do it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import WrongTypeError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry import requestoptions
from pytest_crd.engine.registry.request import FIXED_VALUES
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.response import Response
from pytest_crd.engine.yaml import yamlreader

# The default name of objects.
MADE_UP_NAME: Final = "example"
_DEFAULT_NAMESPACE: Final = "default"
_FROM_STORED: Final = ("name", "namespace", "resourceVersion")


def read(sent: Mapping[str, object] | str | Body) -> Body:
    """
    Return the body of a request from an object, or from the text of one YAML or JSON document, which is sent unchanged.

    A `Body` is already read.

    Raises:
        ManifestError: The text is malformed.
        TypeError: A value in the object is not JSON.
    """
    if isinstance(sent, Body):
        return sent
    if not isinstance(sent, str):
        return Body(jsonvalue.from_python(sent))
    document = yamlreader.read_one(sent)
    return Body(document.value, sent, tuple(duplicate.message for duplicate in document.duplicates))


def read_applied(sent: Mapping[str, object] | str | Body, *, takes_first: bool = False) -> Body:
    """
    Return the body of an apply, as `read` does; a text is parsed as YAML even if it looks like JSON.

    Args:
        sent: An object, a text, or a body that is already read.
        takes_first: True to take the first of several documents of a text, as servers do.

    Raises:
        ManifestError, TypeError: As for `read`.
    """
    if not isinstance(sent, str):
        return read(sent)
    document = yamlreader.read_one(sent, as_yaml=True, takes_first=takes_first)
    return Body(document.value, sent, tuple(duplicate.message for duplicate in document.duplicates), is_yaml=True)


def typed(body: Body, type_meta: Mapping[str, JSONValue]) -> Body:
    """Return *body* with default apiVersion, kind and metadata; a text is returned unchanged."""
    return Body({**type_meta, "metadata": {}, **body.value}) if _is_open(body) else body


def with_default_name(body: Body, name: str = MADE_UP_NAME) -> Body:
    """Return the body of a POST with a default name unless it has `name` or `generateName`; a text is returned unchanged."""
    metadata = _metadata(body)
    if not _is_open(body) or metadata is None or metadata.keys() & {"name", "generateName"}:
        return body
    return Body({**body.value, "metadata": {"name": name, **metadata}})


def over(
    body: Body,
    old: Mapping[str, object],
    type_meta: Mapping[str, JSONValue],
    stored_as: Mapping[str, JSONValue],
) -> tuple[Body, dict[str, JSONValue]]:
    """
    Return the body of a PUT over *old*, and *old* in its stored form, both completed.

    Args:
        body: The body.
        old: The stored object; may be partial.
        type_meta: The apiVersion and kind of the body.
        stored_as: The apiVersion in which *old* is stored, and its kind; its own apiVersion is that of a client.

    Raises:
        TypeError: *old* or its metadata is not a mapping.
    """
    stored = {**stored_as, **resource(old), "apiVersion": stored_as["apiVersion"]}
    metadata = stored.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise WrongTypeError(f"the metadata of a stored object is a mapping, not {jsonvalue.type_of(metadata)}")
    stored["metadata"] = {"name": MADE_UP_NAME, "resourceVersion": "1", **metadata}
    sent = typed(body, type_meta)
    metadata = _metadata(sent)
    if _is_open(sent) and metadata is not None:
        identity = {key: stored["metadata"][key] for key in _FROM_STORED if key in stored["metadata"]}
        sent = Body({**sent.value, "metadata": {**identity, **metadata}})
    return sent, stored


def patch(value: object, media_type: str) -> tuple[Body, str]:
    """
    Return the body and the media type of a PATCH.

    Args:
        value: A mapping (a merge patch), a list (a JSON Patch), or the text of one of them in JSON or YAML, which is sent as JSON, as kubectl does.
        media_type: The media type, with which a text is sent unchanged; empty to infer it.

    Raises:
        ManifestError: A text is neither JSON nor YAML.
        TypeError: A value is not JSON, or not a patch.
    """
    if isinstance(value, str):
        body = Body(None, value or " ") if media_type else _patch_text(value)
    else:
        body = Body(jsonvalue.from_python(value))
    if media_type:
        return body, media_type
    if not isinstance(body.value, dict | list):
        raise WrongTypeError(f"a patch is a mapping or a list of operations, not {jsonvalue.type_of(body.value)}")
    return body, requestoptions.JSON_PATCH if isinstance(body.value, list) else requestoptions.MERGE_PATCH


def _patch_text(text: str) -> Body:
    try:
        value = json.loads(text)
    except ValueError:
        return Body(yamlreader.read_one(text).value)
    return Body(value, text)


def patched(
    old: Mapping[str, object] | Response | None, stored_as: Mapping[str, JSONValue]
) -> dict[str, JSONValue] | None:
    """
    Return *old* in its stored form for a patch, with the server's metadata; None without an object.

    Args:
        old: The stored object, or the response to the request that stored it.
        stored_as: The apiVersion and kind of a stored object, as for `over`.

    Raises:
        TypeError: *old* is a refused response, or not a mapping.
    """
    if old is None:
        return None
    if isinstance(old, Response):
        if old.whole is None:
            raise WrongTypeError(f"nothing is stored of a request that is refused: {old}")
        return {**old.whole.value, "metadata": {**old.whole.value["metadata"], "resourceVersion": "1"}}
    _, stored = over(Body({}), old, {}, stored_as)
    system_metadata = systemmetadata.of_created(uid=FIXED_VALUES.uid(), now=FIXED_VALUES.now())
    return {**stored, "metadata": {**system_metadata, **stored["metadata"]}}


def applied(body: Body, stored: Mapping[str, JSONValue] | None, type_meta: Mapping[str, JSONValue]) -> Body:
    """Return the body of an apply with default type and name; a text is returned unchanged."""
    name = MADE_UP_NAME if stored is None else stored["metadata"]["name"]
    return with_default_name(typed(body, type_meta), name)


def name(body: Body) -> str:
    """Return the name in the URL of an apply: the name in the body, else the default name."""
    in_body = (_metadata(body) or {}).get("name")
    return in_body if isinstance(in_body, str) and in_body else MADE_UP_NAME


def namespace(explicit: str | None, body: Body) -> str:
    """
    Return the namespace of the URL: the argument, else the object's namespace, else `default`, as kubectl does.

    Raises:
        TypeError: The argument is not a text.
    """
    if isinstance(explicit, str):
        return explicit
    if explicit is not None:
        raise WrongTypeError(f"a namespace is a text, not {type(explicit).__name__}: {explicit!r}")
    in_body = (_metadata(body) or {}).get("namespace")
    return in_body if isinstance(in_body, str) and in_body else _DEFAULT_NAMESPACE


def resource(sent: Mapping[str, object] | str) -> Mapping[str, JSONValue]:
    """
    Return a custom resource as a JSON object.

    Raises:
        TypeError: It is not a mapping.
    """
    value = read(sent).value
    if not isinstance(value, dict):
        raise WrongTypeError(f"a custom resource is a mapping, not {jsonvalue.type_of(value)}")
    return value


def _is_open(body: Body) -> bool:
    """Return whether a body may be completed: it is an object, not a text."""
    return not body.text and isinstance(body.value, dict)


def _metadata(body: Body) -> dict[str, JSONValue] | None:
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    return metadata if isinstance(metadata, dict) else None
