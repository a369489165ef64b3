"""
The body of a request for a custom resource: read, pruned and defaulted, or refused.

What its metadata means for the request, and whether its values are valid, is decided afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, Protocol

from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import typemeta
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.passes.versionpasses import Passes, Pruned
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.response import Changes, FieldConflict

FieldValidation = Literal["Strict", "Warn", "Ignore"]
FIELD_VALIDATIONS: Final = ("Strict", "Warn", "Ignore")


def known(field_validation: FieldValidation) -> FieldValidation:
    """Return *field_validation*, or raise ValueError where a server would not know it."""
    if field_validation not in FIELD_VALIDATIONS:
        raise ValueError(f"field_validation {field_validation!r}: one of {', '.join(FIELD_VALIDATIONS)}")
    return field_validation


class Body(NamedTuple):
    """
    The body of a request.

    Attributes:
        value: What it holds; the server finds out whether that is a resource.
        text: What was sent, where it was sent as text; else the JSON of the value is what messages quote.
        duplicates: What the server says about each key that was set twice.
    """

    value: JSONValue
    text: str = ""
    duplicates: tuple[str, ...] = ()


class TypedObject(Protocol):
    """An object that its strategy holds in a form of its own."""

    def encoded(self) -> JSONObject:
        """Return the object as JSON."""


class DecodedBody(NamedTuple):
    """
    A resource that was read.

    Attributes:
        resource: The resource: pruned, without the nulls that are not allowed, defaulted.
        changes: What that changed.
        warnings: What is to be said about unknown and duplicate fields.
        is_text: Whether it was read from a text, in which `1.0` is another number than `1` until it is stored.
        is_raw: Whether nothing was pruned yet, as of what is applied.
        sent: What it was read from.
        typed: The decoded form of the strategy; None if that is the resource itself.
    """

    resource: dict[str, JSONValue]
    changes: Changes
    warnings: tuple[str, ...]
    is_text: bool = False
    sent: JSONValue = None
    is_raw: bool = False
    typed: TypedObject | None = None

    def encoded(self) -> JSONObject:
        """Return the resource as field managers compare it."""
        return self.resource if self.typed is None else self.typed.encoded()


class Patched(NamedTuple):
    """
    What came of a patch.

    Attributes:
        value: The whole object.
        write: Returns its text, as the server reads it again; messages quote it.
        duplicates: What the server says about each key that is there twice in that text.
        problems: What is to be said about unknown and duplicate fields of the patch itself.
        is_text: Whether numbers are spelled in it otherwise than a server spells them: see `DecodedBody`.
    """

    value: JSONValue
    write: Callable[[], str]
    duplicates: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_text: bool = False


class RefusedError(Exception):
    """The request goes no further; what was found until then goes with the answer."""

    def __init__(
        self,
        why: Refusal,
        decoded: DecodedBody | None = None,
        warnings: tuple[str, ...] = (),
        pruned: Mapping[str, JSONValue] | None = None,
        conflicts: tuple[FieldConflict, ...] = (),
    ) -> None:
        """
        Take what was found.

        Args:
            why: What is answered.
            decoded: The resource, where it was decoded.
            warnings: What is warned of besides.
            pruned: What is left of it without the unknown fields that it is refused for.
            conflicts: What it changes that others own.
        """
        super().__init__(why.message)
        self.pruned = pruned
        self.conflicts = conflicts
        self.refusal = why
        self.changes = decoded.changes if decoded else Changes()
        self.warnings = (*(decoded.warnings if decoded else ()), *warnings)


class Decoder(NamedTuple):
    """
    Reads the bodies of requests to one version.

    Attributes:
        of_url: What the URL says that the object is.
        passes: The passes of all its versions, by name.
        profile: Whose behaviour and words.
    """

    of_url: GroupVersionKind
    passes: Mapping[str, Passes]
    profile: Profile

    def decode(self, body: Body, field_validation: FieldValidation) -> DecodedBody:
        """
        Read *body*: its size, types, unknown and duplicate fields, metadata, nulls, defaults, its API version, in this order.

        Args:
            body: What was sent.
            field_validation: What unknown and duplicate fields do.

        Raises:
            RefusedError: The server goes no further.

        Reference:
            apiextensions-apiserver customresource_handler.go, schemaCoercingDecoder and unstructuredDefaulter; apiserver
            endpoints/handlers/create.go.
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
            raise RefusedError(bad_request(f"{cannot} {self.of_url.kind}: {error}")) from None
        problems = self._problems(body.duplicates, pruned, field_validation)
        if field_validation == "Strict" and problems:
            unknown = _unknown(pruned)
            listed = ", ".join((*worded_strictly(body.duplicates), *unknown))
            # By then it is what it says it is.
            strict = bad_request(f"{cannot} {kind}: strict decoding error: {listed}")
            refused = typemeta.refuse_without_version(body.value)
            raise RefusedError(refused or strict, pruned=pruned.value if unknown and refused is None else None)
        decoded = _defaulted(body.value, pruned, passes, problems, is_text=bool(body.text))
        refused = typemeta.refuse_version(body.value, self.of_url, self.profile)
        if refused is not None:
            raise RefusedError(refused, decoded)
        return decoded

    def decode_patched(self, patched: Patched, field_validation: FieldValidation) -> DecodedBody:
        """
        Read what came of a patch, as `decode` does; its API version is not looked at.

        Args:
            patched: What came of it.
            field_validation: What unknown and duplicate fields do, of the patch and of what came of it.

        Raises:
            RefusedError: The server goes no further.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher.applyPatchToCurrentObject.
        """
        if problem := typemeta.problem_of_patched(patched.value, self.profile, write=patched.write):
            raise RefusedError(bad_patch(patched.write(), problem))
        passes = self._passes_for(patched.value)
        try:
            pruned = passes.prune(patched.value)
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
        """Return the version that a resource is decoded as, as messages quote it."""
        assumed = self.of_url.version if self.profile.defaults_type_from_url else ""
        return printing.quote(typemeta.version_called(resource.get("apiVersion") or "", assumed))

    def _passes_for(self, resource: Mapping[str, JSONValue]) -> Passes:
        """Return the passes for what a resource says it is; of other kinds nothing is known, and nothing is pruned."""
        group, _, version = (resource.get("apiVersion") or "").rpartition("/")
        if group != self.of_url.group or resource["kind"] != self.of_url.kind:
            return Passes(None, self.profile, preserve_unknown_fields=True)
        return self.passes.get(version) or Passes(None, self.profile, preserve_unknown_fields=False)


def _unknown(pruned: Pruned) -> tuple[str, ...]:
    return tuple(f'unknown field "{path}"' for path in pruned.dropped)


def _defaulted(
    sent: JSONValue, pruned: Pruned, passes: Passes, problems: tuple[str, ...], *, is_text: bool
) -> DecodedBody:
    defaulted = passes.default(pruned.value)
    changes = Changes(pruned.dropped, defaulted.put_in, defaulted.dropped)
    return DecodedBody(dict(defaulted.value), changes, problems, is_text=is_text, sent=sent)


def bad_patch(written: str, problem: str) -> Refusal:
    """Return why a patch is refused for what came of it, which the server calls by no name."""
    error = fielderror.invalid(FieldPath(("patch",)), written, problem)
    return Refusal(422, "Invalid", f' "" is invalid: {error}', (error,), subject={})


def worded_strictly(duplicates: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is said about duplicates as a strict decoder words them: those of YAML as one error of several lines."""
    if not (duplicates and duplicates[0].startswith("line ")):
        return duplicates
    return ("yaml: unmarshal errors:" + "".join(f"\n  {text}" for text in duplicates),)
