"""
Objects of a request in the versions of webhooks and policies.

Reference:
    apiserver admission/conversion.go, VersionedAttributes.
"""

from __future__ import annotations

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import Invocation
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.golang import converting, decoding, printing
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import schemes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import scale
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError


class NotConvertedError(Exception):
    """An object that cannot be converted, with the server's message."""


class VersionedObjects:
    """
    Object and old object of a request in one version after the other, with the changes of mutating webhooks.

    Attributes:
        new: The object in the current version; None on DELETE.
        old: The old object in the current version; None on CREATE.
    """

    def __init__(self, request: AdmissionRequest, profile: Profile) -> None:
        """Create for a request, in the version of its objects."""
        self._request = request
        self._profile = profile
        self._own = matchcriteria.invocation(request, request.version)
        self._in_own = request.object
        self._current = ""
        self._is_changed = False
        self.new = request.object
        self.old = request.old_object

    @property
    def is_changed(self) -> bool:
        """Whether the object in the current version has changes that the version of the request has not."""
        return self._is_changed

    def convert(self, invocation: Invocation) -> None:
        """
        Convert the objects to the version of *invocation*.

        Raises:
            NotConvertedError: They cannot be converted.
        """
        if self._current == invocation.api_version:
            return
        if self._is_changed:
            self._in_own = self.result()
            self._is_changed = False
        self.old = self._converted(self._request.old_object, invocation)
        self.new = self._converted(self._in_own, invocation)
        if self.new is not None:  # a patch of the client may have changed the kind
            self.new = {**self.new, "kind": invocation.kind}
        self._current = invocation.api_version

    def change(self, resource: Resource) -> bool:
        """Replace the object in the current version, with its defaults; return whether it changed before them."""
        is_same = jsonvalue.equal(self.new, resource)
        self.new = resource if self._is_scale else self._request.interfaces.default(resource)
        self._is_changed = True
        return not is_same

    def result(self) -> Resource | None:
        """
        Return the object in the version of the request.

        Raises:
            NotConvertedError: It cannot be converted.
        """
        if not self._is_changed:
            return self._in_own
        return self._to_scale(self.new or {}) if self._is_scale else self._converted(self.new, self._own)

    @property
    def _is_scale(self) -> bool:
        return self._request.subresource == "scale"

    def _to_scale(self, resource: Resource) -> Resource:
        """
        Return a Scale as its Go type holds it, which is not needed before.

        Reference:
            apimachinery runtime/scheme.go, unstructuredToTyped.
        """
        api_version, kind = resource.get("apiVersion") or "", resource["kind"]
        if not api_version:
            raise NotConvertedError("Object 'apiVersion' is missing in 'unstructured object has no version'")
        if {"apiVersion": api_version, "kind": kind} != scale.TYPE_META:
            raise NotConvertedError(schemes.unregistered(kind, api_version, self._profile))
        try:
            return {**decoding.decode(converting.convert(resource, scale.SCALE), scale.SCALE).value, **scale.TYPE_META}
        except MistypedError as error:
            cannot = f"unable to convert unstructured object to {api_version}, Kind={kind}"
            raise NotConvertedError(f"{cannot}: {error}") from None

    def _converted(self, resource: Resource | None, invocation: Invocation) -> Resource | None:
        if resource is None or (resource.get("apiVersion"), resource.get("kind")) == (
            invocation.api_version,
            invocation.kind,
        ):
            return resource
        self._demand_convertible(resource, invocation)
        try:
            return self._request.interfaces.convert(resource, invocation.api_version)
        except RefusedError as refused:
            raise NotConvertedError(refused.refusal.message) from None

    def _demand_convertible(self, resource: Resource, invocation: Invocation) -> None:
        """
        Raise NotConvertedError if a webhook gave the object another group, or a version that is not served.

        Reference:
            apiextensions-apiserver apiserver/conversion/converter.go, ConvertToVersion.
        """
        sent = resource.get("apiVersion") or ""
        group, _, _ = sent.rpartition("/")
        equivalents = {declared.api_version(*equivalent) for equivalent in self._request.interfaces.equivalents}
        if equivalents & {sent, invocation.api_version}:
            return
        if group != invocation.kind_group:
            kind = f"{sent if group else f'/{sent}'}, Kind={resource.get('kind')}"
            target = printing.quote(invocation.api_version)
            raise NotConvertedError(f"{kind} is unstructured and is not suitable for converting to {target}")
        versions = (declared.api_version(group, version) for version in self._request.interfaces.versions)
        if sent not in versions:
            raise NotConvertedError(f"request to convert CR from an invalid group/version: {sent}")
