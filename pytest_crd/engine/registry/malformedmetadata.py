"""Metadata of wrong types that a mutating plugin returns: the server reads it without the malformed fields, and refuses it later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.passes import objectmeta
from pytest_crd.engine.profile import Profile

# The server sets these fields after admission.
_REPLACED: Final = ("creationTimestamp", "generation", "namespace", "uid")
_IDENTITY: Final = ("namespace", "uid")
_METADATA: Final = FieldPath(("metadata",))


class MalformedMetadata(NamedTuple):
    """
    Metadata with a field of a wrong type.

    Attributes:
        sent: The metadata of the plugin.
        problem: The server's message.
        read: The metadata without the malformed fields.
    """

    sent: Mapping[str, JSONValue]
    problem: str
    read: Mapping[str, JSONValue]

    def error(self, prepared: Mapping[str, JSONValue], system: Mapping[str, JSONValue]) -> FieldError:
        """
        Return the error, which quotes the metadata with the changes of the server.

        Args:
            prepared: The prepared metadata, made from `read`.
            system: The metadata that the server sets.
        """
        quoted = {**self.sent, **prepared, **system}
        return fielderror.invalid(_METADATA, dict(sorted(quoted.items())), self.problem)


def read(metadata: JSONValue, *, is_status: bool) -> JSONValue:
    """
    Return metadata as the server reads it after admission.

    A namespace and a uid of wrong types are absent. Managed fields with a null are absent in an update of the status; else the null is
    an entry without fields.
    """
    if not isinstance(metadata, Mapping):
        return metadata
    sent_entries = metadata.get("managedFields")
    entries = sent_entries if isinstance(sent_entries, list) else []
    has_null = None in entries
    hidden = {key for key in _IDENTITY if not isinstance(metadata.get(key), str)}
    read_metadata = {key: value for key, value in metadata.items() if key not in hidden}
    if has_null and is_status:
        del read_metadata["managedFields"]
    elif has_null:
        read_metadata["managedFields"] = [{} if entry is None else entry for entry in entries]
    return read_metadata


def find(metadata: JSONValue, profile: Profile) -> MalformedMetadata | None:
    """
    Return *metadata* that has a field of a wrong type, with its problem; None if there is no such field.

    Reference:
        apiextensions-apiserver apiserver/schema/objectmeta/validation.go, Validate; coerce.go, GetObjectMetaWithOptions.
    """
    if not isinstance(metadata, Mapping):
        return None
    try:
        converting.convert(
            {key: value for key, value in metadata.items() if key not in _REPLACED}, metav1types.OBJECT_META
        )
    except MistypedError as error:
        read = objectmeta.coerce_root(metadata, profile, drop_malformed=True).value
        return MalformedMetadata(metadata, str(error), read)
    return None
