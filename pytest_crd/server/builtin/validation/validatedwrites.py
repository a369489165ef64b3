"""
Objects under validation, and the validation of their metadata.

Reference:
    kubernetes pkg/apis/core/validation, ValidateObjectMeta and ValidateObjectMetaUpdate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing, structs
from pytest_crd.engine.golang.gotypes import GoType
from pytest_crd.engine.metadata import objectmetarules
from pytest_crd.engine.metadata.objectmetarules import NameRule, ObjectNaming
from pytest_crd.engine.metadata.ownerreferences import Reading
from pytest_crd.engine.profile import Profile

ROOT: Final = FieldPath()
METADATA: Final = FieldPath(("metadata",))
IMMUTABLE: Final = "field is immutable"
_UNQUALIFIED: Final = "name is neither a standard finalizer name nor is it fully qualified"


class ValidatedWrite(NamedTuple):
    """
    An object that a request is about to store.

    Attributes:
        new: The decoded object with its whole metadata.
        old: The stored object in the same version; None on create.
        sent: The object before it was decoded: the body, or the result of a patch or an apply.
        subresource: The subresource of the URL; empty for the object itself.
        api_version: The apiVersion of the URL.
        naming: The rule of its name, and whether it has a namespace.
        profile: The reproduced Kubernetes version.
    """

    new: Mapping[str, Any]
    old: Mapping[str, Any] | None
    sent: Mapping[str, Any]
    subresource: str
    api_version: str
    naming: ObjectNaming
    profile: Profile

    @property
    def stored(self) -> Mapping[str, Any]:
        """The stored object of an update."""
        assert self.old is not None  # noqa: S101 - callers validate an update
        return self.old


Validate: TypeAlias = Callable[[ValidatedWrite], list[FieldError]]


def _without_warnings(_write: ValidatedWrite) -> tuple[str, ...]:
    return ()


class KindValidation(NamedTuple):
    """
    The validation of a kind.

    Attributes:
        create: Returns the errors of a new object.
        update: Returns the errors of an update, without those of all kinds.
        warnings: Returns the warnings about a valid object.
        declared: Returns errors that replace those of the same fields, and follow all others; None without any.
        prepare: Returns the write as the server validates it.
    """

    create: Validate
    update: Validate
    warnings: Callable[[ValidatedWrite], tuple[str, ...]] = _without_warnings
    declared: Validate | None = None
    prepare: Callable[[ValidatedWrite], ValidatedWrite] = lambda write: write


def chain(*steps: Validate) -> Validate:
    """Return a function that returns the errors of several validations, one after another."""
    return lambda write: [error for step in steps for error in step(write)]


def validate_metadata(write: ValidatedWrite, rule: NameRule | None = None) -> list[FieldError]:
    """Validate metadata by the rules of a new object; *rule* overrides the rule of names."""
    naming = write.naming if rule is None else write.naming._replace(rule=rule)
    return objectmetarules.validate(write.new["metadata"], METADATA, naming, write.profile)


def validate_metadata_change(write: ValidatedWrite) -> list[FieldError]:
    """Validate a change of metadata."""
    old = write.stored["metadata"]
    return objectmetarules.validate_change(write.new["metadata"], old, METADATA, write.profile, Reading.THIRD)


def validate_finalizers(write: ValidatedWrite) -> list[FieldError]:
    """
    Validate the names of finalizers in metadata by the rule of the core group.

    Reference:
        kubernetes pkg/apis/core/validation, validateKubeFinalizerName.
    """
    path = METADATA.child("finalizers")
    return [
        error
        for place, name in enumerate(write.new["metadata"].get("finalizers") or ())
        for error in validate_finalizer(name, path.index(place))
    ]


def validate_finalizer(name: str, path: FieldPath) -> list[FieldError]:
    """Return the error of a finalizer that is neither qualified nor a standard one."""
    if "/" in name or objectmetarules.is_standard_finalizer(name):
        return []
    return [fielderror.invalid(path, name, _UNQUALIFIED)]


def validate_core_metadata(write: ValidatedWrite) -> list[FieldError]:
    """Validate metadata and finalizers by the rules of a new object of the core group."""
    return [*validate_metadata(write), *validate_finalizers(write)]


def validate_core_change(write: ValidatedWrite) -> list[FieldError]:
    """Validate a change of metadata by the rules of the core group."""
    return [*validate_metadata_change(write), *validate_finalizers(write)]


def validate_unchanged(write: ValidatedWrite, name: str, kind: GoType, shown: str = "") -> list[FieldError]:
    """
    Return the error of a changed field that is immutable.

    Args:
        write: The update.
        name: The field.
        kind: The Go type of the field.
        shown: The name of the field in the error, if it has another one.
    """
    new, old = write.new.get(name), write.stored.get(name)
    if structs.equal(new, old, kind):
        return []
    path, value = ROOT.child(shown or name), kind.zero if new is None else new
    if isinstance(value, str | int | None) and kind.name in _SIMPLE:
        return [fielderror.invalid(path, value, IMMUTABLE)]
    return [badvalues.invalid_of_type(path, new, kind, IMMUTABLE, write.profile)]


# Types with values that errors print without JSON.
_SIMPLE: Final = frozenset({"string", "int32", "int64", "bool"})


def invalid_named(path: FieldPath, text: str, detail: str) -> FieldError:
    """Return an Invalid error for a text of a Go type of its own, which errors print as JSON."""
    return reprinted(fielderror.invalid(path, text, detail))


def unsupported_named(path: FieldPath, text: str, supported: Sequence[str]) -> FieldError:
    """Return a NotSupported error for a text of a Go type of its own, which errors print as JSON."""
    return reprinted(fielderror.not_supported(path, text, supported))


def reprinted(error: FieldError) -> FieldError:
    """Return an error about a text of a Go type of its own, which errors print as JSON."""
    return badvalues.reprinted(error, printing.marshal(error.bad_value))
