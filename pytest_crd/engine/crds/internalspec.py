"""
What stands in the internal form of a CustomResourceDefinition, field by field, as the type checker is to know it.

The values are those that were decoded, so each is of its type; what is empty may also be absent. How Go prints and compares them is
in `internaltypes`, which has the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypedDict

from pytest_crd.engine.jsonvalue import JSONValue

Schema: TypeAlias = Mapping[str, JSONValue]


class InternalNames(TypedDict, total=False):
    """`spec.names` and `status.acceptedNames`."""

    plural: str
    singular: str
    shortNames: list[str]
    kind: str
    listKind: str
    categories: list[str]


class Validation(TypedDict, total=False):
    """`spec.validation`, and the `schema` of a version."""

    openAPIV3Schema: Schema


class InternalScale(TypedDict, total=False):
    """The subresource `scale`."""

    specReplicasPath: str
    statusReplicasPath: str
    labelSelectorPath: str


class InternalSubresources(TypedDict, total=False):
    """The subresources of all versions, or of one."""

    status: Mapping[str, JSONValue]
    scale: InternalScale


class Column(TypedDict, total=False):
    """A column that kubectl prints."""

    name: str
    type: str
    format: str
    description: str
    priority: int
    jsonPath: str


class SelectableField(TypedDict, total=False):
    """A field by which custom resources can be selected."""

    jsonPath: str


class InternalVersion(TypedDict, total=False):
    """One of `spec.versions`."""

    name: str
    served: bool
    storage: bool
    deprecated: bool
    deprecationWarning: str
    schema: Validation | None
    subresources: InternalSubresources | None
    additionalPrinterColumns: list[Column] | None
    selectableFields: list[SelectableField] | None


class Service(TypedDict, total=False):
    """The Service of a webhook."""

    namespace: str
    name: str
    path: str
    port: int


class ClientConfig(TypedDict, total=False):
    """Where a webhook is, and whom to trust there."""

    url: str
    service: Service
    caBundle: str


class Conversion(TypedDict, total=False):
    """`spec.conversion`, in which a webhook is no field of its own."""

    strategy: str
    webhookClientConfig: ClientConfig | None
    conversionReviewVersions: list[str] | None


class Spec(TypedDict, total=False):
    """`spec`, with what all versions share above them."""

    group: str
    version: str
    names: InternalNames
    scope: str
    validation: Validation | None
    subresources: InternalSubresources | None
    versions: list[InternalVersion]
    additionalPrinterColumns: list[Column] | None
    selectableFields: list[SelectableField] | None
    conversion: Conversion | None
    preserveUnknownFields: bool


class InternalCondition(TypedDict, total=False):
    """One of `status.conditions`."""

    type: str
    status: str
    lastTransitionTime: str
    reason: str
    message: str
    observedGeneration: int


class Status(TypedDict, total=False):
    """`status`."""

    conditions: list[InternalCondition]
    acceptedNames: InternalNames
    storedVersions: list[str]
    observedGeneration: int


class ObjectMeta(TypedDict, total=False):
    """`metadata`, as far as it is looked at here."""

    name: str
    generateName: str
    annotations: dict[str, str]
    resourceVersion: str
