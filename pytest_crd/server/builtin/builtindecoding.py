"""
Objects of built-in kinds decoded into their Go types: what a request sends, what comes of a patch, and what of an apply.

What comes back is what the type holds, written as JSON: no unknown fields, no empty ones that are left out, numbers and
times as a server writes them. Nothing is defaulted, but what all later depends on.
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
from pytest_crd.engine.golang.decodeerrors import Repeating, SentNumber
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types, typemeta
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import desiredobject, requestbody
from pytest_crd.engine.registry.fieldmanager.writers import Applied
from pytest_crd.engine.registry.patching import mediatypes, patchdocuments, patchrequest, strategicmerge
from pytest_crd.engine.registry.patching.patchdocuments import Document, SentFloat, SentObject
from pytest_crd.engine.registry.patching.strategicmerge import MergedLists, StrategicError
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body, DecodedBody, FieldValidation, Patched, RefusedError
from pytest_crd.engine.registry.response import Changes
from pytest_crd.server import bodies

# What is made of an object when it is decoded; with the request that sends it, None where it comes of an apply.
Convert: TypeAlias = "Callable[[dict[str, JSONValue], Request | None], dict[str, JSONValue]]"

_JSON: Final = "application/json"
_MINUS_ZERO: Final = "-0"
_NO_VERSIONS: Final = ("", "/")
# What is read of an object that does not say its version.
_NOTHING: Final = Struct("runtime.TypeMeta", metav1types.TYPE_META, frozenset())
# What Go may have written otherwise.
_UNUSUAL_NUMBER: Final = re.compile(r"[0-9][.eE]|[0-9]{19}|-0")


class TypedDecoder(NamedTuple):
    """
    Decodes the objects of a kind.

    Attributes:
        kind: Their Go type.
        type_meta: Their apiVersion and kind.
        merged: The lists that a strategic merge patch merges.
        convert: What a server makes of each object when it has decoded it.
        profile: Whose behaviour and words.
        is_built_in: They are.
    """

    kind: Struct
    type_meta: Mapping[str, str]
    merged: MergedLists
    convert: Convert
    profile: Profile
    is_built_in: bool = True

    def sent(self, asked: Request) -> DecodedBody:
        """
        Return what a create or an update sends.

        Raises:
            RefusedError: It is none of the type, or strictly has fields that are unknown or there twice.

        Reference:
            apimachinery runtime/serializer/json/json.go; apiserver endpoints/handlers/create.go, transformDecodeError.
        """
        body = asked.body
        is_json = asked.media_type == _JSON
        value = as_sent(body) if is_json else body.value
        named, version = self.type_meta["kind"], self.type_meta["apiVersion"].rpartition("/")[2]
        cannot = f"{named} in version {printing.quote(version)} cannot be handled as a {named}"
        try:
            found = decoding.decode(value, self.kind, sort_keys=not is_json)
        except DecodeError as error:
            raise RefusedError(refusal.bad_request(f"{cannot}: {error}")) from None
        repeated = () if is_json else body.duplicates
        if not self._is_checked(asked.field_validation):
            return self._decoded(value, found, (), asked)
        problems = (*repeated, *found.problems)
        if problems and asked.field_validation == "Strict":
            listed = ", ".join((*requestbody.worded_strictly(repeated), *found.problems))
            raise RefusedError(refusal.bad_request(f"{cannot}: strict decoding error: {listed}"))
        return self._decoded(value, found, problems, asked)

    def patched(self, asked: Request, live: Resource) -> DecodedBody:
        """
        Return what comes of a patch.

        Raises:
            RefusedError: The patch is none, or fails; or what comes of it is refused as in `sent`.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher and smpPatcher.
        """
        if mediatypes.plain_media_type(asked.media_type) == mediatypes.STRATEGIC_MERGE_PATCH:
            return self._merged(asked, live)
        patched = desiredobject.patched(asked, live, self.profile)

        def write() -> str:
            return desiredobject.patched(asked, _in_order(live, self.kind), self.profile).write()

        if self._says_what_it_is(patched.value, write):
            found = self._read(patched, write)
        else:
            read = decoding.decode(_spelled(patchdocuments.read(write())), _NOTHING, sort_keys=False)
            found = read._replace(value=self.kind.zero)
        problems = found.problems if self._is_checked(asked.field_validation) else ()
        return self._of_patch(patched.value, found, (*patched.problems, *problems), asked, write)

    def _says_what_it_is(self, value: JSONValue, write: Callable[[], str]) -> bool:
        """
        Return whether what came of a patch says its version: if it does not, nothing of it is read.

        Raises:
            RefusedError: It is of another kind, or nobody can say of which.
        """
        if typemeta.says(value, self.type_meta):
            return True
        try:
            given, named = typemeta.find(value, written=write())
        except typemeta.TypeMetaError as error:
            raise RefusedError(requestbody.bad_patch(write(), str(error))) from None
        if given in _NO_VERSIONS:
            return False
        own = self.type_meta
        kind = named or own["kind"]
        if problem := bodies.problem_of_kind(given, kind, own["apiVersion"], own["kind"], self.profile):
            raise RefusedError(requestbody.bad_patch(write(), problem))
        return True

    def _read(self, patched: Patched, write: Callable[[], str]) -> Decoded:
        """
        Return what is read of what came of a patch; only where its text says more than its value, of that.

        Raises:
            RefusedError: It is none of the type.
        """
        if not patched.is_text:
            with contextlib.suppress(DecodeError):
                return decoding.decode(patched.value, self.kind)
        text = write()
        try:
            return decoding.decode(_spelled(patchdocuments.read(text)), self.kind, sort_keys=False)
        except DecodeError as error:
            raise RefusedError(requestbody.bad_patch(text, str(error))) from None

    def _merged(self, asked: Request, live: Resource) -> DecodedBody:
        """Return what comes of a strategic merge patch."""
        sent = patchrequest.strategic(asked.body)
        patch: dict[str, JSONValue] = patchdocuments.plain(sent) or {}

        def write() -> str:
            return strategicmerge.printed(patch)

        try:
            cleans = self.profile.json_patch.cleans_strategic_patches
            merged = strategicmerge.merge(live, patch, self.kind, cleans=cleans, merged=self.merged)
            found = decoding.decode(converting.convert(merged, self.kind), self.kind)
        except StrategicError as error:
            raise RefusedError(error.refusal) from None
        except (MistypedError, DecodeError) as error:
            raise RefusedError(requestbody.bad_patch(write(), str(error))) from None
        is_checked = self._is_checked(asked.field_validation)
        problems = (*patchdocuments.duplicates(sent), *sorted(found.problems)) if is_checked else ()
        return self._of_patch(merged, found, problems, asked, write)

    def _of_patch(
        self, value: JSONValue, found: Decoded, problems: tuple[str, ...], asked: Request, write: Callable[[], str]
    ) -> DecodedBody:
        if problems and asked.field_validation == "Strict":
            why = requestbody.bad_patch(write(), f"strict decoding error: {', '.join(problems)}")
            raise RefusedError(why)
        return self._decoded(value, found, problems, asked)

    def applied(self, new: Applied, asked: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """
        Return what comes of an apply.

        Raises:
            RefusedError: It is none of the type.

        Reference:
            apimachinery managedfields/internal/structuredmerge.go, structuredMergeManager.Apply.
        """
        try:
            found = decoding.decode(converting.convert(new.resource, self.kind), self.kind)
        except (MistypedError, DecodeError) as error:
            metadata = asked.body.value.get("metadata") or {}
            group, _, version = self.type_meta["apiVersion"].rpartition("/")
            kind = f"{group}/{version}, Kind={self.type_meta['kind']}"
            named = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {kind}"
            cannot = f"failed to convert new object ({named}) to proper version: unable to convert unstructured object to {kind}"
            raise RefusedError(Refusal(500, "", f"{cannot}: {error}")) from None
        return self._decoded(new.resource, found, warnings, asked)

    def _decoded(self, sent: JSONValue, found: Decoded, problems: tuple[str, ...], asked: Request) -> DecodedBody:
        value = {**found.value, **self.type_meta}
        metadata = sent.get("metadata") if isinstance(sent, dict) else None
        if isinstance(metadata, dict) and metadata.get("managedFields") == []:
            # Go keeps apart from none at all what is empty, and takes it for the wish that nobody owns anything.
            value["metadata"] = {**value["metadata"], "managedFields": []}
        return DecodedBody(self.convert(value, asked), Changes(found.unknown), problems, sent=sent)

    def _is_checked(self, field_validation: FieldValidation) -> bool:
        return field_validation != "Ignore" and self.profile.field_validation


def as_sent(body: Body) -> JSONValue:
    """Return the value of JSON with what of its text decides what a decoder says: keys that are there twice, how numbers are spelled."""
    if not body.text or not (body.duplicates or _UNUSUAL_NUMBER.search(body.text)):
        return body.value
    return _spelled(patchdocuments.read(body.text))


def _spelled(document: Document) -> JSONValue:
    if isinstance(document, SentObject):
        pairs = [(key, _spelled(item)) for key, item in document.pairs]
        return dict(pairs) if len(document) == len(pairs) else Repeating(pairs)
    if isinstance(document, list):
        return [_spelled(item) for item in document]
    if isinstance(document, SentFloat) and document.spelled == _MINUS_ZERO:
        return 0
    if isinstance(document, SentFloat):
        number = SentNumber(document)
        number.spelled = document.spelled
        return number
    return str(document) if isinstance(document, str) else document


def _in_order(value: JSONValue, kind: GoType) -> Document:
    """Return an object with its keys in the order in which Go writes them."""
    if isinstance(kind, Pointer):
        return _in_order(value, kind.to)
    if isinstance(kind, Struct) and isinstance(value, dict):
        fields = kind.fields.items()
        return SentObject([(name, _in_order(value[name], field)) for name, field in fields if name in value])
    return [_in_order(one, kind.item) for one in value] if isinstance(kind, List) and value else value
