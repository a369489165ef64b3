"""The engine's answers to the CRD and the requests of a case file, in the form of recorded answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance import casefile, recordings
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading import crdfiles

Answer = dict[str, JSONValue]

# The namespace in the URL of every request.
_NAMESPACE: Final = "default"
_SUBRESOURCES: Final = {"patchStatus": "status", "patchScale": "scale"}


def definition(manifest: JSONValue, version: str) -> engine.CustomResourceDefinition:
    """Return the engine's CRD for a *manifest* under a Kubernetes *version*."""
    return engine.CustomResourceDefinition.from_manifest(manifest, kubernetes_version=version)


def of_text(text: str, version: str) -> engine.CustomResourceDefinition:
    """Return the engine's CRD for the text of a manifest file."""
    files = crdfiles.CrdFiles(version)
    files.take(text.encode(), source="crd.yaml", origin=crdfiles.FileOrigin.NAMED)
    files.raise_mistakes()
    return files.crds[0]


def of_crd(crd: Any, sent: JSONValue) -> Answer:
    """Return the answer to the POST of *crd*, and its conditions soon after."""
    return recordings.of_crd(crd.response, sent, crd.conditions)


def of_request(crd: Any, file: casefile.CaseFile, request: casefile.Request, *, old_crd: Any = None) -> Answer:
    """
    Return the answer to a request.

    Args:
        crd: The engine's CRD of *file*.
        file: The case file.
        request: One of its requests.
        old_crd: The engine's CRD for the request's `old_crd`, if it exists already.

    Raises:
        ValueError: The engine rejects the old object.
    """
    if request.verb == "updateCRD":
        new: Any = definition(request.sent, file.version)
        return recordings.of_crd(new.update_from(crd), request.sent, crd.conditions)
    if request.verb == "patchCRD":
        options: Any = {"media_type": request.media_type, "field_validation": request.field_validation}
        answer = crd.patch(request.sent, **{key: value for key, value in options.items() if value})
        return recordings.without_generated(recordings.of_crd(answer, file.crd, crd.conditions))
    if request.verb == "createCRDText":
        options = {"field_validation": request.field_validation} if request.field_validation else {}
        answer = recordings.of_custom_resource(of_text(request.sent, file.version).create(**options), namespaced=False)
        return {key: value for key, value in answer.items() if key != "stored"}
    if request.verb in casefile.OF_SCALE:
        return recordings.without_generated(recordings.of_scale(response(crd, file, request, old_crd=old_crd)))
    if request.verb in casefile.PATCHES:
        answer = recordings.of_custom_resource(response(crd, file, request, old_crd=old_crd), namespaced=False)
        return recordings.without_generated(answer)
    metadata = request.sent.get("metadata") if isinstance(request.sent, dict) else None
    namespaced = isinstance(metadata, dict) and "namespace" in metadata
    return recordings.of_custom_resource(response(crd, file, request, old_crd=old_crd), namespaced=namespaced)


def response(crd: Any, file: casefile.CaseFile, request: casefile.Request, *, old_crd: Any = None) -> Any:
    """Return the engine's Response to a request for a custom resource, given the same arguments as `of_request`."""
    options = {"namespace": _NAMESPACE} | (
        {"field_validation": request.field_validation} if request.field_validation else {}
    )
    version = crd.version(request.version)
    if request.verb in ("create", "createText"):
        return version.create(request.sent, **options)
    if request.verb in casefile.PATCHES:
        kind: Any = {"media_type": request.media_type, "subresource": _SUBRESOURCES.get(request.verb, "")}
        options |= {key: value for key, value in kind.items() if value}
        if request.old is None:
            return version.patch(request.sent, old=None, **options)
    if old_crd is None:
        old_crd = definition(request.old_crd, file.version) if request.old_crd else crd
    old_version = old_crd.version(request.old_version)
    stored, version = (
        old_version.create(request.old, namespace=_NAMESPACE).stored,
        version.over_objects_of(old_version),
    )
    if request.verb in casefile.PATCHES:
        return version.patch(request.sent, old=stored, **options)
    if request.verb == "updateScale":
        return version.scale(stored, request.sent, **options)
    sent = with_names(request.sent, stored["metadata"])
    answer = version.update_status if request.verb == "updateStatus" else version.update
    return answer(sent, old=stored, **options)


def with_names(sent: JSONValue, stored: Mapping[str, JSONValue]) -> JSONValue:
    """Return *sent* with missing names taken from the stored metadata."""
    if not isinstance(sent, dict) or not isinstance(sent.get("metadata"), dict):
        return sent
    names = {key: stored[key] for key in ("name", "namespace") if key in stored}
    return sent | {"metadata": names | sent["metadata"]}
