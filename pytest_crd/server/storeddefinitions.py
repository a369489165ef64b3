"""The CRDs of a store and the resources that they define, found by URL and by kind without a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.context import ConversionWebhooks, Converters, CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer
from pytest_crd.server import crdtype
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Indexer, ObjectKey, Store, StoredObject

RESOURCE: Final = f"{declared.PLURAL}.{declared.GROUP}"
# The field manager of the status of CRDs.
_SERVER: Final = "kube-apiserver"
_GROUP, _KIND = "group", "kind"
INDEXERS: Final[Mapping[str, Mapping[str, Indexer]]] = {
    RESOURCE: {
        _GROUP: lambda entry: entry.value["spec"]["group"],
        _KIND: lambda entry: (entry.value["spec"]["group"], entry.value["spec"]["names"]["kind"]),
    }
}
"""The indexes of a store, by resource: CRDs by their group, and by group and kind."""

# CRDs from files with their specs, by name: a stored CRD with an equal spec keeps the line numbers of its file.
_FromFiles: TypeAlias = "dict[str, list[tuple[JSONValue, CustomResourceDefinition]]]"


class StoredDefinitions:
    """
    The CRDs of a store.

    Parsed CRDs and their resources are forms of the stored objects, so forks of the store share them.
    """

    def __init__(self, store: Store, type_: DefinitionType, webhooks: Converters | None = None) -> None:
        """
        Create for a store.

        Args:
            store: The store.
            type_: The resource of CRDs.
            webhooks: The webhooks that the server calls; None if it calls none.
        """
        self._webhooks = None if webhooks is None else ConversionWebhooks(webhooks)
        self._store = store
        self._type = type_
        self._from_files: _FromFiles = {}

    def fork(self, store: Store) -> StoredDefinitions:
        """Return the CRDs of a fork of the store."""
        fork = StoredDefinitions(store, self._type)
        fork._webhooks, fork._from_files = self._webhooks, self._from_files
        return fork

    def install(self, crd: CustomResourceDefinition) -> None:
        """
        Store a CRD as if a client had created it.

        Raises:
            NotAcceptedError: A server refuses the CRD.
        """
        response = crd.first_response
        response.assert_accepted_as(crd.name, source=crd.source)
        value = crdtype.created(response, generatedvalues.of_request(lambda _end: True))
        value = {**value, "apiVersion": declared.V1, "spec": as_v1(value["spec"])}
        self._from_files.setdefault(crd.name, []).append((value["spec"], crd.with_webhooks(self._webhooks)))
        self._store.put(self._type.key("", crd.name), value)

    def get(self, name: str) -> StoredObject | None:
        """Return a stored CRD by its name, `plural.group`; None without one."""
        return self._store.get(ObjectKey(RESOURCE, "", name))

    def in_group(self, group: str) -> list[StoredObject]:
        """Return the stored CRDs of a group in the order of their creation."""
        return sorted(self._store.find(RESOURCE, _GROUP, group), key=lambda entry: entry.created)

    def established(self) -> list[CustomResourceDefinition]:
        """Return the established CRDs."""
        return [self.parse(entry) for entry in self._store.entries(RESOURCE) if is_established(entry.value)]

    def types(self) -> Iterator[CustomResourceType]:
        """Yield the served resources of the established CRDs, in order of the CRDs' names."""
        for entry in self._store.entries(RESOURCE):
            yield from self._serve(entry)

    def find_type(self, group: str, version: str, plural: str) -> CustomResourceType | None:
        """Return the resource of a URL, or None if no CRD serves it."""
        entry = self.get(f"{plural}.{group}")
        types = () if entry is None else self._serve(entry)
        return next((type_ for type_ in types if type_.version == version), None)

    def find_kinds(self, group: str, version: str, kind: str) -> list[CustomResourceType]:
        """Return the resources with the objects of a kind: at most one, unless CRDs disagree about it."""
        entries = self._store.find(RESOURCE, _KIND, (group, kind))
        return [type_ for entry in entries for type_ in self._serve(entry) if type_.version == version]

    def _serve(self, entry: StoredObject) -> Sequence[CustomResourceType]:
        """Return the served resources of a CRD; none before it is established."""
        types: Sequence[CustomResourceType] | None = entry.forms.get(CustomResourceType)
        if types is None:
            types = entry.forms[CustomResourceType] = self._build(entry) if is_established(entry.value) else ()
        return types

    def _build(self, entry: StoredObject) -> Sequence[CustomResourceType]:
        crd, spec, is_ending = self.parse(entry), entry.value["spec"], self._is_closed(entry)
        served = (version for version in crd.versions if version.served)
        return tuple(CustomResourceType(crd, version, spec, is_terminating=is_ending) for version in served)

    def _is_closed(self, entry: StoredObject) -> bool:
        """
        Return whether the server refuses to create objects of a CRD.

        Reference:
            apiextensions-apiserver apiserver/customresource_handler.go, ServeHTTP.
        """
        if self._type.profile.closes_deleted_crds and entry.value["metadata"].get("deletionTimestamp"):
            return True
        return find_condition(entry.value, "Terminating").get("status") == "True"

    def parse(self, entry: StoredObject) -> CustomResourceDefinition:
        """Return a stored CRD in the form of the engine."""
        crd: CustomResourceDefinition | None = entry.forms.get(CustomResourceDefinition)
        if crd is None:
            crd = entry.forms[CustomResourceDefinition] = self._find_file(entry) or self._parse(entry)
        return crd

    def _find_file(self, entry: StoredObject) -> CustomResourceDefinition | None:
        """Return the CRD of a file with the spec of a stored CRD; None without one."""
        spec, files = entry.value["spec"], self._from_files.get(entry.key.name, ())
        return next((crd for file_spec, crd in files if file_spec is spec or jsonvalue.equal(file_spec, spec)), None)

    def _parse(self, entry: StoredObject) -> CustomResourceDefinition:
        context = CrdContext(Observer(), webhooks=self._webhooks)
        version = self._type.kubernetes_version
        forms = self._type.find_forms(entry.value)
        if forms is not None:
            return CustomResourceDefinition(CrdAnswers(forms.decoded, self._type.profile, None, forms), context)
        crd = CustomResourceDefinition.from_value(entry.value, kubernetes_version=version, context=context)
        self._type.keep_forms(entry.value, crd.answers.forms)
        return crd

    def put(self, entry: StoredObject, value: Resource) -> None:
        """Store a CRD with a changed status, owned by the server if the CRD has managed fields."""
        if entry.value["metadata"].get("managedFields"):
            from pytest_crd.engine.registry.fieldmanager import definitionfieldmanager, fieldmanager, writers  # noqa: PLC0415 - few CRDs have owners

            manager = definitionfieldmanager.of_definitions(self._type.profile)
            writer = writers.Writer(_SERVER, generatedvalues.now(), "status")
            value = fieldmanager.with_entries(value, manager.update(entry.value, value, writer))
        new = self._store.put(entry.key, value)
        new.forms[CustomResourceDefinition] = self.parse(entry)  # the spec is unchanged


def is_established(value: Resource) -> bool:
    """Return whether the server serves the objects of a CRD."""
    return bool(find_condition(value, "Established").get("status") == "True")


def find_condition(value: Resource, kind: str) -> Mapping[str, Any]:
    """Return a condition of a CRD; empty without it."""
    conditions = value["status"].get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == kind), {})


def as_v1(spec: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """
    Return the spec of a CRD in the form of `apiextensions.k8s.io/v1`, the only served one.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/conversion.go.
    """
    shared = ("validation", "subresources", "additionalPrinterColumns", "version")
    defaults = {key: spec[key] for key in shared if spec.get(key) is not None}
    if not defaults:
        return dict(spec)
    converted = {key: value for key, value in spec.items() if key not in shared}
    versions = spec.get("versions") or [{"name": spec["version"], "served": True, "storage": True}]
    converted["versions"] = [_version_as_v1(version, defaults) for version in versions]
    return converted


def _version_as_v1(version: Mapping[str, JSONValue], defaults: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a version with the top-level *defaults* of a v1beta1 spec, and with its columns in the spelling of v1."""
    names = {
        "validation": "schema",
        "subresources": "subresources",
        "additionalPrinterColumns": "additionalPrinterColumns",
    }
    converted = {**{names[key]: value for key, value in defaults.items() if key in names}, **version}
    if columns := converted.get("additionalPrinterColumns"):
        converted["additionalPrinterColumns"] = [
            {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()} for column in columns
        ]
    return converted
