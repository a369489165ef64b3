"""Objects with their merge types, and their conversion between the versions of a CRD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.conversion import ConversionFailedError, VersionConverter
from pytest_crd.engine.registry.fieldmanager import comparing, merging, typedvalues
from pytest_crd.engine.registry.fieldmanager.comparing import Comparison
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType


class ConversionError(ValueError):
    """A failed conversion, with the server's message."""


class MissingVersionError(ConversionError):
    """A version of a built-in type that the server does not know; owned fields in it are dropped."""


class Typed(NamedTuple):
    """
    An object with its type.

    Attributes:
        kind: The type.
        value: The object.
    """

    kind: MergeType
    value: JSONValue

    @property
    def fields(self) -> FieldSet:
        """All fields of the object."""
        return typedvalues.fields(self.kind, self.value)

    def compared(self, now: Typed) -> Comparison:
        """Return the difference between this object and *now*, of the same type."""
        return comparing.compare(self.kind, self.value, now.value)

    def merged(self, applied: Typed) -> Typed:
        """Return the object merged with *applied*, of the same type."""
        return Typed(self.kind, merging.merged(self.kind, self.value, applied.value))

    def without(self, fields: FieldSet) -> Typed:
        """Return the object without a set of fields."""
        return Typed(self.kind, typedvalues.removed(self.kind, self.value, fields))


class Versions:
    """
    The versions of a CRD or of a built-in kind.

    Args:
        group: The group of the objects.
        kinds: Functions that return the type of each version, by its apiVersion.
        is_built_in: Whether the type is built in; the server knows no other versions of it.
        converter: The conversion of objects; without one, objects of all versions have the same fields.

    Reference:
        apimachinery managedfields/internal/versionconverter.go and typeconverter.go; apiextensions-apiserver apiserver/conversion/converter.go.
    """

    def __init__(
        self,
        group: str,
        kinds: Mapping[str, Callable[[], MergeType]],
        *,
        is_built_in: bool = False,
        converter: VersionConverter | None = None,
    ) -> None:
        self._converter = converter
        self._group = group
        self._is_built_in = is_built_in
        self._kinds = kinds
        self._types: dict[str, MergeType] = {}

    def typed(self, value: JSONObject, *, allow_duplicates: bool = False, checked: Typed | None = None) -> Typed:
        """
        Return an object with the type of its apiVersion.

        Args:
            value: An object in one of the versions.
            allow_duplicates: Whether items of sets and maps may be duplicate.
            checked: An object whose shared parts need no check again, under the same *allow_duplicates*; None without one.

        Raises:
            TypedError: The object does not fit its type.
        """
        kind = self._type_of(value["apiVersion"])
        checked_value = None if checked is None or checked.kind is not kind else checked.value
        typedvalues.check(kind, value, allow_duplicates=allow_duplicates, checked=checked_value)
        return Typed(kind, value)

    def find_type(self, api_version: str) -> MergeType | None:
        """Return the type of the objects of an apiVersion; None if there is no such version."""
        return self._type_of(api_version) if api_version in self._kinds else None

    def _type_of(self, api_version: str) -> MergeType:
        if api_version not in self._types:
            self._types[api_version] = self._kinds[api_version]()
        return self._types[api_version]

    def converted(self, typed: Typed, api_version: str) -> Typed:
        """
        Return an object in another version.

        Args:
            typed: The object.
            api_version: The apiVersion, as in managed fields.

        Raises:
            ConversionError: The version does not exist, or cannot represent the object.
            MissingVersionError: A built-in type has no such version.
            TypedError: The object does not fit the type of that version.
        """
        if typed.value["apiVersion"] == api_version:
            return typed
        group, _ = _split(api_version)
        if self._is_built_in and api_version not in self._kinds:
            raise MissingVersionError(f"no kind is registered for version {quote(api_version)}")
        if group != self._group:
            of_object = f"{self._group}/{typed.value['apiVersion'].rpartition('/')[2]}, Kind={typed.value['kind']}"
            problem = f"is unstructured and is not suitable for converting to {quote(api_version)}"
            raise ConversionError(f"{of_object} {problem}")
        if api_version not in self._kinds:
            raise ConversionError(f"request to convert CR to an invalid group/version: {api_version}")
        if self._converter is None:
            return self.typed({**typed.value, "apiVersion": api_version})
        try:
            return self.typed(self._converter.convert(typed.value, api_version))
        except ConversionFailedError as error:
            raise ConversionError(str(error)) from None


def _split(api_version: str) -> tuple[str, str]:
    """
    Return the group and the version of an apiVersion.

    Raises:
        ConversionError: The apiVersion is malformed.

    Reference:
        apimachinery runtime/schema/group_version.go, ParseGroupVersion.
    """
    if api_version in ("", "/"):
        return "", ""
    group, slash, version = api_version.partition("/")
    if "/" in version:
        raise ConversionError(f"unexpected GroupVersion string: {api_version}")
    return (group, version) if slash else ("", group)
