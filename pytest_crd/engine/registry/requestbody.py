"""
Bodies of requests for custom resources: decoded, pruned and defaulted, or refused.

The metadata is interpreted, and values are validated, afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pytest_crd import lazyimport
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.inputerror import WrongValueError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import typemeta
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.profile import Profile
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.errors import refusal
    from pytest_crd.engine.errors.refusal import Refusal
    from pytest_crd.engine.passes import versionpasses
    from pytest_crd.engine.passes.versionpasses import Passes, Pruned
    from pytest_crd.engine.registry import response
    from pytest_crd.engine.registry.malformedmetadata import MalformedMetadata
    from pytest_crd.engine.registry.response import Changes, FieldConflict
else:
    versionpasses = lazyimport.module("pytest_crd.engine.passes.versionpasses")
    response = lazyimport.module("pytest_crd.engine.registry.response")
    refusal = lazyimport.module("pytest_crd.engine.errors.refusal")


FieldValidation = Literal["Strict", "Warn", "Ignore"]
FIELD_VALIDATIONS: Final = ("Strict", "Warn", "Ignore")


def check_field_validation(field_validation: FieldValidation) -> FieldValidation:
    """Return *field_validation*, or raise ValueError if it is unknown."""
    if field_validation not in FIELD_VALIDATIONS:
        raise WrongValueError(f"field_validation {field_validation!r}: one of {', '.join(FIELD_VALIDATIONS)}")
    return field_validation


class Body(NamedTuple):
    """
    The body of a request.

    Attributes:
        value: The parsed value, which need not be a resource.
        text: The sent text; empty if messages quote the value as JSON.
        duplicates: The server's messages about duplicate keys.
        has_floats: False if the text has no float, such as `1.0`, whose spelling counts until it is stored.
    """

    value: JSONValue
    text: str = ""
    duplicates: tuple[str, ...] = ()
    has_floats: bool = True


class TypedObject(Protocol):
    """An object that its strategy holds in a form of its own."""

    def encoded(self) -> JSONObject:
        """Return the object as JSON."""


class DecodedBody(NamedTuple):
    """
    A decoded resource.

    Attributes:
        resource: The resource: pruned, without disallowed nulls, defaulted.
        changes: The changes by pruning and defaulting.
        warnings: The warnings about unknown and duplicate fields.
        is_text: Whether it comes from a text with floats, in which `1.0` differs from `1` until it is stored.
        is_raw: Whether it is not pruned yet, as in an apply.
        sent: The value before decoding.
        typed: The decoded form of the strategy; None if that is the resource itself.
        malformed: The malformed metadata that admission plugins return; None if it is well-formed.
    """

    resource: dict[str, JSONValue]
    changes: Changes
    warnings: tuple[str, ...]
    is_text: bool = False
    sent: JSONValue = None
    is_raw: bool = False
    typed: TypedObject | None = None
    malformed: MalformedMetadata | None = None

    def encoded(self) -> JSONObject:
        """Return the resource in the form that field managers compare."""
        return self.resource if self.typed is None else self.typed.encoded()


class Patched(NamedTuple):
    """
    The result of a patch.

    Attributes:
        value: The patched object.
        write: Returns its text, which the server parses again and quotes in messages.
        duplicates: The server's messages about duplicate keys in that text.
        problems: The messages about unknown and duplicate fields of the patch itself.
        is_text: Whether its numbers have other spellings than the server's: see `DecodedBody`.
    """

    value: JSONValue
    write: Callable[[], str]
    duplicates: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_text: bool = False


class RefusedError(Exception):
    """A refused request, with the findings up to the refusal."""

    def __init__(
        self,
        refusal_: Refusal,
        decoded: DecodedBody | None = None,
        warnings: tuple[str, ...] = (),
        pruned: Mapping[str, JSONValue] | None = None,
        conflicts: tuple[FieldConflict, ...] = (),
    ) -> None:
        """
        Create from a refusal.

        Args:
            refusal_: The refusal.
            decoded: The resource, if it was decoded.
            warnings: Further warnings.
            pruned: The resource without the unknown fields that cause the refusal.
            conflicts: The fields of other managers that the request changes.
        """
        super().__init__(refusal_.message)
        self.pruned = pruned
        self.conflicts = conflicts
        self.refusal = refusal_
        self.changes = decoded.changes if decoded else response.Changes()
        self.warnings = (*(decoded.warnings if decoded else ()), *warnings)


class Decoder(NamedTuple):
    """
    Decoder of the bodies of requests to one version.

    Attributes:
        of_url: The group, version and kind of the URL.
        passes: The passes of all versions of the CRD, by name.
        profile: The reproduced Kubernetes version.
    """

    of_url: GroupVersionKind
    passes: Mapping[str, Passes]
    profile: Profile

    def decode(self, body: Body, field_validation: FieldValidation) -> DecodedBody:
        """
        Decode *body*, checking in this order: size, types, unknown and duplicate fields, metadata, nulls, defaults, API version.

        Args:
            body: The body.
            field_validation: The treatment of unknown and duplicate fields.

        Raises:
            RefusedError: The body is refused.

        Reference:
            apiextensions-apiserver customresource_handler.go, schemaCoercingDecoder and unstructuredDefaulter; apiserver endpoints/handlers/create.go.
        """
        refused = (
            refusal.too_large(body.value, body.text)
            or typemeta.refuse_other_than_object(body.value, self.of_url, body=body.text)
            or typemeta.refuse_undecodable(
                body.value or {},
                self.of_url,
                self.profile,
                body=body.text or ("null" if body.value is None else ""),
                lenient=field_validation == "Ignore" and self.profile.field_validation,
            )
        )
        if refused is not None:
            raise RefusedError(refused)
        kind = body.value["kind"]
        cannot = f"{kind} in version {self._quoted_version(body.value)} cannot be handled as a"
        passes = self._passes_for(body.value)
        try:
            pruned = passes.prune(body.value)
        except DecodeError as error:
            raise RefusedError(refusal.bad_request(f"{cannot} {self.of_url.kind}: {error}")) from None
        problems = self._problems(body.duplicates, pruned, field_validation)
        if field_validation == "Strict" and problems:
            unknown = _unknown(pruned)
            listed = ", ".join((*strict_messages(body.duplicates), *unknown))
            # The server uses the body's own kind here.
            strict = refusal.bad_request(f"{cannot} {kind}: strict decoding error: {listed}")
            refused = typemeta.refuse_without_version(body.value)
            raise RefusedError(refused or strict, pruned=pruned.value if unknown and refused is None else None)
        decoded = _defaulted(body.value, pruned, passes, problems, is_text=bool(body.text) and body.has_floats)
        refused = typemeta.refuse_version(body.value, self.of_url, self.profile)
        if refused is not None:
            raise RefusedError(refused, decoded)
        return decoded

    def decode_patched(self, patched: Patched, live: JSONObject, field_validation: FieldValidation) -> DecodedBody:
        """
        Decode the result of a patch, as `decode` does but without a check of its API version.

        Args:
            patched: The result of the patch.
            live: The patched object, as it was read; unchanged metadata is not coerced again.
            field_validation: The treatment of unknown and duplicate fields, in the patch and in its result.

        Raises:
            RefusedError: The result is refused.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher.applyPatchToCurrentObject.
        """
        if problem := typemeta.problem_of_patched(patched.value, self.profile, write=patched.write):
            raise RefusedError(bad_patch(patched.write(), problem))
        passes = self._passes_for(patched.value)
        try:
            pruned = passes.prune(patched.value, coerced=live.get("metadata"))
        except DecodeError as error:
            raise RefusedError(bad_patch(patched.write(), str(error))) from None
        problems = (*patched.problems, *self._problems(patched.duplicates, pruned, field_validation))
        if field_validation == "Strict" and problems:
            raise RefusedError(bad_patch(patched.write(), f"strict decoding error: {', '.join(problems)}"))
        return _defaulted(patched.value, pruned, passes, problems, is_text=patched.is_text)

    def _problems(
        self, duplicates: tuple[str, ...], pruned: Pruned, field_validation: FieldValidation
    ) -> tuple[str, ...]:
        if field_validation == "Ignore" or not self.profile.field_validation:
            return ()
        return (*duplicates, *_unknown(pruned))

    def _quoted_version(self, resource: Mapping[str, JSONValue]) -> str:
        """Return the version of a resource as messages quote it."""
        assumed = self.of_url.version if self.profile.defaults_type_from_url else ""
        return printing.quote(typemeta.version_called(resource.get("apiVersion") or "", assumed))

    def _passes_for(self, resource: Mapping[str, JSONValue]) -> Passes:
        """Return the passes for the version of a resource; those for another kind prune nothing."""
        group, _, version = (resource.get("apiVersion") or "").rpartition("/")
        if group != self.of_url.group or resource["kind"] != self.of_url.kind:
            return versionpasses.Passes(None, self.profile, preserve_unknown_fields=True)
        return self.passes.get(version) or versionpasses.Passes(None, self.profile, preserve_unknown_fields=False)


def _unknown(pruned: Pruned) -> tuple[str, ...]:
    return tuple(f'unknown field "{path}"' for path in pruned.dropped)


def _defaulted(
    sent: JSONValue, pruned: Pruned, passes: Passes, problems: tuple[str, ...], *, is_text: bool
) -> DecodedBody:
    defaulted = passes.default(pruned.value)
    changes = response.Changes(pruned.dropped, defaulted.put_in, defaulted.dropped)
    return DecodedBody(dict(defaulted.value), changes, problems, is_text=is_text, sent=sent)


def bad_patch(written: str, problem: str) -> Refusal:
    """Return the refusal of a patch for its result, which the server leaves unnamed."""
    error = fielderror.invalid(FieldPath(("patch",)), written, problem)
    return refusal.Refusal(422, "Invalid", f' "" is invalid: {error}', (error,), subject={})


def strict_messages(duplicates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the messages of a strict decoder about duplicates; YAML's messages are joined into a single one with several lines."""
    if not (duplicates and duplicates[0].startswith("line ")):
        return duplicates
    return ("yaml: unmarshal errors:" + "".join(f"\n  {text}" for text in duplicates),)
