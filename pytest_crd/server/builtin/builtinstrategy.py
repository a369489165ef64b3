"""The strategy of a built-in kind: objects are decoded into their Go type; of many kinds only metadata and scale are validated."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.golang import decoding, structs
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import objectmetarules, objectmetavalidation
from pytest_crd.engine.metadata.objectmetarules import ObjectNaming
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import GoObjects, ObjectInterfaces
from pytest_crd.engine.registry.desiredobject import FieldManagers, ObjectDecoder, Read
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Versions
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.strategy import ObjectStrategy, PendingWrite, StoredForms, Validated
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.server.builtin import (
    autoscalerforms,
    builtingotypes,
    builtinkinds,
    builtinowners,
    defaultplugins,
    eventforms,
    finishing,
    namerules,
    partwrites,
    storedforms,
)
from pytest_crd.server.builtin.builtindecoding import Convert, TypedDecoder
from pytest_crd.server.builtin.builtinowners import BuiltInOwners, FormConverter, Merging
from pytest_crd.server.builtin.services import beginning
from pytest_crd.server.builtin.validation import kindvalidation
from pytest_crd.server.builtin.validation.validatedwrites import ValidatedWrite
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.store.store import Store

_NODES: Final = "nodes"
_EVENTS: Final = "events"
_SERVICES: Final = "services"
_BUDGETS: Final = "poddisruptionbudgets"
# Metadata fields that count for the generation.
_COUNTED: Final = {"deployments.apps": "annotations", "endpointslices.discovery.k8s.io": "labels"}
# Kinds with a generation that stays.
_CONSTANT: Final = frozenset({"priorityclasses.scheduling.k8s.io"})
# Keys of etcd that do not have the plural of their kind.
_STORAGE_PATHS: Final = {"ingresses": "ingress", "services": "services/specs"}
# Kinds with a generation that also counts empty lists and maps, which are not stored.
_STRICT: Final = frozenset({
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "networkpolicies.networking.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
})  # fmt: skip


class BuiltInKind(NamedTuple):
    """
    A built-in kind, as its strategy needs it.

    Attributes:
        group: The API group; empty for the core group.
        version: The API version.
        kind: The kind.
        plural: Its plural.
        is_namespaced: True if objects have namespaces.
        go_type: The Go type of objects.
        subresources: The subresources.
        merging: Recorded merge rules of Go types.
        convert: Changes that a server makes to each decoded object.
        default: Returns a decoded object with the defaults of its version.
        kept_by_status: Fields of the metadata that updates of the status leave unchanged; None for all.
        creates_by_update: True if an update creates an object that does not exist.
        has_generation: True if objects have a generation.
    """

    group: str
    version: str
    kind: str
    plural: str
    is_namespaced: bool
    go_type: Struct
    subresources: Subresources
    merging: Merging
    convert: Convert
    default: Callable[[dict[str, JSONValue]], dict[str, JSONValue]]
    kept_by_status: Iterable[str] | None
    creates_by_update: bool
    has_generation: bool = True


class BuiltInStrategy(ObjectStrategy):
    """The strategy of a built-in kind."""

    is_served = True
    _store: Store | None = None

    def __init__(self, kind: BuiltInKind, profile: Profile) -> None:
        """Create the strategy of a kind."""
        self.type_meta: Mapping[str, str] = {
            "apiVersion": f"{kind.group}/{kind.version}".removeprefix("/"),
            "kind": kind.kind,
        }
        self.group = kind.group
        self.plural = kind.plural
        self.is_namespaced = kind.is_namespaced
        self._resource = f"{kind.plural}.{kind.group}".removesuffix(".")
        self.deprecation_warnings = builtinkinds.DEPRECATED.get(self._resource, ())
        self._validation = kindvalidation.find(self._resource)
        self.creates_by_update = kind.creates_by_update
        self._has_generation = kind.has_generation
        self.storage_path = _STORAGE_PATHS.get(kind.plural, kind.plural)
        self.profile = profile
        kept_fields = None if kind.kept_by_status is None else frozenset(kind.kept_by_status)
        self.subresources = kind.subresources._replace(kept_by_status=kept_fields)
        self._go = GoObjects(kind.go_type, kind.default)
        self._forms = storedforms.of_kind(self.type_meta["apiVersion"], kind.kind, profile)
        merged = builtinowners.merged_lists(kind.go_type, kind.merging)
        self.decoder: ObjectDecoder = TypedDecoder(kind.go_type, self.type_meta, merged, kind.convert, profile)
        self.owners: FieldManagers = BuiltInOwners(
            lambda: self._field_manager(kind), self.type_meta["apiVersion"], self.subresources, profile
        )

    def bind(self, store: Store) -> BuiltInStrategy:
        """Return the strategy of a server with a store."""
        strategy = copy.copy(self)
        strategy._store = store  # noqa: SLF001 - of the same class
        strategy.default_plugins = defaultplugins.find(self._resource, store, self.profile)
        return strategy

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins."""

        def merge_type(resource: Resource) -> MergeType | None:
            return self.owners.of_object.merge_type(resource)

        functions = super().interfaces._replace(merge_type=merge_type, go=self._go)
        if self.plural == autoscalerforms.PLURAL:
            return functions._replace(versions=autoscalerforms.VERSIONS, convert=autoscalerforms.convert)
        if self.plural == _EVENTS:
            group = "" if self.group else eventforms.GROUP

            def convert(event: Resource, api_version: str) -> Resource:
                return {**eventforms.convert(event, api_version, self.profile), "kind": self.type_meta["kind"]}

            return functions._replace(equivalents=((group, "v1"),), convert=convert)
        return functions

    def _field_manager(self, kind: BuiltInKind) -> FieldManager:
        has_status = kind.subresources.has_status
        interfaces = self.interfaces
        # Owners of Events in the other group are unknown to a server, too.
        api_versions = [f"{kind.group}/{version}".removeprefix("/") for version in interfaces.versions]
        types = {version: builtingotypes.of_kind(version, kind.kind, self.profile) for version in api_versions}
        ignored = builtinowners.ignored(api_versions, kind.plural, kind.kept_by_status, has_status=has_status)
        kinds = {
            version: functools.partial(builtinowners.merge_type, type_, kind.merging, self.profile)
            for version, type_ in types.items()
        }
        empty = {**decoding.decode({}, kind.go_type).value, **self.type_meta}
        converter = FormConverter(types, interfaces.convert)
        versions = Versions(kind.group, kinds, is_built_in=True, converter=converter)
        return FieldManager(versions, self.type_meta, ignored, self.profile.apply, empty=empty)

    def read(self, stored: Resource, namespace: str) -> dict[str, JSONValue]:
        """Return a stored object, in *namespace* if its metadata has none."""
        metadata = {"namespace": namespace, **stored["metadata"]} if self.is_namespaced else {**stored["metadata"]}
        return {**stored, **self.type_meta, "metadata": metadata}

    def prepare(self, read: Read, live: Resource | None, request: Request, uid: str) -> PendingWrite:
        """
        Return the object with the fields that its URL may write and fields of the server, without fields of disabled features.

        A new Node keeps its status.
        """
        subresource = request.subresource
        if live is None and self.plural == _NODES:
            write = PendingWrite(dict(read.resource), live, read, subresource)
        elif live is not None and (self.plural, subresource) in partwrites.SUBRESOURCES:
            resource = partwrites.merged(self.plural, subresource, read.resource, live, self.profile)
            write = PendingWrite(resource, live, read, subresource)
        else:
            write = super().prepare(read, live, request, uid)
        value = {**self._go.type.zero, **write.resource}
        if self.plural == _SERVICES and not write.subresource:
            store = self._store
            stored = None if store is None else (entry.value for entry in store.entries(_SERVICES))
            value = beginning.begin(value, write.live, stored, self.profile, is_dry=request.dry_run)
        sent = request.body.value if write.live is None else {}
        writing = finishing.Writing(
            write.live, sent.get("metadata") or {}, uid, request.user, self.profile, write.subresource
        )
        value = finishing.finish(self._resource, value, writing)
        return write._replace(resource=self._forms.enabled(value))

    def validate(self, write: PendingWrite, _outcomes: list[RuleOutcome] | None) -> Validated:
        """Validate the object, or only its metadata and the fields of the scale if its kind is not validated."""
        if self._validation is not None:
            errors = kindvalidation.validate(self._validation, self._validated(write))
            if self._store is not None and not errors:
                defaultplugins.validate(self._resource, write, self._store, self.profile)
            return Validated(errors)
        resource, live = write.resource, write.live
        metadata, namespaced = resource["metadata"], self.is_namespaced
        if live is None:
            rule = namerules.find_rule(self._resource, resource, self.profile)
            errors = objectmetavalidation.validate_create(
                metadata, namespaced=namespaced, profile=self.profile, rule=rule
            )
            errors += self.subresources.validate_scale(resource)
            return Validated(
                errors or objectmetavalidation.validate_created(metadata, namespaced=namespaced, profile=self.profile)
            )
        errors = objectmetavalidation.validate_update(
            metadata, live["metadata"], namespaced=namespaced, profile=self.profile
        )
        errors = objectmetarules.distinct_errors(errors, self.profile)
        if write.subresource == "status":
            return Validated(errors + self.subresources.validate_status_scale(resource))
        return Validated(errors + self.subresources.validate_scale(resource))

    def group_of_errors(self, sent: Resource) -> str:
        """Return the group of the sent object; Events of both groups are objects of the core group."""
        return "" if self.plural == _EVENTS else super().group_of_errors(sent)

    def warnings(self, write: PendingWrite) -> tuple[str, ...]:
        """Return the warnings of the kind about a valid object."""
        return () if self._validation is None else self._validation.warnings(self._validated(write))

    def _validated(self, write: PendingWrite) -> ValidatedWrite:
        rule = namerules.find_rule(self._resource, write.resource, self.profile)
        naming = ObjectNaming(rule, self.is_namespaced)
        api_version = self.type_meta["apiVersion"]
        new = write.resource if self._has_generation else _with_generation(write)
        sent, subresource = write.read.decoded.sent, write.subresource
        sent = sent if isinstance(sent, Mapping) else {}
        return ValidatedWrite(new, write.live, sent, subresource, api_version, naming, self.profile)

    def store(
        self,
        write: PendingWrite,
        _system_metadata: Callable[[], Resource],
        *,
        is_read_back: bool,  # noqa: ARG002
    ) -> StoredForms:
        """Return the written and returned forms of a valid object, with the defaults that a server adds when it reads it back."""
        resource = write.resource
        if self._resource in finishing.DEFAULTED:
            resource = self._go.default({**resource})
        resource = self._forms.stored(resource)
        form = Stored.from_value(resource)
        return StoredForms(form, form)

    def increments_generation(self, write: PendingWrite) -> bool:
        """Return True if an update changes more than metadata, or metadata that count for the kind."""
        if not self._has_generation or self._resource in _CONSTANT:
            return False
        if super().increments_generation(write):
            return True
        if self._resource in _STRICT and write.live is not None:
            return structs.has_empty_part(write.read.decoded.sent, write.resource, self._go.type)
        if self.plural == _BUDGETS and write.live is not None and not write.subresource:
            # A server compares the specs before it drops reserved requirements from the selector.
            return bool(write.read.decoded.resource.get("spec") != write.live.get("spec"))
        field = _COUNTED.get(self._resource)
        if field is None or write.live is None or write.subresource:
            return False
        return bool(write.resource["metadata"].get(field) != write.live["metadata"].get(field))

    def find_first_generation(self, write: PendingWrite) -> int | None:
        """Return 1; of a kind without a generation the sent one, which a server keeps."""
        return 1 if self._has_generation else _sent_generation(write)

    def stored_size(self, stored: Resource) -> int:
        """Return the bytes of an object in etcd, where it is protobuf."""
        return len(protowriting.write(stored))


def _with_generation(write: PendingWrite) -> Resource:
    """Return the object with the generation that was sent, which a server validates and keeps if the object is new."""
    generation = _sent_generation(write)
    if write.live is not None or not generation:
        return write.resource
    return {**write.resource, "metadata": {**write.resource["metadata"], "generation": generation}}


def _sent_generation(write: PendingWrite) -> int | None:
    metadata: Resource = write.read.decoded.resource.get("metadata") or {}
    generation: int | None = metadata.get("generation")
    return generation
