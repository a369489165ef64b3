"""
Built-in kinds of Kubernetes.

Objects are decoded into their Go types, defaulted, named, locked, patched, applied, stored and watched. Those of the kinds in
`validation.kindvalidation` are validated; for the others, the report of a test says that they are not.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

from pytest_crd.engine.golang import decoding, repeated
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import handlers, request, requestbody, scale
from pytest_crd.engine.registry.admission import ObjectInterfaces
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome, WrittenObjects
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.server.builtin import (
    autoscalerforms,
    builtincells,
    builtinconversions,
    builtindefaults,
    builtingotypes,
    builtinkinds,
    eventforms,
    labelselectors,
    partwrites,
    unservedkinds,
)
from pytest_crd.server.builtin.builtinkinds import BuiltInRecord
from pytest_crd.server.builtin.services import shownforms
from pytest_crd.server.protobuf import protoreading
from pytest_crd.server.resourcetypes import AGE, NAME, Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import StoredObject
from pytest_crd.server.tables import jsonpath

if TYPE_CHECKING:
    from pytest_crd.server.builtin.builtinstrategy import BuiltInStrategy  # a large import, needed for writes only

_SCALE: Final = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
_SERVICES: Final = "services"
_AUTOSCALER_V1: Final = "autoscaling/v1"
_WITH_FORMS: Final = frozenset({_SERVICES, "events", autoscalerforms.PLURAL})
# Metadata fields that requests to the status leave unchanged.
_KEPT_BY_STATUS: Final[Mapping[str, tuple[str, ...]]] = {
    "pods": ("deletionTimestamp", "ownerReferences"),
    "deployments": ("labels",),
}
# Kinds whose objects change the answers of a full cluster to other requests.
# The first minor version of Kubernetes 1 in which objects have a generation, by plural.
_GENERATED_SINCE: Final = {"horizontalpodautoscalers": 37}
_UNENFORCED: Final = frozenset({"APIService", "LimitRange", "ResourceQuota"})
# The labels by which the plugin PodSecurity refuses Pods or warns about them, and the value without effect.
_SECURITY: Final = tuple(f"pod-security.kubernetes.io/{mode}" for mode in ("enforce", "warn"))
_PRIVILEGED: Final = "privileged"
# Paths of selectable fields besides name and namespace, by plural, with the text of an absent value.
_SELECTABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "certificatesigningrequests": {"spec.signerName": ""},
    "clustertrustbundles": {"spec.signerName": ""},
    "events": dict.fromkeys(
        (
            *(f"involvedObject.{name}" for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")),
            *("reason", "reportingComponent", "source", "type"),
        ),
        "",
    ),
    "jobs": {"status.successful": ""},
    "namespaces": {"status.phase": ""},
    "nodes": {"spec.unschedulable": "false"},
    "podcertificaterequests": dict.fromkeys(("spec.signerName", "spec.podName", "spec.nodeName"), ""),
    "pods": dict.fromkeys(
        ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP"), ""
    ),
    "replicasets": {"status.replicas": "0"},
    "replicationcontrollers": {"status.replicas": "0"},
    "resourceslices": dict.fromkeys(("spec.nodeName", "spec.driver"), ""),
    "secrets": {"type": ""},
}  # fmt: skip


class BuiltInType(ResourceType):
    """Resource of a built-in kind."""

    is_typed = True
    has_protobuf = True
    validates = False
    _bound_strategy: BuiltInStrategy | None = None

    def __init__(self, record: BuiltInRecord, profile: Profile) -> None:
        """
        Create from a recorded kind.

        Args:
            record: The recorded kind.
            profile: The reproduced Kubernetes version.
        """
        self.group, self.version, kind = record.group, record.version, record.kind
        shorts, categories = tuple(record.shortNames), tuple(record.categories)
        self.names = Names(record.plural, record.singular, kind, f"{kind}List", shorts, categories)
        self.is_namespaced = record.namespaced
        self.verbs = tuple(record.verbs)
        self.validates = record.is_validated or self.verbs == ("create",)
        self.shows_deleted = record.shownWhenDeleted
        self.subresources = tuple(self._subresource(*row) for row in record.subresources)
        self.is_created_by_update = record.createdByUpdate
        self.warnings = builtinkinds.DEPRECATED.get(record.resource, ())
        self._record = record
        self.profile = profile

    @cached_property
    def blank(self) -> Resource:  # type: ignore[override] # computed on first use, as few servers need it
        """The fields of an empty object, except its metadata."""
        empty = protoreading.read(b"", self.api_version, self.names.kind)
        return {key: value for key, value in empty.items() if key != "metadata"}

    @cached_property
    def _go_type(self) -> Struct:
        return builtingotypes.of_kind(self.api_version, self.names.kind, self.profile)

    @cached_property
    def _own_subresources(self) -> Subresources:
        """The subresources, for the engine."""
        others = frozenset(name for plural, name in partwrites.SUBRESOURCES if plural == self.names.plural)
        scale_paths = _SCALE if self.has("scale") else None
        return Subresources(self.has("status"), scale_paths, others=others, find_selector=_find_selector)

    @property
    def strategy(self) -> BuiltInStrategy:
        """The strategy of write requests to the server of the resource; the first request binds the shared one."""
        if self._bound_strategy is None:
            self._bound_strategy = self._shared_strategy.bind(self.store)
        return self._bound_strategy

    @property
    def _shared_strategy(self) -> BuiltInStrategy:
        """The strategy that all servers share."""
        shared = self.shared
        assert isinstance(shared, BuiltInType)  # noqa: S101 - a copy of the same class
        return shared._own_strategy  # noqa: SLF001 - of the same class

    @cached_property
    def _own_strategy(self) -> BuiltInStrategy:
        from pytest_crd.server.builtin import builtinstrategy  # noqa: PLC0415 - a large import, needed for writes only

        kind = builtinstrategy.BuiltInKind(
            self.group,
            self.version,
            self.names.kind,
            self.names.plural,
            self.is_namespaced,
            self._go_type,
            self._own_subresources,
            lambda struct: builtinkinds.merge_rules(builtingotypes.name_of(struct, self.profile)),
            self._converted,
            self._default,
            None if self._record.statusKeepsMetadata else _KEPT_BY_STATUS.get(self.names.plural, ()),
            self.is_created_by_update,
            self._record.generates and self.profile.minor >= _GENERATED_SINCE.get(self.names.plural, 0),
        )
        return builtinstrategy.BuiltInStrategy(kind, self.profile)

    def without_cluster(self) -> Self:
        """Return the same resource for requests that depend on their object alone: no other objects, no admission plugins."""
        alone = copy.copy(self)
        alone._shared, alone._bound_strategy = self.shared, self._shared_strategy  # noqa: SLF001 - of the same class
        return alone

    def find_unenforced(self, written: Resource) -> str:
        """Return the kind of a written object if it changes the answers of a full cluster, or of a Namespace with such labels; else empty."""
        kind = self.names.kind
        if kind == "Namespace":
            labels = written["metadata"].get("labels") or {}
            has_security = any(labels.get(label, _PRIVILEGED) != _PRIVILEGED for label in _SECURITY)
            return "Namespace with labels for PodSecurity" if has_security else ""
        return kind if kind in _UNENFORCED else ""

    @property
    def go_type(self) -> Struct:
        """The Go type of its objects."""
        return self._go_type

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins."""
        return self._shared_strategy.interfaces

    @property
    def resource(self) -> str:
        """The name in messages and in the store; events of both groups share one."""
        return self.names.plural if self.group == eventforms.GROUP else super().resource

    def _subresource(
        self, name: str, verbs: Sequence[str], kind: str = "", group: str = "", version: str = ""
    ) -> SubresourceKind:
        if version:
            return SubresourceKind(name, group, version, kind, tuple(verbs))
        return SubresourceKind(name, self.group, self.version, kind or self.names.kind, tuple(verbs))

    def answer(self, stored: Resource | None, request_: Request, generated: GeneratedValues) -> RequestOutcome:
        """Return the outcome of a write request."""
        before = None if stored is None else self._from_stored(stored)
        outcome = handlers.handle(before, request_, self.strategy, generated, admission=self.plugins)
        if not (outcome.response.accepted and self._has_forms):
            return outcome

        def build_results() -> WrittenObjects:
            stored, answered = outcome.objects
            assert answered is not None  # noqa: S101 - the request was accepted
            stored_value = None if stored is None else self._to_stored(stored)
            return WrittenObjects(stored_value, answered if request_.subresource else self._for_clients(answered))

        before_without_version = None if stored is None else request.without_version(stored)
        return RequestOutcome(
            outcome.response, before_without_version, build_results, sent_version=outcome.sent_version
        )

    @property
    def _has_forms(self) -> bool:
        """Whether objects have another form in requests or responses than in the store."""
        return self.names.plural in _WITH_FORMS

    def _for_clients(self, value: Resource) -> Resource:
        """Return an object as clients read it."""
        return shownforms.of_service(value) if self.names.plural == _SERVICES else value

    def merge_duplicates(self, body: Body) -> Body:
        """Return a JSON body with duplicate keys resolved as Go does."""
        from pytest_crd.server.builtin import builtindecoding  # noqa: PLC0415 - as above

        return body._replace(value=repeated.merge(builtindecoding.as_sent(body), self._go_type))

    def _default(self, value: dict[str, JSONValue]) -> dict[str, JSONValue]:
        return builtindefaults.of_kind(self.api_version, self.names.kind, self.profile).default(value)

    def _converted(self, value: dict[str, JSONValue], request_: Request | None) -> dict[str, JSONValue]:
        """Return a decoded object with the server's changes; *request_* is None after an apply."""
        value = builtinconversions.converted(self.names.plural, self._default(value))
        metadata = value["metadata"]
        is_locked = bool(metadata.get("resourceVersion")) or self._record.locked
        if request_ is not None and request_.verb != "create" and not is_locked:
            # For most kinds, an update or a patch without resourceVersion replaces any state.
            value["metadata"] = {**metadata, "resourceVersion": request_.resource_version}
        return value

    def _from_stored(self, stored: Resource) -> Resource:
        """Return a stored object in this version."""
        if self.api_version == _AUTOSCALER_V1:
            form = autoscalerforms.to_v1({**stored})
            return {**decoding.decode(form, self._go_type).value, "apiVersion": self.api_version}
        return eventforms.convert(stored, eventforms.NEW, self.profile) if self.group == eventforms.GROUP else stored

    def decode_stored(self, value: Resource) -> Resource:
        """
        Return an object as it is stored, from an object as a client reads it.

        Raises:
            RefusedError: It cannot be decoded.
        """
        read = request.Request("create", requestbody.Body(value), field_validation="Ignore")
        return self._to_stored(self.strategy.decoder.decode_body(read).resource)

    def _to_stored(self, value: Resource) -> Resource:
        if self.api_version == _AUTOSCALER_V1:
            stored = builtingotypes.of_kind("autoscaling/v2", self.names.kind, self.profile)
            form = autoscalerforms.to_v2({**value})
            return {**decoding.decode(form, stored).value, "apiVersion": "autoscaling/v2"}
        return eventforms.convert(value, eventforms.STORED, self.profile) if self.group == eventforms.GROUP else value

    def read(self, entry: StoredObject) -> Resource:
        """Return a stored object in this version, with its resourceVersion."""
        form = entry.forms.get(self.shared)
        if form is None:
            value = self._for_clients(self._from_stored(entry.value))
            form = entry.forms[self.shared] = {"kind": self.names.kind, "apiVersion": self.api_version, **value}
        object_: Resource = form
        return object_

    def scale(self, entry: StoredObject) -> Resource:
        """Return the Scale of a stored object."""
        object_ = self.read(entry)
        scale_object: Resource = documents.plain(scale.of_resource(object_, self._own_subresources))
        return scale_object

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table: name and age if none are recorded."""
        return builtincells.columns_of(self._row_type) or (NAME, AGE)

    def scale_columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of Scales."""
        return builtincells.columns_of("scale")

    def cells(self, object_: Resource) -> list[JSONValue] | None:
        """Return the row of an object or Scale, or None if the columns define it."""
        if object_["kind"] == "Scale":
            return builtincells.row_cells("scale", object_)
        return (
            builtincells.row_cells(self._row_type, self._to_stored(object_))
            if builtincells.columns_of(self._row_type)
            else None
        )

    def row_conditions(self, object_: Resource) -> Sequence[JSONValue]:
        """Return the conditions of a row."""
        return builtincells.conditions(self._row_type, object_)

    @property
    def _row_type(self) -> str:
        """The key of the rows and columns; events are printed in their stored form."""
        is_alone = not self.group or self.group == eventforms.GROUP
        return self.names.plural if is_alone else f"{self.names.plural}.{self.group}/{self.version}"

    def selectable(self, object_: Resource) -> Mapping[str, str]:
        """
        Return the selectable fields of an object with their values.

        Reference:
            kubernetes pkg/registry, ToSelectableFields of each kind; pkg/apis, AddFieldLabelConversionFunc.
        """
        paths = _SELECTABLE.get(self.names.plural, {})
        own = {path: _selectable_text(jsonpath.find_values(object_, f".{path}"), text) for path, text in paths.items()}
        return {**super().selectable(object_), **own}

    def mark_deleted(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """Mark an object as being deleted; a namespace first becomes Terminating until it is empty."""
        if self.names.plural != "namespaces":
            return super().mark_deleted(value, finalizers)
        if value["metadata"].get("deletionTimestamp"):
            return value
        metadata = {**value["metadata"], "deletionTimestamp": generatedvalues.now()}
        return {**value, "metadata": metadata, "status": {**value.get("status", {}), "phase": "Terminating"}}


def _selectable_text(found: Sequence[JSONValue], absent: str) -> str:
    if not found:
        return absent
    return str(found[0]).lower() if isinstance(found[0], bool) else str(found[0])


def _find_selector(object_: Resource) -> str:
    """Return the label selector in the Scale of an object; empty without one. That of a ReplicationController has labels alone."""
    selector = (object_.get("spec") or {}).get("selector") or {}
    has_labels_alone = object_["kind"] == "ReplicationController"
    return labelselectors.text_of({"matchLabels": selector} if has_labels_alone else selector)


@functools.cache
def built_in(profile: Profile) -> tuple[BuiltInType, ...]:
    """Return the built-in resources of a server."""
    records = builtinkinds.served_records(profile)
    return tuple(BuiltInType(record, profile) for record in records if not unservedkinds.is_unserved(record))
