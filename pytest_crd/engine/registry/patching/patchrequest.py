"""Application of a PATCH body to an object."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.golang import decoding, gotypes, jsonsyntax, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestoptions
from pytest_crd.engine.registry.patching import documents, jsonpatch, mergepatch
from pytest_crd.engine.registry.patching.documents import Document, SentObject
from pytest_crd.engine.registry.patching.jsonpatch import OperationError
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body, Patched, RefusedError
from pytest_crd.engine.yaml.yamlstream import UnreadableError

_MAX_OPERATIONS: Final = 10_000
_OPERATION: Final = gotypes.Struct(
    "handlers.jsonPatchOp",
    {"op": gotypes.STRING, "path": gotypes.STRING, "from": gotypes.STRING, "value": gotypes.Raw("interface {}")},
)
_OPERATIONS: Final = gotypes.List(_OPERATION)
_MAP: Final = gotypes.Map(gotypes.Raw("interface {}"))
_MAX_PROBLEMS: Final = 100
# A client library's text for an unknown 422, which the server repeats.
_REJECTED: Final = "the server rejected our request due to an error in our request"
_NO_PATCH: Final = "Invalid JSON Patch"


def refuse_other_than_json(body: Body, profile: Profile) -> Refusal | None:
    """Return the refusal of a body that is not JSON, or None; only newer versions check this first."""
    if not profile.json_patch.checks_json_first or not body.text:
        return None
    return bad_request("invalid JSON patch") if jsonsyntax.find_problem(body.text) else None


def patch(live: Resource, request: Request, profile: Profile, kind: gotypes.GoType | None = None) -> Patched:
    """
    Return the result of a JSON Patch or merge patch.

    Args:
        live: The object in the form of a GET; not modified.
        request: The request with the patch.
        profile: The reproduced Kubernetes version.
        kind: The Go type of the object; None if it has none, and its keys are sorted.

    Raises:
        RefusedError: The patch is malformed, too large, or fails.

    Reference:
        apiserver endpoints/handlers/patch.go, jsonPatcher.applyJSPatch.
    """
    body = request.body
    is_checked = request.field_validation != "Ignore" and profile.field_validation
    is_json_patch = requestoptions.plain_media_type(request.media_type) == requestoptions.JSON_PATCH
    # Newer versions have refused it before, see `refuse_other_than_json`.
    is_json = profile.json_patch.checks_json_first or not body.text
    if problem := "" if is_json else jsonsyntax.find_problem(body.text):
        if is_checked:
            raise RefusedError(bad_request(f"error decoding patch: {problem}"))
        raise RefusedError(bad_request(problem) if is_json_patch else _refuse_merge(profile))
    try:
        sent = documents.read(body.text) if body.text else documents.as_sent(body.value)
    except UnreadableError as error:
        raise RefusedError(bad_request(f"error decoding patch: {error}")) from None
    is_usual = documents.is_usual(sent)
    problems: tuple[str, ...] = ()
    if is_checked and is_json_patch:
        problems = _problems_of_operations(sent)
    elif is_checked and not (is_usual and isinstance(sent, dict)):  # such an object fits, and has no duplicate keys
        problems = _problems_of_merge(sent)
    patched_by = functools.partial(_json_patched if is_json_patch else _merge_patched, sent=sent, profile=profile)

    def change() -> Document:
        return patched_by(live if kind is None else documents.in_order(live, kind))

    if is_usual:  # without unusual spelling, the value is enough
        value = patched_by(live, sent=documents.plain(sent))
        return Patched(value, lambda: documents.to_text(change()), problems=problems)
    patched = change()
    duplicates = documents.duplicates(patched) if is_checked else ()
    write = functools.partial(documents.to_text, patched)
    return Patched(documents.plain(patched), write, duplicates, problems, is_text=True)


def strategic(body: Body) -> Document:
    """
    Return a strategic merge patch, which is an object or null.

    Raises:
        RefusedError: The body is neither.
    """
    if problem := jsonsyntax.find_problem(body.text) if body.text else "":
        raise RefusedError(bad_request(problem))
    try:
        sent = documents.read(body.text) if body.text else documents.as_sent(body.value)
        if sent is not None:
            decoding.decode(documents.plain(sent), _MAP, sort_keys=False)
    except (UnreadableError, DecodeError) as error:
        raise RefusedError(bad_request(str(error))) from None
    return sent


def _problems_of_operations(sent: Document) -> tuple[str, ...]:
    _demand(sent, _OPERATIONS)
    return tuple(dict.fromkeys(f"json patch {problem}" for problem in _problems(sent or ())))[:_MAX_PROBLEMS]


def _problems_of_merge(sent: Document) -> tuple[str, ...]:
    _demand(sent, _MAP)
    return documents.duplicates(sent)


def _json_patched(live: Resource, sent: Document, profile: Profile) -> Document:
    operations = _operations(sent)
    if len(operations) > _MAX_OPERATIONS:
        problem = f"The allowed maximum operations in a JSON patch is {_MAX_OPERATIONS}, got {len(operations)}"
        raise RefusedError(Refusal(413, "RequestEntityTooLarge", f"Request entity too large: {problem}"))
    try:
        return jsonpatch.apply(live, operations, profile.json_patch)
    except OperationError as error:
        explanation = f"operation {error.index}: {error}"
        if error.panics:
            panic = refusal.internal_error(f"the server panics over {explanation}")
            raise RefusedError(panic) from None
        raise RefusedError(Refusal(422, "Invalid", _REJECTED, explanation=explanation, subject={})) from None


def _merge_patched(live: Resource, sent: Document, profile: Profile) -> Document:
    if not isinstance(sent, dict | list):
        raise RefusedError(_refuse_merge(profile))
    return mergepatch.merge(live, sent, profile.json_patch)


def _refuse_merge(profile: Profile) -> Refusal:
    """Return the refusal of a malformed merge patch; versions without field validation answer with a 500."""
    return bad_request(_NO_PATCH) if profile.field_validation else Refusal(500, "", _NO_PATCH)


def _demand(sent: Document, kind: gotypes.GoType) -> None:
    """Raise RefusedError if a patch is neither null nor of type *kind*."""
    if sent is None:
        return
    try:
        decoding.decode(documents.plain(sent), kind, sort_keys=False)
    except DecodeError as error:
        raise RefusedError(bad_request(f"error decoding patch: {error}")) from None


def _operations(sent: Document) -> list[Document]:
    if sent is None:
        return []
    if not isinstance(sent, list):
        raise RefusedError(_undecodable(sent, "Patch"))
    for operation in sent:
        if not isinstance(operation, Mapping | None):
            raise RefusedError(_undecodable(operation, "Operation"))
    return sent


def _undecodable(sent: Document, kind: str) -> Refusal:
    go_names = {"integer": "number", "boolean": "bool"}
    kind_sent = jsonvalue.type_of(documents.plain(sent))
    return bad_request(
        f"json: cannot unmarshal {go_names.get(kind_sent, kind_sent)} into Go value of type jsonpatch.{kind}"
    )


def _problems(operations: Document) -> Iterator[str]:
    """Yield the strict decoder's messages about the fields of operations, in order."""
    for index, operation in enumerate(operations):
        keys: set[str] = set()
        for key, value in operation.pairs if isinstance(operation, SentObject) else ():
            place = f"[{index}].{key}"
            if key not in _OPERATION.fields:
                yield f"unknown field {printing.quote(place)}"
                continue
            if key in keys:
                yield f"duplicate field {printing.quote(place)}"
            keys.add(key)
            yield from documents.duplicates(value, place)
