"""apiVersion and kind of a resource: refusals during decoding, and validation."""

from __future__ import annotations

import contextlib
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.metadata import ownerreferences
else:
    ownerreferences = lazyimport.module("pytest_crd.engine.metadata.ownerreferences")


_SUMMARY: Final = 30
# Spellings of an absent API version.
_NO_VERSIONS: Final = ("", "/")
_NO_VERSION: Final = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
_SLASHES: Final = 2
_GO_TYPE: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


class TypeMetaError(ValueError):
    """An apiVersion or kind that cannot be read, with the server's message."""


class GroupVersionKind(NamedTuple):
    """The group, version and kind of the URL of a request."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """The expected apiVersion: `stable.example.com/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version


def refuse_other_than_object(value: JSONValue, of_url: GroupVersionKind, *, body: str = "") -> Refusal | None:
    """
    Return the refusal of a body that is not an object, or None; null counts as an empty object.

    Args:
        value: The value of the body.
        of_url: The group, version and kind of the URL.
        body: The text of the body; defaults to *value* as compact JSON.

    Errors:
        None; a 400.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret.
    """
    if value is None or isinstance(value, Mapping):
        return None
    return unrecognized(_other_than_object(value), of_url.kind, body or _as_json(value))


def refuse_undecodable(  # noqa: PLR0913 - a body, and the decoder that reads it
    resource: Mapping[str, JSONValue] | None,
    of_url: GroupVersionKind,
    profile: Profile,
    *,
    body: str = "",
    is_yaml: bool = False,
    lenient: bool = False,
) -> Refusal | None:
    """
    Return the refusal of a request whose apiVersion or kind cannot be decoded, or None.

    Args:
        resource: The custom resource in the request; None for null.
        of_url: The group, version and kind of the URL.
        profile: 1.21 takes missing values from the URL, and words errors differently.
        body: The text of the body, JSON or YAML, which messages quote; defaults to *resource* as compact JSON.
        is_yaml: Whether the text is decoded as YAML even if it looks like JSON.
        lenient: Whether unknown and duplicate fields are ignored: that decoder takes missing values from the URL, too.

    Errors:
        None; a 400 if apiVersion or kind, in any case, is no string, if apiVersion is null or has two slashes, or if kind is missing.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret; unstructured/helpers.go, Decode; apiserver
        endpoints/handlers/rest.go, transformDecodeError.
    """
    fields = resource or {}
    if _is_plain(fields):
        return None  # avoids writing the resource as JSON
    sent = body if body or is_yaml else _as_json(resource)
    decoded = printing.marshal(resource) if is_yaml or not _is_json(sent) else sent
    if problem := _malformed(fields, decoded):
        return unrecognized(problem, of_url.kind, sent)
    if not fields.get("kind"):
        if profile.defaults_type_from_url or lenient:
            called = version_called(fields.get("apiVersion") or "", of_url.version)
            return _undecodable(of_url.kind, called, of_url.kind, _missing_kind(decoded, profile))
        return unrecognized(f"Object 'Kind' is missing in '{sent}'", of_url.kind, sent)
    if fields.get("apiVersion", "") is None:
        assumed = of_url.version if profile.defaults_type_from_url else ""
        problem = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
        return _undecodable(fields["kind"], assumed, of_url.kind, problem)
    return None


def problem_of_patched(value: JSONValue, profile: Profile, *, write: Callable[[], str]) -> str:
    """
    Return the decoder's message for the undecodable result of a patch; empty if it can be decoded.

    Args:
        value: The result of the patch.
        profile: 1.21 decodes with another library.
        write: Returns the text of the result; called only if needed.

    Reference:
        apiserver endpoints/handlers/patch.go, jsonPatcher; the same decoding as in `refuse_undecodable`.
    """
    if not isinstance(value, Mapping):
        return _other_than_object(value)
    if _is_plain(value):
        return ""
    text = write()
    if problem := _malformed(value, text):
        return problem
    if not value.get("kind"):
        return _missing_kind(text, profile)
    if value.get("apiVersion", "") is None:
        return ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
    return ""


def read_type_meta(value: JSONValue, *, text: str) -> tuple[str, str]:
    """
    Return the apiVersion and the kind of an object with a Go type, each empty if it is absent.

    Args:
        value: The object.
        text: Its text.

    Raises:
        TypeMetaError: The value is not an object, or apiVersion or kind is not a text.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret.
    """
    if not isinstance(value, Mapping):
        raise TypeMetaError(_other_than_object(value))
    fields = _fields(value, text)
    if problem := _find_problem(fields):
        raise TypeMetaError(problem)
    return as_decoded(fields)


def has_type_meta(value: JSONValue, type_meta: Mapping[str, str]) -> bool:
    """Return whether a value is an object with the given apiVersion and kind, without other spellings of their keys."""
    return isinstance(value, dict) and _is_plain(value) and all(value[key] == type_meta[key] for key in type_meta)


def _is_plain(resource: Mapping[str, JSONValue]) -> bool:
    """Return whether apiVersion and kind are decodable texts under their usual keys, without other spellings."""
    version, kind = resource.get("apiVersion"), resource.get("kind")
    return (
        isinstance(version, str)
        and isinstance(kind, str)
        and kind != ""
        and version.count("/") < _SLASHES
        and not _has_variants(resource)
    )


def refuse_unversioned(resource: Mapping[str, JSONValue]) -> Refusal | None:
    """
    Return the refusal of a patched resource without a version, or None.

    Reference:
        apiserver registry/rest/update.go, objectMetaAndKind.
    """
    has_version = (resource.get("apiVersion") or "").rpartition("/")[2]
    return None if has_version else refusal.internal_error(_NO_VERSION)


def refuse_version(resource: Mapping[str, JSONValue], of_url: GroupVersionKind, profile: Profile) -> Refusal | None:
    """
    Return the refusal of a request with another API version than its URL, or None.

    It comes after all refusals of decoding, including wrong types in metadata and strict validation.

    Args:
        resource: The custom resource in the request; its apiVersion is a string or absent.
        of_url: The group, version and kind of the URL.
        profile: 1.21 fails without a version, unless the group differs.

    Errors:
        None; a 400, in 1.21 a 500 without a version, unless the group differs.

    Reference:
        apiserver endpoints/handlers/create.go, createHandler.
    """
    sent = resource.get("apiVersion") or ""
    if profile.defaults_type_from_url:
        sent = as_decoded(resource.items())[0] or sent
    if sent == of_url.api_version:
        return None
    if profile.defaults_type_from_url and sent in (*_NO_VERSIONS, f"{of_url.group}/"):
        return refusal.internal_error(_NO_VERSION)
    called = "" if sent == "/" else sent.removeprefix("/")
    return refusal.bad_request(
        f"the API version in the data ({called}) does not match the expected API version ({of_url.api_version})"
    )


def version_called(sent: str, version: str) -> str:
    """Return the version as which an apiVersion is decoded: *version*, that of the URL, if it is empty."""
    return version if sent in _NO_VERSIONS else sent.rpartition("/")[2]


def refuse_without_version(resource: Mapping[str, JSONValue]) -> Refusal | None:
    """
    Return the 400 for an already refused request without a version, which replaces other errors; else None.

    Reference:
        apiserver endpoints/handlers/rest.go, transformDecodeError; apimachinery runtime, NewMissingVersionErr.
    """
    has_version = (resource.get("apiVersion") or "").rpartition("/")[2]
    return None if has_version else refusal.bad_request(_NO_VERSION)


def problem_of_variants(manifest: Mapping[str, JSONValue], *, kind: str) -> str:
    """
    Return the decoding error caused by differently cased apiVersion or kind keys; empty if there is no such error.

    Args:
        manifest: The object, its keys in the sent order; apiVersion and kind are valid.
        kind: The kind of the URL.

    Reference:
        apimachinery runtime/serializer/json/json.go, Decode; apiserver endpoints/handlers/rest.go, transformDecodeError.
        The source line in the server's message is omitted.
    """
    if not _has_variants(manifest):
        return ""
    sent = _as_json(manifest)
    if problem := _malformed(manifest, sent):
        return unrecognized(problem, kind, sent).message
    expected = manifest["apiVersion"], manifest["kind"]
    decoded = tuple(value or default for value, default in zip(as_decoded(manifest.items()), expected, strict=True))
    if decoded == expected:
        return ""
    api_version, decoded_kind = decoded
    version = printing.quote(api_version.rpartition("/")[2])
    problem = f"no kind {printing.quote(decoded_kind)} is registered for version {printing.quote(api_version)}"
    return f"{decoded_kind} in version {version} cannot be handled as a {kind}: {problem}"


def validate(resource: Mapping[str, JSONValue], of_url: GroupVersionKind) -> list[FieldError]:
    """
    Validate apiVersion and kind of a custom resource.

    After an error here the server skips metadata, values and scale, but still validates embedded resources, list types and rules.

    Args:
        resource: The custom resource.
        of_url: The group, version and kind of the URL.

    Errors:
        Invalid. A wrong apiVersion occurs only after a conversion, as requests with one are refused before.

    Reference:
        apiextensions-apiserver registry/customresource/validator.go, ValidateTypeMeta.
    """
    expected = {"kind": of_url.kind, "apiVersion": of_url.api_version}
    return [
        fielderror.invalid(FieldPath((field,)), resource.get(field, ""), f"must be {value}")
        for field, value in expected.items()
        if resource.get(field, "") != value
    ]


def _other_than_object(value: JSONValue) -> str:
    kind = "string" if isinstance(value, str) else _json_type(value)
    return (
        f"couldn't get version/kind; json parse error: json: cannot unmarshal {kind} into Go value of type {_GO_TYPE}"
    )


def _as_json(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unrecognized(problem: str, kind: str, sent: str) -> Refusal:
    """
    Return the refusal of a body of an unknown type.

    Args:
        problem: The reason.
        kind: The kind of the URL.
        sent: The text of the body; a byte that is not UTF-8 is a surrogate (`surrogateescape`).

    Reference:
        apiserver endpoints/handlers/rest.go, transformDecodeError and summarizeData.
    """
    text = f"the object provided is unrecognized (must be of type {kind}): {problem} ({_summarized(sent)})"
    return refusal.bad_request(printing.replace_bytes(text))


def _undecodable(kind: str, version: str, expected_kind: str, problem: str) -> Refusal:
    text = f"{kind} in version {printing.quote(version)} cannot be handled as a {expected_kind}: {problem}"
    return refusal.bad_request(printing.replace_bytes(text))


def _malformed(resource: Mapping[str, JSONValue], sent: str) -> str:
    return _find_problem(_fields(resource, sent))


def _find_problem(fields: Iterable[tuple[str, JSONValue]]) -> str:
    """Return the problem of apiVersion and kind entries; empty without one."""
    for key, value in fields:
        if not isinstance(value, str | None):
            field = _FIELDS[key.casefold()]
            problem = f"cannot unmarshal {_json_type(value)} into Go struct field .{field} of type string"
            return f"couldn't get version/kind; json parse error: json: {problem}"
    api_version, _ = as_decoded(fields)
    return ownerreferences.group_version_problem(api_version)


def _fields(resource: Mapping[str, JSONValue], sent: str) -> list[tuple[str, JSONValue]]:
    """Return the apiVersion and kind entries of an object, in any case, in their sent order and with duplicates."""
    pairs = list(resource.items())
    if not _is_json(sent):  # YAML is decoded as JSON with sorted keys
        pairs.sort(key=operator.itemgetter(0))
    else:
        # Duplicate keys count, but a mapping keeps only the last. A text that begins like JSON may still be YAML.
        with contextlib.suppress(ValueError):
            pairs = json.loads(sent, object_pairs_hook=tuple)  # an object as its pairs
    return [(key, value) for key, value in pairs if key.casefold() in _FIELDS]


# Go matches field names regardless of case, by Unicode's definition: `\u212aind`.
_FIELDS: Final = {"apiversion": "apiVersion", "kind": "kind"}


def as_decoded(fields: Iterable[tuple[str, JSONValue]]) -> tuple[str, str]:
    """
    Return apiVersion and kind as read by Go's JSON decoder: the last text under any casing of their keys.

    Args:
        fields: The entries of an object; relevant values are texts or null.
    """
    values = {field: value for key, value in fields if value is not None and (field := _FIELDS.get(key.casefold()))}
    return values.get("apiVersion", ""), values.get("kind", "")


def _has_variants(resource: Mapping[str, JSONValue]) -> bool:
    """Return whether a key differs from apiVersion or kind in case only."""
    return any(key.casefold() in _FIELDS for key in resource if key not in _USUAL)


_USUAL: Final = frozenset({*META_FIELDS, "spec", "status"})


def _missing_kind(decoded: str, profile: Profile) -> str:
    """Return the message for a missing kind; the JSON library of older versions adds a position, the end of the text."""
    if not profile.defaults_type_from_url:
        return f"Object 'Kind' is missing in '{decoded}'"
    value = decoded.rstrip().encode(errors="surrogateescape")
    after = decoded.encode(errors="surrogateescape")[len(value) :]
    near, around = ((value[-length:] + after[:length]).decode(errors="replace") for length in (10, 50))
    where = f"error found in #{len(value[-10:])} byte of ...|{near}|..., bigger context ...|{around}|..."
    return f"unmarshalerDecoder: Object 'Kind' is missing in '{decoded.strip()}', {where}"


def _is_json(sent: str) -> bool:
    return sent.lstrip().startswith("{")


def _json_type(value: JSONValue) -> str:
    if isinstance(value, bool):
        return "bool"
    return "object" if isinstance(value, dict | tuple) else "array" if isinstance(value, list) else "number"


def _summarized(body: str) -> str:
    sent = body.encode(errors="surrogateescape")
    if not sent:
        return "<empty>"
    cut = sent[:_SUMMARY]
    start = cut.decode(errors="surrogateescape") if sent.startswith(b"{") else cut.hex()
    return f"{start} ..." if len(sent) > _SUMMARY else start
