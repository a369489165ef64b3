"""Requests for a question under the names of its stage, each with the engine's answer to the same request."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.cases.questions import Question, SentApply
from pytest_crd.cases.sections import Section
from pytest_crd.engine import Response
from pytest_crd.engine.client import completion
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import DELETION
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.registry import requestoptions, scale
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.live import client
from pytest_crd.live.stages import NotAskedError, Stage, type_meta
from pytest_crd.live.temporaryobjects import namespace_of

_DRY: Final = {"dryRun": "All"}


class Exchange(NamedTuple):
    """
    A request, with the engine's answer to it.

    Attributes:
        method: HTTP method.
        path: URL path.
        query: Parameters of the URL.
        sent: The body, a text or an object.
        response: The engine's answer.
        old: The stored object before the request; None for a create.
        media_type: The content type of a patch; empty for other requests.
        has_owners: Whether the owners of fields are compared, too.
    """

    method: str
    path: str
    query: Mapping[str, str]
    sent: JSONValue
    response: Response
    old: JSONValue = None
    media_type: str = ""
    has_owners: bool = False


def created(question: Question, stage: Stage) -> Exchange:
    """Return the dry create of *question*."""
    own = namespace_of(question)
    namespace = stage.renaming.namespace or own
    version = stage.crd.version(question.version.name)
    body = stage.renaming.of_body(question.body, own)
    body = completion.with_default_name(completion.typed(body, type_meta(version)), stage.renaming.made_up_name)
    response = version.create(body, namespace=namespace, field_validation=question.field_validation)
    return Exchange("POST", _path(question, stage, ""), _query(question), body.text or body.value, response)


def updated(question: Question, stage: Stage, stored: Mapping[str, JSONValue]) -> Exchange:
    """Return the dry update of *stored* in *question*."""
    old = question.old or {}
    own = namespace_of(question)
    version = question.prepare_version(stage.crd.version(question.version.name))
    body = stage.renaming.of_body(_without_identity(question.body, old), own)
    sent, stored_whole = completion.over(body, stored, type_meta(version), stored)
    is_status = question.section is Section.UPDATE_STATUS
    send = version.update_status if is_status else version.update
    response = send(
        sent, old=stored_whole, namespace=stage.renaming.namespace, field_validation=question.field_validation
    )
    path = _path(question, stage, stored["metadata"]["name"])
    return Exchange("PUT", path, _query(question), sent.text or sent.value, response, stored)


def patched(question: Question, stage: Stage, stored: Mapping[str, JSONValue]) -> Exchange:
    """Return the dry patch of *stored* in *question*."""
    version = question.prepare_version(stage.crd.version(question.version.name))
    subresource = question.section.subresource
    _refuse_identity(question.body.value)
    patch = _without_identity(question.body, question.old or {}).value
    patch = stage.renaming.of_patch(patch, namespace_of(question))
    _, media_type = completion.patch(patch, "")
    response = version.patch(
        patch,
        old=stored,
        subresource=subresource,
        namespace=stage.renaming.namespace,
        field_validation=question.field_validation,
    )
    path = _path(question, stage, stored["metadata"]["name"])
    return Exchange("PATCH", path, _query(question), patch, response, stored, media_type)


def applied(question: Question, apply: SentApply, stage: Stage, stored: JSONValue) -> Exchange:
    """Return the dry request for *apply*, an apply of *question*, to *stored*."""
    version, subresource = stage.crd.version(question.version.name), question.section.subresource
    body = _without_identity(apply.body, question.old or {})
    body = stage.renaming.of_body(body, namespace_of(question), read=completion.read_applied)
    body = completion.with_default_name(body, stage.renaming.made_up_name) if stored is None else body
    kind = scale.TYPE_META if subresource == "scale" else type_meta(version)
    sent = completion.applied(body, stored, kind)
    renamed = question._replace(version=version)
    namespace = stage.renaming.namespace or namespace_of(question)
    response = renamed.applied(apply._replace(body=sent), stored, namespace=namespace)
    name = (stored or sent.value)["metadata"].get("name") or stage.renaming.made_up_name
    query = {**_query(question), "fieldManager": apply.manager, **({"force": "true"} if apply.force else {})}
    text = sent.text or printing.marshal(sent.value)
    path = _path(question, stage, name)
    has_owners = subresource != "scale"
    return Exchange("PATCH", path, query, text, response, stored, requestoptions.APPLY, has_owners)


def _path(question: Question, stage: Stage, name: str) -> str:
    """Return the path of the object *name*, or of the question's subresource; the path of the collection if *name* is empty."""
    subresource = question.section.subresource
    whole = f"{name}/{subresource}" if subresource else name
    namespace = stage.renaming.namespace or urllib.parse.quote(namespace_of(question), safe="")
    return client.resource_path(stage.crd.declared, question.version.name, whole, namespace=namespace)


def _query(question: Question) -> dict[str, str]:
    return {**_DRY, "fieldValidation": question.field_validation}


def _refuse_identity(patch: JSONValue) -> None:
    """Raise NotAskedError if a JSON Patch names metadata that only the server sets."""
    for operation in patch if isinstance(patch, list) else ():
        metadata_key = (
            operation["path"].removeprefix("/metadata/") if operation["path"].startswith("/metadata/") else ""
        )
        if metadata_key.partition("/")[0] in (*SERVER_MADE, *DELETION):
            raise NotAskedError(f"a patch that states what only the server knows: {operation['path']}")


def _without_identity(body: Body, old: Mapping[str, JSONValue]) -> Body:
    """Return the body without the metadata of *old* that the server will set again."""
    metadata = body.value.get("metadata") if isinstance(body.value, dict) else None
    if not isinstance(metadata, dict):
        return body
    known_values = {"resourceVersion": "1", **(old.get("metadata") or {})}
    server_made = [
        key for key in (*SERVER_MADE, *DELETION) if key in metadata and metadata[key] == known_values.get(key)
    ]
    if server_made and body.text:
        raise NotAskedError(f"a text that states what only the server knows: {', '.join(sorted(server_made))}")
    sent_metadata = {key: value for key, value in metadata.items() if key not in server_made}
    return Body({**body.value, "metadata": sent_metadata}, body.text) if server_made else body
