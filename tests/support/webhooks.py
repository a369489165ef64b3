"""Webhooks in this process, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pytest_crd.admission.chain import AdmissionChain, Reinvocation
from pytest_crd.engine.api.context import NamespaceOf
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted
from pytest_crd.engine.registry.conversion import VersionConverter


class FunctionConverter:
    """A converter that calls a function for each object."""

    def __init__(self, function: Callable[[JSONObject, str], JSONObject]) -> None:
        self._function = function
        self.calls: list[tuple[JSONObject, str]] = []

    def convert(self, resource: JSONObject, api_version: str) -> JSONObject:
        """Return the converted object."""
        self.calls.append((resource, api_version))
        return {**self._function(resource, api_version), "apiVersion": api_version}


class FunctionAdmission:
    """Admission that calls a function for each request."""

    def __init__(
        self,
        mutate: Callable[[AdmissionRequest], Admitted] | None = None,
        validate: Callable[[AdmissionRequest], Admitted] | None = None,
    ) -> None:
        self._functions = {"mutate": mutate, "validate": validate}
        self.calls: list[tuple[str, AdmissionRequest]] = []

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Call the mutating function."""
        return self._call("mutate", request)

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Call the validating function."""
        return self._call("validate", request)

    def _call(self, name: str, request: AdmissionRequest) -> Admitted:
        self.calls.append((name, request))
        function = self._functions[name]
        return Admitted(request.object) if function is None else function(request)


class _WholePlugin(NamedTuple):
    """A plugin that asks an admission."""

    admission: Admission

    def mutate(self, request: AdmissionRequest, _reinvocation: Reinvocation, warnings: list[str]) -> JSONObject | None:
        """Return the object after the admission."""
        admitted = self.admission.mutate(request)
        warnings += admitted.warnings
        return admitted.object

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        """Ask the admission."""
        warnings += self.admission.validate(request).warnings


class FixedWebhooks(NamedTuple):
    """The same converter for each CRD, and the same admission."""

    to_version: VersionConverter | None = None
    plugins: Admission | None = None

    def admission(self, _profile: Profile, _namespace_of: NamespaceOf | None = None) -> AdmissionChain | None:
        """Return a chain with the admission."""
        return None if self.plugins is None else AdmissionChain((_WholePlugin(self.plugins),))

    def converter(self, _crd: CrdSpec, _conversion: Conversion, _profile: Profile) -> VersionConverter | None:
        """Return the converter."""
        return self.to_version
