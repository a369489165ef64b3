"""
Decoder of built-in kinds: bodies of requests and results of patches and applies become objects of their Go types.

The result is the Go value as JSON: without unknown fields, without empty fields that Go omits, and with numbers and times in the server's
spelling, and with the server's changes.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import converting, decoding, printing
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types, typemeta
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestbody, requestoptions
from pytest_crd.engine.registry.fieldmanager.writers import Applied
from pytest_crd.engine.registry.patching import documents, patchrequest, strategicerrors, strategicmerge
from pytest_crd.engine.registry.patching.documents import Document, SentObject
from pytest_crd.engine.registry.patching.strategicmerge import MergedLists
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body, DecodedBody, FieldValidation, Patched, RefusedError
from pytest_crd.engine.registry.response import Changes
from pytest_crd.server import bodies

# Called with a decoded object and its request, or None after an apply; returns the object with the server's changes.
Convert: TypeAlias = "Callable[[dict[str, JSONValue], Request | None], dict[str, JSONValue]]"

_JSON: Final = "application/json"
_NO_VERSIONS: Final = ("", "/")
# The decoded result of an object without a version.
_NOTHING: Final = Struct("runtime.TypeMeta", metav1types.TYPE_META, frozenset())
# Numbers that Go may spell differently.
_UNUSUAL_NUMBER: Final = re.compile(r"[0-9][.eE]|[0-9]{19}|-0")


class TypedDecoder(NamedTuple):
    """
    Decoder of the objects of a kind.

    Attributes:
        kind: The Go type.
        type_meta: The apiVersion and kind.
        merged: The lists that a strategic merge patch merges.
        convert: The changes that the server makes to each decoded object.
        profile: The reproduced Kubernetes version.
        is_built_in: True.
    """

    kind: Struct
    type_meta: Mapping[str, str]
    merged: MergedLists
    convert: Convert
    profile: Profile
    is_built_in: bool = True

    def decode_body(self, request: Request) -> DecodedBody:
        """
        Decode the body of a create or an update.

        Raises:
            RefusedError: The body is not of this kind, or has unknown or duplicate fields under strict validation.

        Reference:
            apimachinery runtime/serializer/json/json.go; apiserver endpoints/handlers/create.go, transformDecodeError.
        """
        body = request.body
        is_json = request.media_type == _JSON
        value = as_sent(body) if is_json else body.value
        kind, version = self.type_meta["kind"], self.type_meta["apiVersion"].rpartition("/")[2]
        cannot = f"{kind} in version {printing.quote(version)} cannot be handled as a {kind}"
        try:
            decoded = decoding.decode(value, self.kind, sort_keys=not is_json)
        except DecodeError as error:
            raise RefusedError(refusal.bad_request(f"{cannot}: {error}")) from None
        repeated = () if is_json else body.duplicates
        if not self._is_checked(request.field_validation):
            return self._decoded(value, decoded, (), request)
        problems = (*repeated, *decoded.problems)
        if problems and request.field_validation == "Strict":
            listed = ", ".join((*requestbody.strict_messages(repeated), *decoded.problems))
            raise RefusedError(refusal.bad_request(f"{cannot}: strict decoding error: {listed}"))
        return self._decoded(value, decoded, problems, request)

    def decode_patch(self, request: Request, live: Resource) -> DecodedBody:
        """
        Decode the result of a patch.

        Raises:
            RefusedError: The patch is invalid or cannot be applied, or its result is refused as in `sent`.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher and smpPatcher.
        """
        if requestoptions.plain_media_type(request.media_type) == requestoptions.STRATEGIC_MERGE_PATCH:
            return self._merged(request, live)
        patched = patchrequest.patch(live, request, self.profile)

        def write() -> str:
            return patchrequest.patch(_in_order(live, self.kind), request, self.profile).write()

        if self._has_version(patched.value, write):
            decoded = self._read(patched, write)
        else:
            type_meta = decoding.decode(documents.decodable(documents.read(write())), _NOTHING, sort_keys=False)
            decoded = type_meta._replace(value=self.kind.zero)
        problems = decoded.problems if self._is_checked(request.field_validation) else ()
        return self._of_patch(patched.value, decoded, (*patched.problems, *problems), request, write)

    def _has_version(self, value: JSONValue, write: Callable[[], str]) -> bool:
        """
        Return whether the result of a patch has an apiVersion; the server reads nothing of a result without one.

        Raises:
            RefusedError: The result is of another kind, or its apiVersion or kind is malformed.
        """
        if typemeta.has_type_meta(value, self.type_meta):
            return True
        try:
            version, kind_or_empty = typemeta.read_type_meta(value, text=write())
        except typemeta.TypeMetaError as error:
            raise RefusedError(requestbody.bad_patch(write(), str(error))) from None
        if version in _NO_VERSIONS:
            return False
        type_meta = self.type_meta
        kind = kind_or_empty or type_meta["kind"]
        if problem := bodies.problem_of_kind(version, kind, type_meta["apiVersion"], type_meta["kind"], self.profile):
            raise RefusedError(requestbody.bad_patch(write(), problem))
        return True

    def _read(self, patched: Patched, write: Callable[[], str]) -> Decoded:
        """
        Decode the result of a patch from its value, or from its text if number spellings matter.

        Raises:
            RefusedError: The result is not of this kind.
        """
        if not patched.is_text:
            with contextlib.suppress(DecodeError):
                return decoding.decode(patched.value, self.kind)
        text = write()
        try:
            return decoding.decode(documents.decodable(documents.read(text)), self.kind, sort_keys=False)
        except DecodeError as error:
            raise RefusedError(requestbody.bad_patch(text, str(error))) from None

    def _merged(self, request: Request, live: Resource) -> DecodedBody:
        """Decode the result of a strategic merge patch."""
        sent = patchrequest.strategic(request.body)
        patch: dict[str, JSONValue] = documents.plain(sent) or {}

        def write() -> str:
            return strategicerrors.printed(patch)

        try:
            cleans = self.profile.json_patch.cleans_strategic_patches
            merged = strategicmerge.merge(live, patch, self.kind, cleans=cleans, merged=self.merged)
            decoded = decoding.decode(converting.convert(merged, self.kind), self.kind)
        except strategicerrors.StrategicError as error:
            raise RefusedError(error.refusal) from None
        except (MistypedError, DecodeError) as error:
            raise RefusedError(requestbody.bad_patch(write(), str(error))) from None
        is_checked = self._is_checked(request.field_validation)
        problems = (*documents.duplicates(sent), *sorted(decoded.problems)) if is_checked else ()
        return self._of_patch(merged, decoded, problems, request, write)

    def _of_patch(
        self, value: JSONValue, decoded: Decoded, problems: tuple[str, ...], request: Request, write: Callable[[], str]
    ) -> DecodedBody:
        if problems and request.field_validation == "Strict":
            refusal_ = requestbody.bad_patch(write(), f"strict decoding error: {', '.join(problems)}")
            raise RefusedError(refusal_)
        return self._decoded(value, decoded, problems, request)

    def decode_apply(self, new: Applied, request: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """
        Decode the result of an apply.

        Raises:
            RefusedError: The result is not of this kind.

        Reference:
            apimachinery managedfields/internal/structuredmerge.go, structuredMergeManager.Apply.
        """
        try:
            decoded = decoding.decode(converting.convert(new.resource, self.kind), self.kind)
        except (MistypedError, DecodeError) as error:
            metadata = request.body.value.get("metadata") or {}
            group, _, version = self.type_meta["apiVersion"].rpartition("/")
            kind = f"{group}/{version}, Kind={self.type_meta['kind']}"
            named = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {kind}"
            cannot = f"failed to convert new object ({named}) to proper version: unable to convert unstructured object to {kind}"
            raise RefusedError(Refusal(500, "", f"{cannot}: {error}")) from None
        return self._decoded(new.resource, decoded, warnings, request)

    def decode_mutated(self, resource: Resource, decoded: DecodedBody, request: Request) -> DecodedBody:
        """
        Decode the object that admission plugins return.

        Raises:
            RefusedError: It is not of this kind.
        """
        try:
            typed = decoding.decode(resource, self.kind)
        except DecodeError as error:
            raise RefusedError(refusal.internal_error(str(error)), decoded) from None
        return decoded._replace(resource=self._decoded(resource, typed, (), request).resource)

    def _decoded(self, sent: JSONValue, decoded: Decoded, problems: tuple[str, ...], request: Request) -> DecodedBody:
        value = {**decoded.value, **self.type_meta}
        metadata = sent.get("metadata") if isinstance(sent, dict) else None
        if isinstance(metadata, dict) and metadata.get("managedFields") == []:
            # Go distinguishes an empty list from an absent one: an empty list removes all owners.
            value["metadata"] = {**value["metadata"], "managedFields": []}
        return DecodedBody(self.convert(value, request), Changes(decoded.unknown), problems, sent=sent)

    def _is_checked(self, field_validation: FieldValidation) -> bool:
        return field_validation != "Ignore" and self.profile.field_validation


def as_sent(body: Body) -> JSONValue:
    """Return the JSON value of a body, with the duplicate keys and number spellings of its text if it has any."""
    if not body.text or not (body.duplicates or _UNUSUAL_NUMBER.search(body.text)):
        return body.value
    return documents.decodable(documents.read(body.text))


def _in_order(value: JSONValue, kind: GoType) -> Document:
    """Return an object with its keys in the order of the Go struct."""
    if isinstance(kind, Pointer):
        return _in_order(value, kind.to)
    if isinstance(kind, Struct) and isinstance(value, dict):
        fields = kind.fields.items()
        return SentObject([(name, _in_order(value[name], field)) for name, field in fields if name in value])
    return [_in_order(item, kind.item) for item in value] if isinstance(kind, List) and value else value
