"""Storage of custom resources: conversion to the storage version and back, with pruning and defaulting, and the limits of etcd."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.request import without_version
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.strategy import NotReadBackError, PendingWrite, StoredForms

if TYPE_CHECKING:
    from pytest_crd.engine.registry import conversion
    from pytest_crd.engine.registry.conversion import Served, VersionConverter
else:
    conversion = lazyimport.module("pytest_crd.engine.registry.conversion")

# The server mistakes an object with a list `items` for a list of objects, and fails.
_TAKEN_FOR_A_LIST: Final = Refusal(500, "", "*unstructured.Unstructured is not a list: no Items field in this object")
_MAX_REQUEST: Final = 1_572_864
_MAX_MESSAGE: Final = 2_097_152
# The header of a request in etcd's log, and the length prefix of its transaction.
_LOGGED: Final = 18
# The most characters that one byte can take in JSON.
_GREATEST_GROWTH: Final = 6
# The most bytes of a managed field besides its key: `"f:":{},`, and more for a mapping, list or item: `"k:{}":{".":{}},`.
_FIELD: Final = 8
_CONTAINER: Final = 18
# More than a server adds to an object besides: the rest of its metadata.
_ADDED: Final = 16_384
# With this version, marshal repeats equal texts, as JSON does.
_WITHOUT_REFERENCES: Final = 2


class Storage:
    """Storage of the custom resources of a CRD, for requests to one of its versions."""

    def __init__(
        self, crd: CrdSpec, served: Served, versions: Sequence[Served], converter: VersionConverter | None
    ) -> None:
        """
        Create for requests to a version.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* included.
            converter: The conversion webhook; None if the CRD has none, or if it cannot be called.
        """
        self._crd = crd
        self._served = served
        storage = next((version for version in versions if version.spec.storage), served)
        # Without a way to call the webhook, assume that objects are unchanged.
        is_unknown = crd.converts_by_webhook and converter is None
        self._storage = served if is_unknown else storage
        self._converter = converter
        self._by_version = {self._version_of(version): version for version in versions}
        self._readable = {} if is_unknown else self._by_version
        self._namespaced = crd.scope == "Namespaced"

    def store(
        self, write: PendingWrite, system_metadata: Callable[[], Mapping[str, JSONValue]], *, is_read_back: bool
    ) -> StoredForms:
        """
        Return the written form of a resource, and the form read back in the version of the request.

        Args:
            write: The resource, in the version of the request.
            system_metadata: Returns the server's metadata, which a webhook gets but does not change.
            is_read_back: Whether to convert the written form back; else both forms are the same.

        Raises:
            RefusedError: 500: the resource has a list `items`, or metadata that the storage version cannot decode; or the webhook does not
                convert it.
            NotReadBackError: The webhook does not convert it back.
        """
        resource, decoded = write.resource, write.read.decoded
        if isinstance(resource.get("items"), list):
            raise RefusedError(_TAKEN_FOR_A_LIST)
        # An update of a subresource keeps parts of the old object, which may have been read in another version.
        may_lack_defaults = bool(write.subresource) and len(self._by_version) > 1
        is_settled = not decoded.changes.defaulted or self._storage.passes.settles
        is_same = self._storage is self._served and not decoded.is_raw and not may_lack_defaults and is_settled
        if is_same and not self._lacks_status(resource):
            form = Stored.from_value(jsonvalue.from_python(resource) if decoded.is_text else resource)
            return StoredForms(form, form)  # already pruned and defaulted: to read it changes nothing
        try:
            forms = self._convert_and_read(resource, system_metadata, is_raw=decoded.is_raw, is_read_back=is_read_back)
        except DecodeError as error:
            raise RefusedError(Refusal(500, "", str(error))) from None
        return _spell_numbers(forms) if decoded.is_text else forms

    def _convert_and_read(
        self,
        resource: Resource,
        system_metadata: Callable[[], Mapping[str, JSONValue]],
        *,
        is_raw: bool,
        is_read_back: bool,
    ) -> StoredForms:
        """
        Return the forms of a resource in another version, or that the passes may change when it is read.

        Raises:
            DecodeError: The storage version cannot decode its metadata.
            RefusedError, NotReadBackError: As for `store`.
        """
        resource, passes = jsonvalue.written(resource) if is_raw else resource, self._storage.passes
        system: Mapping[str, JSONValue] = {}
        in_storage = resource
        if self._storage is not self._served:
            system = {} if self._converter is None else system_metadata()
            metadata = without_version(resource)["metadata"]
            whole = {**resource, "metadata": {**metadata, **system}} if system else resource
            in_storage = self.convert(whole, self._version_of(self._storage))
        written = passes.prune(in_storage)
        with_defaults = passes.default(written.value)
        defaulted_form = with_defaults.value
        is_same = self._storage is self._served and not is_raw and not (with_defaults.put_in or with_defaults.dropped)
        if is_same:  # a second pass changes nothing in a pruned object with all its defaults
            form = Stored.from_value(written.value)
            return StoredForms(form, form, written.dropped)
        # An object in the storage version is stored unpruned, and pruned when read.
        stored = resource if is_raw and self._storage is self._served else written.value
        added = system.keys() - resource["metadata"].keys()
        stored_form = Stored.from_value(_without_metadata(stored, added))
        if not system.get("managedFields", True):  # not stored, unlike it is sent to the first conversion
            defaulted_form = _without_metadata(defaulted_form, {"managedFields"})
        try:
            read = self._converted(defaulted_form, self._storage) if is_read_back else defaulted_form
        except RefusedError as refused:
            raise NotReadBackError(refused.refusal, stored_form) from None
        return StoredForms(stored_form, Stored.from_value(_without_metadata(read, added)), written.dropped)

    def _lacks_status(self, resource: Resource) -> bool:
        """Return whether reading adds a default status after a create removed the status."""
        declared = self._served.schema.properties.get("status") if self._served.schema else None
        return declared is not None and declared.default is not None and "status" not in resource

    def calls_webhook(self, stored: Resource) -> bool:
        """Return whether a webhook converts a stored object to the version of the request."""
        return self._converter is not None and stored.get("apiVersion") != self._version_of(self._served)

    def read(self, old: Resource, namespace: str) -> dict[str, JSONValue]:
        """
        Return a stored object as an update reads it: decoded in the version of its apiVersion, which may be an earlier storage version.

        Raises:
            RefusedError: 500: the webhook does not convert it.

        Reference:
            apiextensions-apiserver apiserver/customresource_handler.go, crdConversionRESTOptionsGetter and schemaCoercingDecoder.
        """
        return self._read_from(self._readable.get(old["apiVersion"], self._storage), old, namespace)

    def read_stored_as(self, api_version: str, old: Resource) -> dict[str, JSONValue]:
        """
        Return an object that is stored in *api_version* as an update reads it.

        Raises:
            RefusedError: 500: the webhook does not convert it.
            UnknownConversionError: A webhook converts it that cannot be called.
        """
        storage = self._by_version[api_version]
        if self._crd.converts_by_webhook and self._converter is None and storage is not self._served:
            versions = f"{storage.spec.name} to {self._served.spec.name}"
            raise conversion.UnknownConversionError(
                f"a webhook converts {versions}, and `crd_webhooks` does not say how to call it"
            )
        return self._read_from(storage, old, "")

    def _read_from(self, storage: Served, old: Resource, namespace: str) -> dict[str, JSONValue]:
        passes = storage.passes
        # The resourceVersion is no part of a stored object: the server sets it after the conversion.
        in_storage = {**without_version(old), "apiVersion": self._version_of(storage), "kind": self._crd.kind}
        stored = self._converted(passes.default(passes.prune(in_storage, drop_malformed=True).value).value, storage)
        metadata = dict(stored.get("metadata") or {})
        if (version := (old.get("metadata") or {}).get("resourceVersion")) is not None:
            metadata["resourceVersion"] = version
        if self._namespaced and namespace:
            metadata.setdefault("namespace", namespace)
        stored["metadata"] = metadata
        return stored

    def _version_of(self, served: Served) -> str:
        return declared.api_version(self._crd.group, served.spec.name)

    def _converted(self, in_storage: Resource, storage: Served) -> dict[str, JSONValue]:
        """Return an object of the version *storage* in the version of the request."""
        if storage is self._served:
            return dict(in_storage)
        passes = self._served.passes
        return passes.drop_nulls(passes.prune(self.convert(in_storage, self._version_of(self._served))).value)

    def convert(self, resource: Resource, api_version: str) -> Resource:
        """
        Return a resource in another version, not pruned.

        Raises:
            RefusedError: 500: the webhook does not convert it.
        """
        if self._converter is None or resource["apiVersion"] == api_version:
            return {**resource, "apiVersion": api_version}
        try:
            return self._converter.convert(resource, api_version)
        except conversion.ConversionFailedError as error:
            raise RefusedError(Refusal(500, "", str(error))) from None


def _spell_numbers(forms: StoredForms) -> StoredForms:
    """Return the forms with numbers as a server writes them: `1` for `1.0`."""
    written = Stored.from_value(jsonvalue.from_python(forms.written.value))
    is_same = forms.returned is forms.written
    returned = written if is_same else Stored.from_value(jsonvalue.from_python(forms.returned.value))
    return StoredForms(written, returned, forms.lost)


def _without_metadata(resource: Resource, keys: Collection[str]) -> Resource:
    """Return a resource without some metadata."""
    if not keys:
        return resource
    return {**resource, "metadata": {key: value for key, value in resource["metadata"].items() if key not in keys}}


def may_exceed(*values: JSONValue) -> bool:
    """Return False if an object with these parts is certainly below all limits; a fast check that may return True below the limits."""
    size = sum(len(marshal.dumps(value, _WITHOUT_REFERENCES)) for value in values)
    if size * _GREATEST_GROWTH <= _MAX_REQUEST:
        return False
    return sum(map(_most_bytes, values)) + _ADDED > _MAX_REQUEST


def _most_bytes(value: JSONValue) -> int:
    """
    Return an upper bound of the size of *value* in Go's JSON with its managed fields.

    Go escapes three more characters than Python, and writes out more digits of floats. Managed fields have no more text than the object in
    quotes: each key once, and each item of a list, or the fields that are its key, once.
    """
    text = json.dumps(value, separators=(",", ":"))
    longer = 5 * sum(map(text.count, "<>&")) + 20 * text.count("e+") + 3 * text.count("e-")
    containers = text.count("{") + text.count("[")
    fields = _FIELD * (text.count(",") + containers) + _CONTAINER * containers
    return len(text) + len(json.dumps(text)) + 2 * longer + fields


def json_size(stored: JSONObject) -> int:
    """Return the size of an object stored as JSON, in bytes."""
    return len(printing.marshal(stored).encode("utf-8", "surrogateescape")) + 1


def refuse_size(size: int, key: str, *, old_revision: int | None) -> Refusal | None:
    """
    Return the refusal of an object too large for etcd; None if it fits.

    Args:
        size: The size of the stored object in bytes, without a resourceVersion.
        key: Its key in etcd.
        old_revision: The resourceVersion of the replaced object; None on create.

    Reference:
        etcd server/etcdserver/v3_server.go, processInternalRaftRequestOnce; client/v3 options.go; kubernetes/client.go, OptimisticPut; apiserver storage/etcd3/store.go.
    """
    size = _transaction(size, key, old_revision)
    if size > _MAX_MESSAGE:
        compared = f"{size} vs. {_MAX_MESSAGE}"
        problem = f"rpc error: code = ResourceExhausted desc = trying to send message larger than max ({compared})"
        return Refusal(500, "", problem)
    return Refusal(500, "", "etcdserver: request is too large") if size + _LOGGED > _MAX_REQUEST else None


def _transaction(value: int, key: str, old_revision: int | None) -> int:
    """Return the size of the transaction that writes *value* bytes at a key with the expected revision."""
    key_field = _field(len(key.encode()))
    compare = 2 + key_field + 1 + _varint(old_revision or 0)
    put = key_field + _field(value)
    get = 0 if old_revision is None else _field(_field(key_field))
    return _field(compare) + _field(_field(put)) + get


def _field(size: int) -> int:
    """Return the size of a protobuf field with *size* bytes."""
    return 1 + _varint(size) + size


def _varint(number: int) -> int:
    return max(1, (number.bit_length() + 6) // 7)
