"""
Typed dictionaries of the internal form of a CustomResourceDefinition, for the type checker.

Decoding guarantees the types of the values; an empty value may also be absent. `internaltypes` has the same fields with
the rules by which Go prints and compares them.
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
    """A field for field selectors of custom resources."""

    jsonPath: str


class InternalVersion(TypedDict, total=False):
    """An entry of `spec.versions`."""

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
    """Address of a webhook, and the CA bundle to verify it."""

    url: str
    service: Service
    caBundle: str


class Conversion(TypedDict, total=False):
    """`spec.conversion`, with the fields of `webhook` inlined."""

    strategy: str
    webhookClientConfig: ClientConfig | None
    conversionReviewVersions: list[str] | None


class Spec(TypedDict, total=False):
    """`spec`, with the fields that all versions share."""

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
    """An entry of `status.conditions`."""

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
    """The fields of `metadata` that CRD validation reads."""

    name: str
    generateName: str
    annotations: dict[str, str]
    resourceVersion: str
