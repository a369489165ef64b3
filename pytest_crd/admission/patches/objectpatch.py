"""
Patches of mutating webhooks, applied to an object.

Reference:
    apiserver admission/plugin/webhook/mutating/dispatcher.go, callAttrMutatingHook.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import decoding, jsonsyntax, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import List, Map, Raw
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import typemeta
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.patching import documents, jsonpatch
from pytest_crd.engine.registry.patching.documents import Document
from pytest_crd.engine.registry.patching.jsonpatch import OperationError
from pytest_crd.engine.yaml.yamlstream import UnreadableError

_PATCH: Final = List(Map(Raw("json.RawMessage"), "jsonpatch.Operation"), "jsonpatch.Patch")


class UndecodablePatchError(Exception):
    """A patch that is no JSON Patch, with the server's message."""


class PatchFailedError(Exception):
    """A patch that does not apply, or a malformed result, with the server's message."""


def decode(patch: bytes) -> list[Document]:
    """
    Return the operations of a JSON Patch; empty if it is null.

    Raises:
        UndecodablePatchError: It is no list of objects.
    """
    text = patch.decode(errors="surrogateescape")
    if problem := jsonsyntax.find_problem(text):
        raise UndecodablePatchError(problem)
    try:
        operations: Document = documents.read(printing.replace_bytes(text))
        if operations is not None:
            decoding.decode(documents.plain(operations), _PATCH, sort_keys=False)
    except (UnreadableError, DecodeError) as error:
        raise UndecodablePatchError(str(error)) from None
    return operations or []


def _without_floats(value: JSONValue) -> JSONValue:
    """Return a value with integers instead of floats without a fraction, as Go reads back the JSON that it writes."""
    if isinstance(value, float):
        return jsonvalue.number(value)
    if isinstance(value, list):
        return [_without_floats(item) for item in value]
    if type(value) is dict:  # others keep the order of their keys, and are no custom resources
        return {key: _without_floats(item) for key, item in value.items()}
    return value


def change(operations: list[Document], resource: Resource, profile: Profile) -> Document:
    """
    Return *resource* after the *operations* of a patch, before it is read.

    Args:
        operations: The operations.
        resource: The object, which the server writes as JSON before the patch; not modified.
        profile: The Kubernetes version.

    Raises:
        OperationError: An operation fails.
    """
    return jsonpatch.apply(_without_floats(jsonvalue.written(resource)), operations, profile.json_patch)


def read(patched: Document, kind: str = "") -> Resource:
    """
    Return a patched object.

    Args:
        patched: The result of `change`.
        kind: The kind of an object without one; empty to refuse it.

    Raises:
        PatchFailedError: It is no object with a kind.
    """
    value, text = documents.plain(patched), documents.to_text(patched)
    try:
        typemeta.read_type_meta(value, text=text)
    except TypeMetaError as error:
        raise PatchFailedError(str(error)) from None
    if not value.get("kind"):
        if not kind:
            raise PatchFailedError(f"Object 'Kind' is missing in '{text}'")
        value = {**value, "kind": kind}
    changed: Resource = value
    return changed


def apply(operations: list[Document], resource: Resource, profile: Profile) -> Resource:
    """
    Return *resource* after the *operations* of a patch.

    Args:
        operations: The result of `decode`.
        resource: The object, which the server writes as JSON before the patch; not modified.
        profile: The Kubernetes version.

    Raises:
        PatchFailedError: An operation fails, or the result is no object with a kind.
    """
    try:
        patched = change(operations, resource, profile)
    except OperationError as error:
        if error.panics:
            raise PatchFailedError(f"the server panics over operation {error.index}: {error}") from None
        raise PatchFailedError(str(error)) from None
    return read(patched)
