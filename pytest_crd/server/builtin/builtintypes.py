"""
The kinds of Kubernetes that operators cannot do without.

They are stored, named, locked, patched, applied and watched, and neither pruned, defaulted nor validated: of these the engine knows nothing,
and whoever serves them says so. To the engine they are custom resources of a CRD that demands nothing, and has the list types that servers publish.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.crds import declared
from pytest_crd.engine.definitions.context import CrdContext
from pytest_crd.engine.definitions.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import applying, request, scale
from pytest_crd.engine.requests.patching import documents, mediatypes
from pytest_crd.engine.requests.request import Making, Request, RequestOutcome
from pytest_crd.engine.requests.requestbody import Body
from pytest_crd.server import jsonpath, making, statuses
from pytest_crd.server.builtin import builtincells, labelselectors, strategicpatches
from pytest_crd.server.protobuf import protoreading
from pytest_crd.server.resourcetypes import Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store import StoredObject

_OPEN: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SCALE: Final = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
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
_CREATED_BY_UPDATE: Final = frozenset({"events", "leases"})
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
        self._fields = _types(known["type"])
        self._of = _crd(known, profile).versions[0]

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
        asked = asked._replace(body=self._converted(asked.body)) if asked.verb != "patch" else asked
        if asked.verb == "update":
            asked = self._updating(asked, is_there=before is not None)
        if asked.verb == "patch" and asked.media_type == mediatypes.STRATEGIC_MERGE_PATCH:
            is_there = before is not None
            asked = self._merged(before or {}, asked) if is_there else asked._replace(media_type=mediatypes.MERGE_PATCH)
        outcome = self._of.answer(before, asked, made)
        if not outcome.response.accepted:
            return outcome

        def kept() -> tuple[Resource | None, Resource | None]:
            found = None if outcome.stored is None else self._to_stored(self._finished(outcome.stored))
            if asked.subresource == "scale":
                return found, _selecting(outcome.resource or {}, found or before or {})
            shown = self._finished(outcome.resource or {})
            return found, shown

        known = None if stored is None else request.without_version(stored)
        return RequestOutcome(outcome.response, known, kept)

    def _updating(self, asked: Request, *, is_there: bool) -> Request:
        """Return an update as a server takes it: most kinds need no resourceVersion, and some are created by it."""
        value = asked.body.value
        metadata = value.get("metadata") if isinstance(value, dict) else None
        if not is_there:
            is_of_url = isinstance(metadata, dict) and metadata.get("name") == asked.name
            return asked._replace(verb="create", name="") if self.is_created_by_update and is_of_url else asked
        if self.names.plural == "leases" or not isinstance(metadata, dict) or metadata.get("resourceVersion"):
            return asked
        versioned = {**value, "metadata": {**metadata, "resourceVersion": asked.resource_version}}
        return asked._replace(body=asked.body._replace(value=versioned))

    def _merged(self, before: Resource, asked: Request) -> Request:
        """Return a strategic merge patch as the update that it comes to."""
        patch = json.loads(asked.body.text)
        if not isinstance(patch, dict | None):
            raise statuses.bad_request(applying.no_map(patch))
        value = strategicpatches.merge(before, patch or {}, strategicpatches.of_kind(self._fields), _types)
        value["metadata"] = {"resourceVersion": asked.resource_version, **(value.get("metadata") or {})}
        return asked._replace(verb="update", body=Body(value), media_type="application/json")

    def _converted(self, body: Body) -> Body:
        """Return what is sent with what a server makes of it before it is looked at."""
        value = dict(body.value)
        if self.names.plural == "secrets" and isinstance(value.get("stringData"), dict):
            encoded = {
                key: base64.b64encode(str(text).encode()).decode() for key, text in value.pop("stringData").items()
            }
            value["data"] = {**(value.get("data") or {}), **encoded}
        metadata = value.get("metadata")
        if self.names.plural == "namespaces" and isinstance(metadata, dict) and metadata.get("name"):
            labels = {**(metadata.get("labels") or {}), _NAME_LABEL: metadata["name"]}
            value["metadata"] = {**metadata, "labels": labels}
        return Body(value, duplicates=body.duplicates)

    def _finished(self, value: Resource) -> Resource:
        """Return what is stored, or shown of it, with what a server makes of it in the end."""
        metadata = value.get("metadata") or {}
        if not self._generates and "generation" in metadata:
            metadata = {key: one for key, one in metadata.items() if key != "generation"}
        value = {**value, "metadata": metadata}
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
        return {**renamed, "apiVersion": self.api_version}

    def _to_stored(self, value: Resource) -> Resource:
        if self.group != _EVENT_GROUP:
            return value
        renamed = {_EVENT_FIELDS.get(key, key): one for key, one in value.items()}
        return {**renamed, "apiVersion": "v1"}

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
        return _selecting(documents.plain(scale.of_resource(shown, self._of.subresources)), shown)

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table."""
        return _columns(self._row_type)

    def scale_columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of Scales."""
        return _columns("scale")

    def cells(self, shown: Resource) -> list[JSONValue]:
        """Return what stands in a row."""
        if shown["kind"] == "Scale":
            return builtincells.of_object("scale", shown, len(self.scale_columns()))
        return builtincells.of_object(self._row_type, self._to_stored(shown), len(self.columns()))

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
        metadata = {**value["metadata"], "deletionTimestamp": making.now()}
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


def _crd(known: Mapping[str, Any], profile: Profile) -> CustomResourceDefinition:
    """Return a CRD that demands nothing of its objects, and merges them as a kind is merged."""
    plural, kind = known["plural"], known["kind"]
    has = known["subresources"]
    subresources: JSONValue = ({"status": {}} if "status" in has else {}) | (
        {"scale": _SCALE} if "scale" in has else {}
    )
    schema = _schema(known["type"])
    version = {"name": known["version"], "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    value: JSONValue = {
        "apiVersion": declared.V1,
        "kind": declared.KIND,
        "metadata": {"name": f"{plural}.{known['group']}"},
        "spec": {
            "group": known["group"],
            "scope": "Namespaced" if known["namespaced"] else "Cluster",
            "names": {"kind": kind, "plural": plural, "singular": known["singular"], "listKind": f"{kind}List"},
            "versions": [{**version, "subresources": subresources}],
        },
        "status": {},
    }
    context = CrdContext(observer=Observer())  # of whose requests nobody is told: they are about no CRD of the project
    return CustomResourceDefinition.from_value(value, kubernetes_version=profile.version, context=context)


def _schema(type_: str) -> JSONValue:
    """Return the schema of a type: any object, of which some lists and objects are merged in a way of their own."""
    fields = _types(type_)
    if fields.get(".", {}).get("map") == "atomic":
        return {**_OPEN, "x-kubernetes-map-type": "atomic"}
    return {**_OPEN, "properties": {name: _of_field(node) for name, node in fields.items()}}


def _of_field(node: Mapping[str, Any]) -> JSONValue:
    of_type = _schema(node["type"]) if "type" in node else None
    if "list" not in node and "patchKey" not in node:
        if node.get("map") == "atomic":
            return {**_OPEN, "x-kubernetes-map-type": "atomic"}
        # Of a list or a map of such objects each is merged as a whole.
        return of_type if of_type is not None else {"x-kubernetes-preserve-unknown-fields": True}
    if node.get("list") != "map":
        return {"type": "array", "x-kubernetes-list-type": node.get("list", "atomic"), "items": {"type": "string"}}
    keys, defaults = node["keys"], node["defaults"]
    stated = {key: {"default": defaults[key]} for key in keys if defaults.get(key)}
    properties = {key: {"x-kubernetes-preserve-unknown-fields": True, **stated.get(key, {})} for key in keys}
    items = {**_OPEN, **(of_type or {})}
    items["properties"] = {**properties, **(items.get("properties") or {})}
    return {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items}
