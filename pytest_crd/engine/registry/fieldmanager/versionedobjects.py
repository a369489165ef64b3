"""Objects in the versions of a CRD: with the types by which they are merged there, and converted from one to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.fieldmanager import comparing, merging, typedvalues
from pytest_crd.engine.registry.fieldmanager.comparing import Comparison
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType


class ConversionError(ValueError):
    """An object cannot be had in another version; the message is the server's."""


class MissingVersionError(ConversionError):
    """A version that a server does not know, of a type that is not a CRD's: what is owned in terms of it is forgotten."""


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
        """All fields that it states."""
        return typedvalues.fields(self.kind, self.value)

    def compared(self, now: Typed) -> Comparison:
        """Return how *now*, of the same type, differs from it."""
        return comparing.compare(self.kind, self.value, now.value)

    def merged(self, applied: Typed) -> Typed:
        """Return it with all that *applied*, of the same type, states."""
        return Typed(self.kind, merging.merged(self.kind, self.value, applied.value))

    def without(self, fields: FieldSet) -> Typed:
        """Return it without some fields."""
        return Typed(self.kind, typedvalues.removed(self.kind, self.value, fields))


class Versions:
    """
    The versions of a CRD.

    Args:
        group: The group of the CRD.
        kinds: Makes the type of a version; by its name, for each version of the CRD.
        is_built_in: Whether the type is one of the server's own, of which it knows no further versions.

    Reference:
        apimachinery managedfields/internal/versionconverter.go and typeconverter.go; apiextensions-apiserver
        apiserver/conversion/converter.go. Objects are taken to stay as they are when a webhook converts them.
    """

    def __init__(self, group: str, kinds: Mapping[str, Callable[[], MergeType]], *, is_built_in: bool = False) -> None:
        self._group = group
        self._is_built_in = is_built_in
        self._kinds = kinds
        self._made: dict[str, MergeType] = {}

    def typed(self, value: JSONObject, *, allow_duplicates: bool = False) -> Typed:
        """
        Return an object with the type of the version that it states.

        Args:
            value: An object of one of the versions.
            allow_duplicates: Whether items of sets and maps may be there twice.

        Raises:
            TypedError: It is not of its type.
        """
        version = value["apiVersion"].rpartition("/")[2]
        if version not in self._made:
            self._made[version] = self._kinds[version]()
        kind = self._made[version]
        typedvalues.check(kind, value, allow_duplicates=allow_duplicates)
        return Typed(kind, value)

    def converted(self, typed: Typed, api_version: str) -> Typed:
        """
        Return an object in another version.

        Args:
            typed: The object.
            api_version: The group and version, as managed fields state it.

        Raises:
            ConversionError: There is no such version, or the object does not fit it.
            MissingVersionError: There is no such version of a built-in type.
            TypedError: The object is not of its type there.
        """
        if typed.value["apiVersion"] == api_version:
            return typed
        group, version = _split(api_version)
        if self._is_built_in and (group != self._group or version not in self._kinds):
            raise MissingVersionError(f"no kind is registered for version {quote(api_version)}")
        if group != self._group:
            of_object = f"{self._group}/{typed.value['apiVersion'].rpartition('/')[2]}, Kind={typed.value['kind']}"
            problem = f"is unstructured and is not suitable for converting to {quote(api_version)}"
            raise ConversionError(f"{of_object} {problem}")
        if version not in self._kinds:
            raise ConversionError(f"request to convert CR to an invalid group/version: {api_version}")
        return self.typed({**typed.value, "apiVersion": api_version})


def _split(api_version: str) -> tuple[str, str]:
    """
    Return the group and the version of an apiVersion.

    Raises:
        ConversionError: It is none.

    Reference:
        apimachinery runtime/schema/group_version.go, ParseGroupVersion.
    """
    if api_version in ("", "/"):
        return "", ""
    group, slash, version = api_version.partition("/")
    if "/" in version:
        raise ConversionError(f"unexpected GroupVersion string: {api_version}")
    return (group, version) if slash else ("", group)
