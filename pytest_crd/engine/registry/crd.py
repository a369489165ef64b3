"""The strategy of CustomResourceDefinitions: the steps of requests for CRDs themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import crdforms, declared, defaulted
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.crds.decoded import custom_resource_definition, decode_crd
from pytest_crd.engine.crds.validation import wholecrd
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import storage
from pytest_crd.engine.registry.crddecoding import CrdDecoder, DecodedCrd
from pytest_crd.engine.registry.desiredobject import FieldManagers, ObjectDecoder, Read
from pytest_crd.engine.registry.request import FIXED_VALUES, Request
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.strategy import PendingWrite, StoredForms, Validated
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds import encoded, storedcrd
    from pytest_crd.engine.registry import admission
    from pytest_crd.engine.registry.admission import DefaultPlugins, ObjectInterfaces
    from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
    from pytest_crd.engine.registry.fieldmanager.writers import Applied, Writer
    from pytest_crd.engine.registry.scaleowners import ScaleOwners
else:
    storedcrd = lazyimport.module("pytest_crd.engine.crds.storedcrd")
    encoded = lazyimport.module("pytest_crd.engine.crds.encoded")
    admission = lazyimport.module("pytest_crd.engine.registry.admission")

# The server's code to reset the metadata in updates of the status has no effect.
_SUBRESOURCES: Final = Subresources(has_status=True, kept_by_status=frozenset())
_UNTRACKED: Final = (
    "pytest-crd tracks field managers of CRDs in apiextensions.k8s.io/v1 only, not in v1beta1; "
    "write the CRD in v1, which every Kubernetes version since 1.16 accepts"
)


class CrdWrite(NamedTuple):
    """
    The forms of a CRD in a pending write.

    Attributes:
        new: The forms of the CRD, with its new metadata and status.
        old: The forms of the stored CRD; None on create.
        whole: The CRD as stored.
    """

    new: Forms
    old: Forms | None
    whole: Stored

    def encoded(self) -> JSONObject:
        """Return the CRD as stored."""
        whole: JSONObject = self.whole.value
        return whole


class CrdStrategy:
    """
    The strategy of CRDs.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go.
    """

    group = declared.GROUP
    plural = declared.PLURAL
    is_namespaced = False
    stored_size = staticmethod(storage.json_size)
    creates_by_update = False
    storage_path = ""
    subresources = _SUBRESOURCES

    def __init__(  # noqa: PLR0913 - facts about a request that are known already
        self,
        profile: Profile,
        api_version: str = declared.V1,
        *,
        sent: Forms | None = None,
        stored: Forms | None = None,
        drops_untracked_owners: bool = False,
        keep: Callable[[JSONObject, Forms], None] | None = None,
    ) -> None:
        """
        Create the strategy of an API version.

        Args:
            profile: The Kubernetes version.
            api_version: The apiVersion that requests are sent to.
            sent: The forms of the body of a create or an update, if they are known.
            stored: The forms of the stored CRD, if they are known.
            drops_untracked_owners: See `CrdManagers.drops_untracked`.
            keep: Called with each CRD to store and its forms, if they are those of its stored form; None to keep none.
        """
        self.type_meta: Mapping[str, str] = {"apiVersion": api_version, "kind": declared.KIND}
        self.is_served = profile.serves_v1beta1 or api_version != declared.V1BETA1
        self.profile = profile
        self.decoder: ObjectDecoder = CrdDecoder(profile, sent)
        self.owners: FieldManagers = CrdManagers(profile, drops_untracked_owners)
        self.default_plugins: DefaultPlugins | None = None
        self._stored = stored
        self._keep = keep

    @cached_property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for CRDs, for admission plugins."""
        go = admission.GoObjects(custom_resource_definition("v1"), lambda crd: {**defaulted.apply(crd, self.profile)})
        functions = admission.single_version(declared.V1)
        return functions._replace(merge_type=CrdManagers(self.profile).merge_type, go=go)

    @cached_property
    def deprecation_warnings(self) -> tuple[str, ...]:
        """The warning that v1beta1 is deprecated."""
        is_v1beta1 = self.type_meta["apiVersion"] == declared.V1BETA1
        return wholecrd.deprecations(self.profile, is_v1beta1=is_v1beta1)

    def calls_webhook(self, _stored: JSONObject) -> bool:
        """Return False: CRDs are not converted."""
        return False

    def read(self, stored: JSONObject, _namespace: str) -> dict[str, JSONValue]:
        """Return a stored CRD."""
        return {**stored, "metadata": {**stored["metadata"]}}

    def prepare(self, read: Read, live: JSONObject | None, request: Request, _uid: str) -> PendingWrite:
        """
        Return the CRD with the fields that the request may write, and the status that the server gives it.

        Reference:
            apiextensions-apiserver registry/customresourcedefinition/strategy.go, PrepareForCreate and PrepareForUpdate.
        """
        assert isinstance(read.decoded.typed, DecodedCrd)  # noqa: S101 - by the decoder of this strategy
        sent, metadata, compared = read.decoded.typed.forms, read.metadata, read.decoded.typed
        subresource = request.subresource
        old = None if live is None else self._stored or _forms(live, self.profile)
        if old is None:
            new = sent.prepared(metadata, defaulted.created_status(sent.defaulted))
        elif subresource == "status":
            new = old.prepared(metadata, sent.defaulted["status"])._replace(decoded=sent.decoded)
        else:
            sent.take_facts(old)
            new = sent.prepared(metadata, defaulted.updated_status(sent.defaulted, old.defaulted))
        # All but an update of the status writes the spec that field managers have compared.
        whole = (
            Stored(lambda: storedcrd.encode(new, self.profile))
            if old is not None and subresource == "status"
            else Stored(
                lambda: encoded.with_status({**compared.encoded(), "metadata": metadata}, new.defaulted["status"])
            )
        )
        typed = CrdWrite(new, old, whole)
        return PendingWrite({**new.defaulted}, live, read, subresource, typed)

    def validate(self, write: PendingWrite, _outcomes: list[RuleOutcome] | None) -> Validated:
        """
        Validate a CRD.

        Errors:
            Those of `wholecrd.create`, `wholecrd.update` and `wholecrd.update_status`.
        """
        forms = _forms_of(write)
        if forms.old is None:
            return Validated(wholecrd.create(forms.new.internal, self.profile))
        if write.subresource == "status":
            return Validated(wholecrd.update_status(forms.new.internal, forms.old.internal, self.profile))
        return Validated(wholecrd.update(forms.new.internal, forms.old.internal, self.profile))

    def group_of_errors(self, sent: JSONObject) -> str:
        """Return the group of the sent object."""
        group: str = sent["apiVersion"].rpartition("/")[0]
        return group

    def warnings(self, write: PendingWrite) -> tuple[str, ...]:
        """Return the warnings about a valid CRD; updates of the status have none."""
        if write.subresource == "status":
            return ()
        forms = _forms_of(write)
        old = None if forms.old is None else forms.old.internal
        return wholecrd.warnings(forms.new.internal, self.profile, old)

    def find_first_generation(self, _write: PendingWrite) -> int:
        """Return 1."""
        return 1

    def increments_generation(self, write: PendingWrite) -> bool:
        """Return True if an update changes the spec."""
        return write.live is not None and not jsonvalue.equal(write.encoded()["spec"], write.live["spec"])

    def store(
        self,
        write: PendingWrite,
        _system_metadata: Callable[[], JSONObject],
        *,
        is_read_back: bool,  # noqa: ARG002
    ) -> StoredForms:
        """Return the written and returned forms of a valid CRD."""
        forms = _forms_of(write)
        if self._keep is not None and jsonvalue.equal(forms.whole.value["spec"], forms.new.defaulted["spec"]):
            self._keep(forms.whole.value, forms.new)
        return StoredForms(forms.whole, forms.whole)


def as_answered(crd: Forms, profile: Profile) -> JSONObject:
    """Return a CRD as a GET returns it, with fixed values for uid, times and version unless the CRD sets them."""
    system_metadata = {
        **systemmetadata.of_created(uid=FIXED_VALUES.uid(), now=FIXED_VALUES.now()),
        "resourceVersion": "1",
    }
    metadata = {**system_metadata, **(crd.decoded.value.get("metadata") or {})}
    status = defaulted.updated_status(crd.defaulted, crd.defaulted)
    return storedcrd.encode(crd.prepared(metadata, status), profile)


def _forms(live: JSONObject, profile: Profile) -> Forms:
    """Return the forms of a stored CRD."""
    return crdforms.build(decode_crd(live, whole_paths=profile.names_fields_of_nested_schemas), profile)


def _forms_of(write: PendingWrite) -> CrdWrite:
    assert isinstance(write.typed, CrdWrite)  # noqa: S101 - by `prepare`
    return write.typed


class CrdManagers(NamedTuple):
    """
    The field managers of CRDs in v1.

    Managers that wrote in v1beta1 are not tracked.

    Attributes:
        profile: The Kubernetes version.
        drops_untracked: True to drop managed fields after a write in v1beta1, False to raise NotImplementedError.
    """

    profile: Profile
    drops_untracked: bool = False

    @property
    def of_object(self) -> CrdManagers:
        """The field manager of CRDs and their status."""
        return self

    @property
    def of_scale(self) -> ScaleOwners:
        """
        Raise LookupError: CRDs have no scale.

        Raises:
            LookupError: Always.
        """
        raise LookupError("CustomResourceDefinitions have no scale")

    @property
    def _manager(self) -> FieldManager:
        from pytest_crd.engine.registry.fieldmanager import definitionfieldmanager  # noqa: PLC0415 - slow to import, and few requests need owners

        return definitionfieldmanager.of_definitions(self.profile)

    def update(self, live: JSONObject | None, new: JSONObject, writer: Writer) -> Sequence[JSONValue]:
        """
        Return the managed fields of *new* after a create or an update.

        Raises:
            NotImplementedError: v1beta1 is involved, unless untracked managers are dropped.
        """
        sent = new["metadata"].get("managedFields") or ()
        sent_versions = {entry.get("apiVersion") for entry in sent} if self.profile.serves_v1beta1 else set()
        if {new["apiVersion"], *_api_versions(live), *(sent_versions & {declared.V1BETA1})} != {declared.V1}:
            if self.drops_untracked:
                return ()
            raise NotImplementedError(f"the managed fields of this CRD are unknown: {_UNTRACKED}")
        return self._manager.update(live, new, writer)

    def apply(self, live: JSONObject | None, applied: JSONObject, writer: Writer) -> Applied:
        """
        Return *live* with *applied*, and its managed fields.

        Raises:
            ApplyRefusedError: As in `FieldManager.apply`.
            NotImplementedError: *live* was written in v1beta1.
        """
        if live is not None and _api_versions(live) != {declared.V1}:
            raise NotImplementedError(f"the result of this apply is unknown: {_UNTRACKED}")
        return self._manager.apply(live, applied, writer)

    def merge_type(self, type_meta: JSONObject) -> MergeType | None:
        """Return the merge type of CRDs in v1; None for another apiVersion or kind."""
        return self._manager.merge_type(type_meta)


def _api_versions(crd: JSONObject | None) -> set[str]:
    """Return the API versions in which a stored CRD was written; empty without a CRD."""
    if crd is None:
        return set()
    entries = crd["metadata"].get("managedFields") or ()
    return {crd["apiVersion"], *(entry.get("apiVersion") for entry in entries)}
