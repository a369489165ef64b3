"""The calls of admission plugins in a request: mutating ones before the metadata is prepared, validating ones before the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from pytest_crd.engine import fieldpath, jsonvalue
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.registry.admission import (
    Admission,
    AdmissionRequest,
    Admitted,
    DefaultPlugins,
    ObjectInterfaces,
    Operation,
    Orders,
)
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestoptions import KINDS
from pytest_crd.engine.registry.subresources import SCALE_TYPE_META

_ABSENT: Final = object()
_MANAGED: Final = ("metadata", "managedFields")
_META_VERSION: Final = "meta.k8s.io/v1"
# The default; a review has it only if the client names it.
_FIELD_VALIDATION: Final = "Warn"


class AdmittedKind(Protocol):
    """
    The kind of a request, for admission plugins.

    Attributes:
        type_meta: apiVersion and kind.
        default_plugins: The mutating plugins that every server has; None if none of them changes objects of the kind.
    """

    type_meta: Mapping[str, str]
    default_plugins: DefaultPlugins | None

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects."""


class RequestAdmission(NamedTuple):
    """
    The admission plugins of a request.

    Attributes:
        plugins: The plugins.
        request: The request.
        target: The object in the URL.
        kind: The kind of the request.
        orders: Takes the results in other orders of the plugins; None if nobody compares them.
    """

    plugins: Admission
    request: Request
    target: RequestTarget
    kind: AdmittedKind
    orders: Orders | None = None

    def mutate(self, new: Resource, old: Resource | None) -> Admitted:
        """
        Return a new object after the mutating plugins, with their warnings.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        plugins = None if self.request.subresource else self.kind.default_plugins
        return self.plugins.mutate(self._attributes(new, old)._replace(orders=self.orders, default_plugins=plugins))

    def validate(self, new: Resource, old: Resource | None) -> tuple[str, ...]:
        """
        Return the warnings of the validating plugins.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        return self.plugins.validate(self._attributes(new, old)).warnings

    def _attributes(self, new: Resource, old: Resource | None) -> AdmissionRequest:
        type_meta = self.kind.type_meta
        group, _, version = type_meta["apiVersion"].rpartition("/")
        kind = (SCALE_TYPE_META if self.request.subresource == "scale" else type_meta)["kind"]
        operation: Operation = "CREATE" if old is None else "UPDATE"
        metadata = (new if old is None else old).get("metadata") or {}
        body = self.request.body.value
        sent = body.get("metadata") if isinstance(body, dict) and old is None else None
        sent_name = sent.get("name") if isinstance(sent, dict) else None  # mutating plugins do not change it
        own_name = self.target.name or sent_name or ""
        name = own_name or metadata.get("name") or ""
        is_namespace = (group, self.target.plural) == ("", "namespaces")  # in itself, unless its name is generated
        return AdmissionRequest(
            operation,
            group,
            version,
            kind,
            self.target.plural,
            self.request.subresource,
            name,
            own_name if is_namespace else self.target.namespace or "",
            jsonvalue.copy(new),
            old,
            _options(self.request, operation),
            self.request.dry_run,
            self.request.user,
            self.kind.interfaces,
        )


def to_plugin_object(resource: Resource, metadata: Mapping[str, JSONValue], target: RequestTarget) -> Resource:
    """
    Return a decoded object of a create as plugins see it: with the namespace of the URL and without system metadata.

    Reference:
        apiserver registry/rest/meta.go, WipeObjectMetaSystemFields and EnsureObjectNamespaceMatchesRequestNamespace.
    """
    hidden = (*requestmetadata.DELETION, "selfLink", "uid", "creationTimestamp")
    kept = {key: value for key, value in metadata.items() if key not in hidden}
    if target.namespace is None:
        kept.pop("namespace", None)
    else:
        kept["namespace"] = target.namespace
    return {**resource, "metadata": kept}


def find_changes(before: Resource, after: Resource) -> tuple[SpelledPath, ...]:
    """Return the paths of the fields that differ, managed fields excepted; a list of another length is one field."""
    changed = (steps for steps in _changes((), before, after) if steps[:2] != _MANAGED)
    return tuple(map(fieldpath.unknown_field, changed))


def _changes(steps: tuple[str | int, ...], before: object, after: object) -> Iterator[tuple[str | int, ...]]:
    if jsonvalue.equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from _changes((*steps, key), before.get(key, _ABSENT), after.get(key, _ABSENT))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes((*steps, index), old, new)
    else:
        yield steps


def _options(request: Request, operation: Operation) -> dict[str, JSONValue]:
    """
    Return the options of a request for plugins; a patch has the options of a create or an update.

    Reference:
        apiserver endpoints/handlers/patch.go, patchToCreateOptions and patchToUpdateOptions.
    """
    options: dict[str, JSONValue] = {"kind": KINDS[operation.lower()], "apiVersion": _META_VERSION}
    if request.dry_run:
        options["dryRun"] = ["All"]
    if request.field_manager:
        options["fieldManager"] = request.field_manager
    if request.names_field_validation or request.field_validation != _FIELD_VALIDATION:
        options["fieldValidation"] = request.field_validation
    return options
