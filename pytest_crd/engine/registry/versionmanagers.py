"""Field managers of a version of custom resources, created on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import subresources
from pytest_crd.engine.registry.conversion import VersionConverter
from pytest_crd.engine.registry.served import Served

if TYPE_CHECKING:
    from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
    from pytest_crd.engine.registry.scaleowners import ScaleOwners


class VersionManagers:
    """The field managers of a version: one for objects and their status, one for their scale."""

    def __init__(
        self,
        crd: CrdSpec,
        served: Served,
        versions: Sequence[Served],
        profile: Profile,
        converter: VersionConverter | None = None,
    ) -> None:
        """
        Create for a version.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* included.
            profile: The Kubernetes version.
            converter: The conversion webhook; None if the CRD has none, or if it cannot be called.
        """
        self._converter = converter
        self._crd = crd
        self._served = served
        self._versions = versions
        self._profile = profile

    @cached_property
    def of_object(self) -> FieldManager:
        """The field manager of requests to objects and to their status."""
        from pytest_crd.engine.registry.fieldmanager import crdfieldmanager  # noqa: PLC0415 - many requests need no owners

        published = [
            crdfieldmanager.PublishedVersion(
                version.spec.name,
                version.published,
                has_status=subresources.from_declared(version.spec.subresources).has_status,
            )
            for version in self._versions
        ]
        return crdfieldmanager.of_version(self._crd, self._served.spec.name, published, self._profile, self._converter)

    @cached_property
    def of_scale(self) -> ScaleOwners:
        """The field manager of `/scale`."""
        from pytest_crd.engine.registry import scaleowners  # noqa: PLC0415 - as above

        by_version = {
            declared.api_version(self._crd.group, version.spec.name): subresources.from_declared(
                version.spec.subresources
            )
            for version in self._versions
        }
        served = declared.api_version(self._crd.group, self._served.spec.name)
        return scaleowners.of_version(served, by_version, self._profile)
