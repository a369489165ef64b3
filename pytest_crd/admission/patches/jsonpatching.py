"""
JSON patches of mutations, applied to an object.

Reference:
    apiserver admission/plugin/policy/mutating/patch/json_patch.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.admission.patches import objectpatch, patchvalues
from pytest_crd.admission.patches.objectpatch import PatchFailedError
from pytest_crd.admission.patches.patchtypes import PatchValue
from pytest_crd.admission.patches.patchvalues import FailedMutationError, NoJsonError
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import MISSING, Value, is_list
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.golang import decoding, jsonsyntax, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import schemes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.patching.documents import Document
from pytest_crd.engine.registry.patching.jsonpatch import OperationError, TestFailedError
from pytest_crd.engine.registry.requestbody import RefusedError

# A null in a patch with a test for null; it equals neither a null of the object nor a missing field.
_NULL: Final = {"": ["null"]}
_TEXTS: Final = ("op", "path", "from")


def apply(patch: Value, origins: Origins, resource: Resource, go_type: Struct | None, profile: Profile) -> Resource:
    """
    Return an object after a patch; the same object if a test of the patch fails.

    Args:
        patch: The value of the expression.
        origins: The origins of lists and maps.
        resource: The object; not modified.
        go_type: The Go type of a built-in kind; None for custom resources.
        profile: The Kubernetes version.

    Raises:
        FailedMutationError: The value of an operation has no JSON, or an operation fails.
        RefusedError: 500: the result is no object of its kind.
    """
    with workload.Limited(loops=False):
        operations = _operations(patch, origins)
    try:
        patched = _restored(objectpatch.change(operations, resource, profile))
    except TestFailedError:
        return resource
    except OperationError as error:
        if error.panics:
            raise UnsupportedExpressionError(f"a JSON patch over which the server panics: {error}") from None
        raise FailedMutationError(f"JSON Patch: {error}") from None
    try:
        return objectpatch.read(patched) if go_type is None else _decode(patched, go_type, resource, profile)
    except PatchFailedError as error:
        raise RefusedError(refusal.internal_error(str(error))) from None


def _operations(patch: Value, origins: Origins) -> list[Document]:
    if not is_list(patch):
        raise UnsupportedExpressionError("JSON patches that are no lists")
    operations = [_operation(item, origins) for item in patch]
    if any(operation["op"] == "test" and operation.get("value", _NULL) is None for operation in operations):
        for operation in operations:
            if operation.get("value", _NULL) is None:
                operation["value"] = _NULL
    return [*operations]


def _restored(document: Document) -> Document:
    """Return a patched document with null instead of `_NULL`."""
    if document == _NULL:
        return None
    if isinstance(document, dict):
        return {key: _restored(item) for key, item in document.items()}
    return [_restored(item) for item in document] if isinstance(document, list) else document


def _operation(item: Value, origins: Origins) -> dict[str, Document]:
    if not isinstance(item, PatchValue):
        raise UnsupportedExpressionError("lists of a JSON patch with other values than operations")
    operation: dict[str, Document] = {
        name: _text(item.texts.get(name, "")) for name in _TEXTS if name in item.texts or name != "from"
    }
    if item.value is not MISSING:
        try:
            operation["value"] = patchvalues.to_patch_json(item.value, origins)
        except NoJsonError as error:
            raise FailedMutationError(str(error)) from None
    return operation


def _text(text: str) -> Document:
    """Return a text as the server writes and reads it; None for control characters, as Go's escapes are not JSON's."""
    quoted = printing.quote(text)
    return None if jsonsyntax.find_problem(quoted) else text


def _decode(patched: Document, go_type: Struct, before: Resource, profile: Profile) -> Resource:
    """
    Return the object of a built-in kind after a patch.

    Raises:
        PatchFailedError: It has unknown fields, or fields of wrong types.
    """
    value = objectpatch.read(patched, kind=before["kind"])
    api_version, kind = value.get("apiVersion") or before["apiVersion"], value["kind"]
    if (api_version, kind) != (before["apiVersion"], before["kind"]):
        raise PatchFailedError(schemes.unregistered(kind, api_version, profile))
    written = documents.read(documents.to_text(patched))
    try:
        decoded = decoding.decode(documents.decodable(written), go_type, sort_keys=False)
    except DecodeError as error:
        raise PatchFailedError(str(error)) from None
    if decoded.problems:
        raise PatchFailedError(f"strict decoding error: {', '.join(decoded.problems)}")
    return {**decoded.value, "apiVersion": before["apiVersion"], "kind": before["kind"]}
