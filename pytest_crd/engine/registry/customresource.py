"""The strategy of custom resources: the steps of requests for the objects of one version of a CRD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from pytest_crd import lazyimport
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import storage, subresources
from pytest_crd.engine.registry.desiredobject import FieldManagers, ObjectDecoder
from pytest_crd.engine.registry.resourcedecoding import ResourceDecoder
from pytest_crd.engine.registry.resourcevalidation import ResourceValidator
from pytest_crd.engine.registry.storage import Storage
from pytest_crd.engine.registry.strategy import ObjectStrategy, PendingWrite, Validated
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import admission, deprecation
    from pytest_crd.engine.registry.admission import ObjectInterfaces
    from pytest_crd.engine.registry.conversion import Served, VersionConverter
    from pytest_crd.engine.registry.fieldmanager import typedvalues
    from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
    from pytest_crd.engine.registry.scaleowners import ScaleOwners
else:
    typedvalues = lazyimport.module("pytest_crd.engine.registry.fieldmanager.typedvalues")
    admission = lazyimport.module("pytest_crd.engine.registry.admission")
    deprecation = lazyimport.module("pytest_crd.engine.registry.deprecation")


class RequestedVersion(NamedTuple):
    """
    A version of a CRD that requests are sent to, with all that its answers depend on.

    Attributes:
        crd: The CRD.
        served: The version.
        versions: All versions of the CRD, *served* included.
        profile: The Kubernetes version.
        converter: The conversion webhook; None if the CRD has none, or if it cannot be called.
    """

    crd: CrdSpec
    served: Served
    versions: Sequence[Served]
    profile: Profile
    converter: VersionConverter | None = None


class CustomResourceStrategy(ObjectStrategy):
    """
    The strategy of the custom resources of one version of a CRD.

    Attributes:
        read: Returns a stored object in this version: `Storage.read`.
        read_stored_as: Returns an object that is stored in another version: `Storage.read_stored_as`.
        store: Returns the written and returned forms of a valid object: `Storage.store`.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, status_strategy.go.
    """

    stored_size = staticmethod(storage.json_size)
    creates_by_update = False
    storage_path = ""

    def __init__(self, version: RequestedVersion) -> None:
        """Create the strategy of a version."""
        crd, served, versions, profile, converter = version
        self.type_meta: Mapping[str, str] = {
            "apiVersion": declared.api_version(crd.group, served.spec.name),
            "kind": crd.kind,
        }
        self.group = crd.group
        self.plural = crd.plural
        self.is_namespaced = crd.scope == "Namespaced"
        self.is_served = served.spec.served
        self.profile = profile
        self.subresources = subresources.from_declared(served.spec.subresources)
        self._passes = {schema.spec.name: schema.passes for schema in versions}
        of_url = GroupVersionKind(crd.group, served.spec.name, crd.kind)
        self.decoder: ObjectDecoder = ResourceDecoder(of_url, self._passes, profile)
        self.owners: FieldManagers = VersionManagers(version)
        self._crd = crd
        self._served = served
        self._versions = tuple(schema.spec.name for schema in versions if schema.spec.served)
        self._storage = Storage(crd, served, versions, converter)
        self.read, self.read_stored_as, self.store = (
            self._storage.read,
            self._storage.read_stored_as,
            self._storage.store,
        )
        self._validator = ResourceValidator(crd, served, profile, self._fits)

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins."""

        def default(resource: Resource) -> Resource:
            group, _, version = (resource.get("apiVersion") or "").rpartition("/")
            if (group, resource.get("kind")) != (self._crd.group, self._crd.kind) or version not in self._passes:
                return resource
            defaulted: Resource = self._passes[version].fill_in(resource).value
            return defaulted

        def merge_type(resource: Resource) -> MergeType | None:
            return self.owners.of_object.merge_type(resource)

        return admission.ObjectInterfaces(self._versions, self._storage.convert, default, merge_type)

    @cached_property
    def deprecation_warnings(self) -> tuple[str, ...]:
        """The warnings of each response if the version is deprecated."""
        return deprecation.warnings(self._crd, self._served.spec) if self._served.spec.deprecated else ()

    def calls_webhook(self, stored: Resource) -> bool:
        """Return whether a webhook converts a stored object to this version."""
        return self._storage.calls_webhook(stored)

    def validate(self, write: PendingWrite, outcomes: list[RuleOutcome] | None) -> Validated:
        """Validate an object; append the outcomes of its rules to *outcomes* unless it is None."""
        resource, live, read = write.resource, write.live, write.read
        if live is None:
            entries = read.entries if read.decoded.is_raw else None
            return self._validator.create(resource, outcomes, entries, write.malformed)
        entries = read.entries if read.decoded.is_raw or live["metadata"].get("managedFields") else None
        if write.subresource == "status":
            return self._validator.update_status(resource, live, read.decoded.resource, outcomes, entries)
        return self._validator.update(resource, live, outcomes, entries, write.malformed)

    def _fits(self, resource: Resource) -> bool:
        """Return whether an object of this version fits the type that its field manager compares."""
        kind = cast("MergeType", self.owners.of_object.merge_type(self.type_meta))
        try:
            typedvalues.check(kind, resource, allow_duplicates=self.profile.apply.duplicates_are_tracked)
        except typedvalues.TypedError:
            return False
        return True


class VersionManagers:
    """The field managers of a version: one for objects and their status, one for their scale."""

    def __init__(self, version: RequestedVersion) -> None:
        """Create for a version."""
        self._version = version

    @cached_property
    def of_object(self) -> FieldManager:
        """The field manager of requests to objects and to their status."""
        from pytest_crd.engine.registry.fieldmanager import crdfieldmanager  # noqa: PLC0415 - many requests need no owners

        crd, served, versions, profile, converter = self._version
        published = [
            crdfieldmanager.PublishedVersion(
                version.spec.name,
                version.published,
                has_status=subresources.from_declared(version.spec.subresources).has_status,
            )
            for version in versions
        ]
        return crdfieldmanager.of_version(crd, served.spec.name, published, profile, converter)

    @cached_property
    def of_scale(self) -> ScaleOwners:
        """The field manager of `/scale`."""
        from pytest_crd.engine.registry import scaleowners  # noqa: PLC0415 - as above

        crd, served, versions, profile, _ = self._version
        by_version = {
            declared.api_version(crd.group, version.spec.name): subresources.from_declared(version.spec.subresources)
            for version in versions
        }
        return scaleowners.of_version(declared.api_version(crd.group, served.spec.name), by_version, profile)
