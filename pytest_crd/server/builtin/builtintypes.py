"""
The kinds of Kubernetes that operators cannot do without.

They are decoded into their Go types, named, locked, patched, applied, stored and watched, and neither defaulted nor
validated; the report of a test says so.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from pytest_crd.engine.golang import decoding, repeated
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import handlers, request, scale
from pytest_crd.engine.registry.patching import patchdocuments
from pytest_crd.engine.registry.request import Making, Request, RequestOutcome
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.server.builtin import (
    builtincells,
    builtinconversions,
    builtingotypes,
    labelselectors,
)
from pytest_crd.server.http import negotiation
from pytest_crd.server.protobuf import protoreading
from pytest_crd.server.resourcetypes import Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import StoredObject
from pytest_crd.server.tables import jsonpath

if TYPE_CHECKING:
    from pytest_crd.server.builtin.builtinstrategy import BuiltInStrategy  # much that only requests that write need

_SCALE: Final = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
# The fields of events of `events.k8s.io` that are called otherwise where they are stored, with what they are called there.
_EVENT_FIELDS: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_EVENT_GROUP: Final = "events.k8s.io"
# What an update creates where it is not there.
_CREATED_BY_UPDATE: Final = frozenset({"events", "leases", "services"})
# What of the metadata requests to the status do not write.
_KEPT_BY_STATUS: Final[Mapping[str, tuple[str, ...]]] = {
    "pods": ("deletionTimestamp", "ownerReferences"),
    "deployments": ("labels",),
}
# The fields by which the objects of a resource can be selected, beside those of all.
_SELECTABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "pods": ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP"),
    "events": (
        *(f"involvedObject.{name}" for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")),
        *("reason", "reportingComponent", "source", "type"),
    ),
    "secrets": ("type",),
    "namespaces": ("status.phase",),
    "jobs": ("status.successful",),
}  # fmt: skip


class BuiltInType(ResourceType):
    """A kind of Kubernetes."""

    is_typed = True
    has_protobuf = True
    validates = False

    def __init__(self, known: Mapping[str, Any], profile: Profile) -> None:
        """
        Take what is known of it.

        Args:
            known: What was written down of it.
            profile: Whose behaviour and words.
        """
        self.group, self.version = known["group"], known["version"]
        kind = known["kind"]
        shorts, categories = tuple(known["shortNames"]), tuple(known["categories"])
        self.names = Names(known["plural"], known["singular"], kind, f"{kind}List", shorts, categories)
        self.is_namespaced = known["namespaced"]
        self.verbs = tuple(known["verbs"])
        self.shows_deleted = known["shownWhenDeleted"]
        self.subresources = tuple(self._subresource(name) for name in known["subresources"])
        self._generates = known["generates"]
        self.is_created_by_update = self.names.plural in _CREATED_BY_UPDATE
        empty = protoreading.read(b"", self.api_version, kind)
        self.blank = {key: value for key, value in empty.items() if key != "metadata"}
        self._known = known
        self.profile = profile

    @cached_property
    def _go_type(self) -> Struct:
        return builtingotypes.of_kind(self.api_version, self.names.kind, self.profile)

    @cached_property
    def _own_subresources(self) -> Subresources:
        """The subresources, as requests use them."""
        return Subresources(self.has("status"), _SCALE if self.has("scale") else None)

    @cached_property
    def _strategy(self) -> BuiltInStrategy:
        """The strategy of requests that write."""
        from pytest_crd.server.builtin import builtinstrategy  # noqa: PLC0415 - much that only such requests need

        known = builtinstrategy.BuiltInKind(
            self.group,
            self.version,
            self.names.kind,
            self.names.plural,
            self.is_namespaced,
            self._go_type,
            self._own_subresources,
            _types,
            self._converted,
            _KEPT_BY_STATUS.get(self.names.plural, ()),
            self.is_created_by_update,
        )
        return builtinstrategy.BuiltInStrategy(known, self.profile)

    @property
    def resource(self) -> str:
        """What messages call it, and where its objects are stored; events of both groups are stored together."""
        return self.names.plural if self.group == _EVENT_GROUP else super().resource

    def _subresource(self, name: str) -> SubresourceKind:
        if name == "scale":
            return SubresourceKind(name, "autoscaling", "v1", "Scale")
        return SubresourceKind(name, self.group, self.version, self.names.kind)

    def answer(self, stored: Resource | None, asked: Request, made: Making) -> RequestOutcome:
        """Return what comes of a request that writes."""
        before = None if stored is None else self._from_stored(stored)
        outcome = handlers.handle(before, asked, self._strategy, made)
        if not outcome.response.accepted:
            return outcome

        def kept() -> tuple[Resource | None, Resource | None]:
            old = asked.body.value["metadata"] if before is None else before["metadata"]
            counted = self.names.plural == "deployments" and not asked.subresource
            finish = functools.partial(self._finished, old=old, counts_annotations=counted)
            found = None if outcome.stored is None else self._to_stored(finish(outcome.stored))
            if asked.subresource == "scale":
                return found, _selecting(outcome.resource or {}, found or before or {})
            return found, finish(outcome.resource or {})

        known = None if stored is None else request.without_version(stored)
        return RequestOutcome(outcome.response, known, kept)

    def prepared(self, asked: Request) -> Request:
        """Return a request with what Go holds of a body in which a key is there twice."""
        if not asked.body.duplicates or asked.media_type != negotiation.JSON:
            return asked
        from pytest_crd.server.builtin import builtindecoding  # noqa: PLC0415 - as above

        value = repeated.merge(builtindecoding.as_sent(asked.body), self._go_type)
        return asked._replace(body=asked.body._replace(value=value))

    def _converted(self, value: dict[str, JSONValue], asked: Request | None) -> dict[str, JSONValue]:
        """Return an object that was decoded with what a server makes of it before it looks at it; *asked* is what sends it."""
        value = builtinconversions.converted(self.names.plural, value)
        metadata = value["metadata"]
        is_locked = bool(metadata.get("resourceVersion")) or self.names.plural == "leases"
        if asked is not None and asked.verb != "create" and not is_locked:
            # Of most kinds an update or a patch replaces whatever is there.
            value["metadata"] = {**metadata, "resourceVersion": asked.resource_version}
        return value

    def _finished(self, value: Resource, old: Resource, *, counts_annotations: bool) -> Resource:
        """
        Return what is stored, or shown of it, with what a server makes of it in the end.

        Args:
            value: The object.
            old: The metadata before; those that are sent where nothing was there.
            counts_annotations: Whether other annotations are another generation, too.
        """
        metadata = value.get("metadata") or {}
        if not self._generates:  # what a create says stays
            metadata = {key: one for key, one in metadata.items() if key != "generation"}
            metadata |= {"generation": old["generation"]} if old.get("generation") else {}
        elif counts_annotations and metadata.get("annotations") != old.get("annotations"):
            # Where something else has counted already, it is once.
            metadata = {**metadata, "generation": max(metadata["generation"], old.get("generation", 0) + 1)}
        value = {**self._go_type.zero, **value, "metadata": metadata}
        if self.names.plural == "namespaces":
            made = {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
            value = {**value, **{key: value.get(key) or made[key] for key in made}}
        return value

    def _from_stored(self, stored: Resource) -> Resource:
        """Return what is stored as it is in this version."""
        if self.group != _EVENT_GROUP:
            return stored
        names = {there: here for here, there in _EVENT_FIELDS.items()}
        renamed = {names.get(key, key): value for key, value in stored.items()}
        return {**decoding.decode(renamed, self._go_type).value, "apiVersion": self.api_version}

    def _to_stored(self, value: Resource) -> Resource:
        if self.group != _EVENT_GROUP:
            return value
        renamed = {_EVENT_FIELDS.get(key, key): one for key, one in value.items()}
        stored = builtingotypes.of_kind("v1", self.names.kind, self.profile)
        return {**decoding.decode(renamed, stored).value, "apiVersion": "v1"}

    def shown(self, entry: StoredObject) -> Resource:
        """Return a stored object as it is read in this version, with its resourceVersion."""
        form = entry.forms.get(self)
        if form is None:
            value = self._from_stored(entry.value)
            form = entry.forms[self] = {"kind": self.names.kind, "apiVersion": self.api_version, **value}
        shown: Resource = form
        return shown

    def scale(self, entry: StoredObject) -> Resource:
        """Return the Scale of a stored object."""
        shown = self.shown(entry)
        return _selecting(patchdocuments.plain(scale.of_resource(shown, self._own_subresources)), shown)

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table."""
        return _columns(self._row_type)

    def scale_columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of Scales."""
        return _columns("scale")

    def cells(self, shown: Resource) -> list[JSONValue]:
        """Return what stands in a row."""
        if shown["kind"] == "Scale":
            return builtincells.of_object("scale", shown)
        return builtincells.of_object(self._row_type, self._to_stored(shown))

    def row_conditions(self, shown: Resource) -> Sequence[JSONValue]:
        """Return what is said of a row beside."""
        return builtincells.conditions(self._row_type, shown)

    @property
    def _row_type(self) -> str:
        """What rows and columns are called by; events are printed as they are stored."""
        is_alone = not self.group or self.group == _EVENT_GROUP
        return self.names.plural if is_alone else f"{self.names.plural}.{self.group}/{self.version}"

    def selectable(self, shown: Resource) -> Mapping[str, str]:
        """Return the fields that a selector can ask for."""
        found = dict(super().selectable(shown))
        for path in _SELECTABLE.get(self.names.plural, ()):
            values = jsonpath.find(shown, f".{path}")
            found[path] = str(values[0]) if values else ""
        return found

    def ending(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """Return an object as one that is to be deleted; a namespace is emptied first."""
        if self.names.plural != "namespaces":
            return super().ending(value, finalizers)
        if value["metadata"].get("deletionTimestamp"):
            return value
        metadata = {**value["metadata"], "deletionTimestamp": generatedvalues.now()}
        return {**value, "metadata": metadata, "status": {**value.get("status", {}), "phase": "Terminating"}}


def _selecting(found: Resource, of: Resource) -> Resource:
    """Return the Scale of an object with what says which Pods are meant."""
    try:
        text = labelselectors.text_of((of.get("spec") or {}).get("selector") or {})
    except labelselectors.NoSelectorError:
        return found
    status = {**(found.get("status") or {}), **({"selector": text} if text else {})}
    return {**found, "status": status}


@functools.cache
def built_in(profile: Profile) -> tuple[BuiltInType, ...]:
    """Return the kinds that a server has beside custom resources."""
    return tuple(BuiltInType(known, profile) for known in _recorded()["kinds"])


@functools.cache
def _recorded() -> Mapping[str, Any]:
    """Return what `python -m oracle record builtintypes` has written down."""
    text = resources.files(__package__).joinpath("builtintypes.json").read_text(encoding="utf-8")
    content: Mapping[str, Any] = json.loads(text)
    return content


@functools.cache
def _columns(resource: str) -> tuple[TableColumn, ...]:
    """Return what `python -m oracle record builtincolumns` has written down of a resource."""
    text = resources.files(__package__).joinpath("builtincolumns.json").read_text(encoding="utf-8")
    rows = json.loads(text)[resource]
    return tuple(TableColumn(name, type_, "", told, priority, form) for name, type_, form, priority, told in rows)


def _types(name: str) -> Mapping[str, Any]:
    """Return the fields of a type that decide how it is merged; none of one of which nothing is known."""
    found: Mapping[str, Any] = _recorded()["types"].get(name, {})
    return found
