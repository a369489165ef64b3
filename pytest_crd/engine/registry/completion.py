"""Completion of a request by what callers may leave out, as kubectl and clients do it: type, name, namespace, resourceVersion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import ALWAYS_ALIKE
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.response import Response
from pytest_crd.engine.yaml import yamlreader

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


def read_applied(sent: Mapping[str, object] | str, *, takes_first: bool = False) -> Body:
    """
    Return what is applied, read: as `read`, but a text is YAML, whatever it looks like.

    Args:
        sent: An object, or a text.
        takes_first: True to take the first of several documents of a text, as servers do.

    Raises:
        ManifestError, TypeError: As for `read`.
    """
    if not isinstance(sent, str):
        return read(sent)
    document = yamlreader.read_one(sent, as_yaml=True, takes_first=takes_first)
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
    body: Body,
    old: Mapping[str, object],
    type_meta: Mapping[str, JSONValue],
    *,
    stored_as: Mapping[str, JSONValue] | None = None,
) -> tuple[Body, dict[str, JSONValue]]:
    """
    Return the body of a PUT over *old*, and *old* as it is stored, each with what may be left out.

    Args:
        body: What is sent.
        old: What is stored.
        type_meta: apiVersion and kind of what is sent.
        stored_as: Those of what is stored, where they are others.

    Raises:
        TypeError: *old* is no mapping, or its metadata is none, as it is of whatever is stored.
    """
    stored = {**(stored_as or type_meta), **resource(old)}
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


def patch(given: object, media_type: str) -> tuple[Body, str]:
    """
    Return the body of a PATCH, and what it is.

    Args:
        given: A mapping, which is a merge patch, a list, which is a JSON Patch, or the text of one of them in JSON or YAML,
            which is sent as JSON, as kubectl does.
        media_type: What it is instead: then a text is sent as it is. Empty for what it looks like.

    Raises:
        ManifestError: A text that is neither JSON nor YAML.
        TypeError: Something in it is not JSON, or it is no patch.
    """
    if isinstance(given, str):
        body = Body(None, given or " ") if media_type else _patch_text(given)
    else:
        body = Body(jsonvalue.from_python(given))
    if media_type:
        return body, media_type
    if not isinstance(body.value, dict | list):
        raise TypeError(f"a patch is a mapping or a list of operations, not {jsonvalue.type_of(body.value)}")
    return body, mediatypes.JSON_PATCH if isinstance(body.value, list) else mediatypes.MERGE_PATCH


def _patch_text(text: str) -> Body:
    try:
        value = json.loads(text)
    except ValueError:
        return Body(yamlreader.read_one(text).value)
    return Body(value, text)


def patched(
    old: Mapping[str, object] | Response | None, type_meta: Mapping[str, JSONValue]
) -> dict[str, JSONValue] | None:
    """
    Return what a patch is made over, *old*, as it is stored: with what a server made of it, too; None where nothing is.

    Raises:
        TypeError: *old* is an answer that nothing was stored of, or no mapping.
    """
    if old is None:
        return None
    if isinstance(old, Response):
        if old.whole is None:
            raise TypeError(f"nothing is stored of a request that is refused: {old}")
        return {**old.whole.value, "metadata": {**old.whole.value["metadata"], "resourceVersion": "1"}}
    _, stored = over(Body({}), old, type_meta)
    made = systemmetadata.of_created(uid=ALWAYS_ALIKE.uid(), now=ALWAYS_ALIKE.now())
    return {**stored, "metadata": {**made, **stored["metadata"]}}


def applied(body: Body, stored: Mapping[str, JSONValue] | None, type_meta: Mapping[str, JSONValue]) -> Body:
    """Return the body of an apply with type and name, where they are left out; a text stays as it is."""
    name = MADE_UP_NAME if stored is None else stored["metadata"]["name"]
    return named(typed(body, type_meta), name)


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
