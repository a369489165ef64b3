"""The type of a custom resource, its apiVersion and kind: what is refused while decoding, and what validation finds."""

from __future__ import annotations

import contextlib
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import ownerreferences
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.metafields import META_FIELDS

_SUMMARY: Final = 30
# What stands for no API version at all.
_NO_VERSIONS: Final = ("", "/")
_NO_VERSION: Final = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
_SLASHES: Final = 2
_FINDS: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)


class TypeMetaError(ValueError):
    """Something of which nobody can say what it is; the message is the server's."""


class GroupVersionKind(NamedTuple):
    """What the URL of a request says that its object is."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """What the object must state: `stable.example.com/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version


def refuse_other_than_object(value: JSONValue, of_url: GroupVersionKind, *, body: str = "") -> Refusal | None:
    """
    Return why a body is refused that is no object, or None; null is none of these, but an object without anything.

    Args:
        value: What was sent.
        of_url: What the URL says.
        body: What was sent, as it was sent; left out, *value* as compact JSON.

    Errors:
        None; a 400.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret.
    """
    if value is None or isinstance(value, Mapping):
        return None
    return _unrecognized(_other_than_object(value), of_url.kind, body or _as_json(value))


def refuse_undecodable(
    resource: Mapping[str, JSONValue],
    of_url: GroupVersionKind,
    profile: Profile,
    *,
    body: str = "",
    lenient: bool = False,
) -> Refusal | None:
    """
    Return why a request is refused before anything else of it is decoded, or None.

    Args:
        resource: The custom resource that was sent.
        of_url: What the URL says.
        profile: 1.21 takes for given what is missing, and words it otherwise.
        body: What was sent, JSON or YAML, as it was sent: messages quote it. Left out, *resource* as compact JSON.
        lenient: Whether unknown and duplicate fields are ignored: another decoder then takes the type for given, too.

    Errors:
        None; a 400 where apiVersion or kind, in any case, is no string, apiVersion is null or has two slashes, or kind
        is missing.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret; unstructured/helpers.go, Decode; apiserver
        endpoints/handlers/rest.go, transformDecodeError.
    """
    if _is_plain(resource):
        return None  # nothing to quote, so that nothing has to be written as JSON
    sent = body or _as_json(resource)
    if problem := _malformed(resource, sent):
        return _unrecognized(problem, of_url.kind, sent)
    if not resource.get("kind"):
        if profile.defaults_type_from_url or lenient:
            called = version_called(resource.get("apiVersion") or "", of_url.version)
            return _undecodable(of_url.kind, called, of_url.kind, _missing_kind(resource, sent, profile))
        return _unrecognized(f"Object 'Kind' is missing in '{sent}'", of_url.kind, sent)
    if resource.get("apiVersion", "") is None:
        assumed = of_url.version if profile.defaults_type_from_url else ""
        problem = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
        return _undecodable(resource["kind"], assumed, of_url.kind, problem)
    return None


def problem_of_patched(value: JSONValue, profile: Profile, *, write: Callable[[], str]) -> str:
    """
    Return why what came of a patch cannot be decoded, in the words of the decoder; empty where it can.

    Args:
        value: What came of it.
        profile: 1.21 decodes with another library.
        write: Returns the same as text; called where it counts.

    Reference:
        apiserver endpoints/handlers/patch.go, jsonPatcher; the same decoding as of `refuse_undecodable`.
    """
    if not isinstance(value, Mapping):
        return _other_than_object(value)
    if _is_plain(value):
        return ""
    written = write()
    if problem := _malformed(value, written):
        return problem
    if not value.get("kind"):
        return _missing_kind(value, written, profile)
    if value.get("apiVersion", "") is None:
        return ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
    return ""


def find(value: JSONValue, *, written: str) -> tuple[str, str]:
    """
    Return the apiVersion and the kind that an object of a type that is the server's own says, each empty where it says none.

    Args:
        value: The object.
        written: The same as text.

    Raises:
        TypeMetaError: It is no object, or these are no texts.

    Reference:
        apimachinery runtime/serializer/json/meta.go, Interpret.
    """
    if not isinstance(value, Mapping):
        raise TypeMetaError(_other_than_object(value))
    if problem := _malformed(value, written):
        raise TypeMetaError(problem)
    return as_decoded(_fields(value, written))


def says(value: JSONValue, type_meta: Mapping[str, str]) -> bool:
    """Return whether a value is an object that says that it is of an apiVersion and a kind, and says so once."""
    return isinstance(value, dict) and _is_plain(value) and all(value[key] == type_meta[key] for key in type_meta)


def _is_plain(resource: Mapping[str, JSONValue]) -> bool:
    """Return whether apiVersion and kind are there, each a text under a key that is written as usual, and can be decoded."""
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
    Return why a resource without a version is refused that a patch has made, or None.

    Reference:
        apiserver registry/rest/update.go, objectMetaAndKind.
    """
    has_version = (resource.get("apiVersion") or "").rpartition("/")[2]
    return None if has_version else refusal.internal_error(_NO_VERSION)


def refuse_version(resource: Mapping[str, JSONValue], of_url: GroupVersionKind, profile: Profile) -> Refusal | None:
    """
    Return why a request is refused for another API version than its URL's, or None.

    To be asked after all that decoding may refuse, wrong types in metadata and strict validation too.

    Args:
        resource: The custom resource that was sent; its apiVersion is a string or absent.
        of_url: What the URL says.
        profile: 1.21 fails where there is no version, unless there is another group.

    Errors:
        None; a 400, in 1.21 a 500 where there is no version, unless there is another group.

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
    """Return the version that an API version as *sent* is decoded as: that of the URL, *version*, where it is empty."""
    return version if sent in _NO_VERSIONS else sent.rpartition("/")[2]


def refuse_without_version(resource: Mapping[str, JSONValue]) -> Refusal | None:
    """
    Return why a request that is refused anyhow cannot be told what is wrong: it states no version; else None.

    Reference:
        apiserver endpoints/handlers/rest.go, transformDecodeError; apimachinery runtime, NewMissingVersionErr.
    """
    has_version = (resource.get("apiVersion") or "").rpartition("/")[2]
    return None if has_version else refusal.bad_request(_NO_VERSION)


def problem_of_variants(manifest: Mapping[str, JSONValue], *, kind: str) -> str:
    """
    Return why keys that differ from apiVersion or kind by case only keep a server from decoding; empty where they do not.

    Args:
        manifest: The object, its keys in the order in which they are sent; apiVersion and kind are as they should be.
        kind: The kind of the URL.

    Reference:
        apimachinery runtime/serializer/json/json.go, Decode; apiserver endpoints/handlers/rest.go, transformDecodeError.
        What the server says about the line of its own source that found out is left away.
    """
    if not _has_variants(manifest):
        return ""
    sent = _as_json(manifest)
    if problem := _malformed(manifest, sent):
        return _unrecognized(problem, kind, sent).message
    stated = manifest["apiVersion"], manifest["kind"]
    found = tuple(value or default for value, default in zip(as_decoded(manifest.items()), stated, strict=True))
    if found == stated:
        return ""
    api_version, found_kind = found
    version = printing.quote(api_version.rpartition("/")[2])
    problem = f"no kind {printing.quote(found_kind)} is registered for version {printing.quote(api_version)}"
    return f"{found_kind} in version {version} cannot be handled as a {kind}: {problem}"


def unregistered(kind: str, api_version: str, profile: Profile) -> str:
    """
    Return the server's words for a kind that it does not know.

    Reference:
        apimachinery runtime/error.go, notRegisteredErr; the scheme is named for the line that makes it.
    """
    return (
        f"no kind {printing.quote(kind)} is registered for version {printing.quote(api_version)}{_in_scheme(profile)}"
    )


def unregistered_type(name: str, profile: Profile) -> str:
    """Return the server's words for a Go type that a scheme does not have."""
    return f"no kind is registered for the type {name}{_in_scheme(profile)}"


def _in_scheme(profile: Profile) -> str:
    return f' in scheme "pkg/runtime/scheme.go:{profile.scheme_line}"'


def validate(resource: Mapping[str, JSONValue], of_url: GroupVersionKind) -> list[FieldError]:
    """
    Return what is wrong with apiVersion and kind of a custom resource.

    Where this finds something the server validates neither metadata nor values nor scale, but still embedded resources,
    list types and rules.

    Args:
        resource: The custom resource.
        of_url: What the URL says.

    Errors:
        Invalid. A wrong apiVersion comes up only after conversion: in a request it is refused before.

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
    found = "string" if isinstance(value, str) else _json_type(value)
    return f"couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type {_FINDS}"


def _as_json(value: JSONValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _unrecognized(problem: str, kind: str, sent: str) -> Refusal:
    text = f"the object provided is unrecognized (must be of type {kind}): {problem} ({_summarized(sent)})"
    return refusal.bad_request(text)


def _undecodable(kind: str, version: str, expected_kind: str, problem: str) -> Refusal:
    text = f"{kind} in version {printing.quote(version)} cannot be handled as a {expected_kind}: {problem}"
    return refusal.bad_request(text)


def _malformed(resource: Mapping[str, JSONValue], sent: str) -> str:
    fields = _fields(resource, sent)
    for key, value in fields:
        if not isinstance(value, str | None):
            field = _FIELDS[key.casefold()]
            problem = f"cannot unmarshal {_json_type(value)} into Go struct field .{field} of type string"
            return f"couldn't get version/kind; json parse error: json: {problem}"
    api_version, _ = as_decoded(fields)
    return ownerreferences.group_version_problem(api_version)


def _fields(resource: Mapping[str, JSONValue], sent: str) -> list[tuple[str, JSONValue]]:
    """Return keys and values that are apiVersion or kind in any case, in the order of what was *sent*, and as often."""
    pairs = list(resource.items())
    if not _is_json(sent):  # YAML is decoded as JSON with sorted keys
        pairs.sort(key=operator.itemgetter(0))
    else:
        # Each time that a key is there counts, and a mapping keeps the last one alone. What begins like JSON may be YAML.
        with contextlib.suppress(ValueError):
            pairs = json.loads(sent, object_pairs_hook=_Object).pairs
    return [(key, value) for key, value in pairs if key.casefold() in _FIELDS]


class _Object(dict[str, JSONValue]):
    """A JSON object that knows what it was made of."""

    def __init__(self, pairs: list[tuple[str, JSONValue]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


# Go finds a field under a key that differs by case only, and by Unicode's notion of it: `\u212aind`.
_FIELDS: Final = {"apiversion": "apiVersion", "kind": "kind"}


def as_decoded(fields: Iterable[tuple[str, JSONValue]]) -> tuple[str, str]:
    """
    Return apiVersion and kind as Go's JSON decoder reads them: the last text under a key that is one of them in any case.

    Args:
        fields: The keys of an object and their values; those that count are texts or null.
    """
    found = {field: value for key, value in fields if value is not None and (field := _FIELDS.get(key.casefold()))}
    return found.get("apiVersion", ""), found.get("kind", "")


def _has_variants(resource: Mapping[str, JSONValue]) -> bool:
    """Return whether a key differs from apiVersion or kind by case only."""
    return any(key.casefold() in _FIELDS for key in resource if key not in _USUAL)


_USUAL: Final = frozenset({*META_FIELDS, "spec", "status"})


def _missing_kind(resource: Mapping[str, JSONValue], sent: str, profile: Profile) -> str:
    """Return the problem; in the JSON library of older versions it knows where it was, which is the end."""
    decoded = sent if _is_json(sent) else printing.marshal(dict(resource))
    if not profile.defaults_type_from_url:
        return f"Object 'Kind' is missing in '{decoded}'"
    value = decoded.rstrip().encode()
    after = decoded.encode()[len(value) :]
    near, around = ((value[-length:] + after[:length]).decode(errors="replace") for length in (10, 50))
    where = f"error found in #{len(value[-10:])} byte of ...|{near}|..., bigger context ...|{around}|..."
    return f"unmarshalerDecoder: Object 'Kind' is missing in '{decoded.strip()}', {where}"


def _is_json(sent: str) -> bool:
    return sent.lstrip().startswith("{")


def _json_type(value: JSONValue) -> str:
    if isinstance(value, bool):
        return "bool"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "number"


def _summarized(body: str) -> str:
    sent = body.encode()
    cut = sent[:_SUMMARY]
    shown = cut.decode(errors="replace") if sent.startswith(b"{") else cut.hex()
    return f"{shown} ..." if len(sent) > _SUMMARY else shown
