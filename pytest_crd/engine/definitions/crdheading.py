"""The heading of a CRD: what is asked of each CRD of a project, most of which are asked nothing else."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine.crds.nameconflicts import ClaimedNames
from pytest_crd.engine.jsonvalue import JSONValue


class VersionHeading(NamedTuple):
    """
    What is asked of each version.

    Attributes:
        name: `v1`.
        served: Whether the server answers requests for it.
        storage: Whether objects are stored in it.
    """

    name: str
    served: bool
    storage: bool


class CrdHeading(NamedTuple):
    """
    What is asked of each CRD.

    Attributes:
        name: `crontabs.stable.example.com`.
        group: The API group.
        kind: The kind of its custom resources.
        scope: `Namespaced` or `Cluster`.
        api_version: In which the CRD itself is written.
        declared_names: `spec.names`, as it is written.
        names: The same with the server's defaults.
        versions: All versions, in the order of the manifest.
    """

    name: str
    group: str
    kind: str
    scope: str
    api_version: str
    declared_names: ClaimedNames
    names: ClaimedNames
    versions: tuple[VersionHeading, ...]

    @classmethod
    def of_json(cls, value: JSONValue) -> CrdHeading:
        """Return the heading that has become *value* in JSON."""
        heading = cls(*value)
        return heading._replace(versions=tuple(VersionHeading(*one) for one in heading.versions))
