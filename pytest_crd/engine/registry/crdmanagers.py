"""The field managers of CustomResourceDefinitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
    from pytest_crd.engine.registry.fieldmanager.writers import Applied, Writer
    from pytest_crd.engine.registry.scaleowners import ScaleOwners

_UNTRACKED: Final = (
    "pytest-crd tracks field managers of CRDs in apiextensions.k8s.io/v1 only, not in v1beta1; "
    "write the CRD in v1, which every Kubernetes version since 1.16 accepts"
)


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

    def update(self, live: JSONObject | None, new: JSONObject, writer: Writer) -> dict[str, JSONValue]:
        """
        Return *new* with its managed fields after a create or an update.

        Raises:
            NotImplementedError: v1beta1 is involved, unless untracked managers are dropped.
        """
        sent = new["metadata"].get("managedFields") or ()
        sent_versions = {entry.get("apiVersion") for entry in sent} if self.profile.serves_v1beta1 else set()
        if {new["apiVersion"], *_api_versions(live), *(sent_versions & {declared.V1BETA1})} != {declared.V1}:
            if self.drops_untracked:
                return {
                    **new,
                    "metadata": {key: value for key, value in new["metadata"].items() if key != "managedFields"},
                }
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
