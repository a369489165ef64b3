"""Requests of a client for the objects of a built-in kind, answered without a cluster: each answer depends on the object alone."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine.client.resourceclient import ResourceClient
from pytest_crd.engine.errors.origin import Locate, Steps
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.observer import Observer
from pytest_crd.engine.registry.admission import Admission
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
from pytest_crd.engine.registry.strategy import Strategy
from pytest_crd.server.builtin.builtintypes import BuiltInType


def _find_no_line(_steps: Steps, _column: int | None) -> str:
    return ""


class BuiltInClient(ResourceClient):
    """
    Client that sends requests for the objects of a built-in kind.

    Attributes:
        resource: The name of the resource: `deployments.apps`.
        is_validated: Whether objects are validated, not only decoded.
        go_type: The Go type of objects.
        profile: The reproduced Kubernetes version.
    """

    stored_as = ""
    observer = Observer()
    admission: Admission | None = None

    def __init__(self, types: Mapping[tuple[str, str], BuiltInType], api_version: str, kind: str) -> None:
        """Create for a kind; *types* are the built-in resources by apiVersion and kind."""
        self._types = types
        self._type = types[api_version, kind].without_cluster()
        self.resource = self._type.requested
        self.is_validated = self._type.validates
        self.profile = self._type.profile

    @property
    def go_type(self) -> Struct:
        """The Go type of objects."""
        return self._type.go_type

    @property
    def locate(self) -> Locate:
        """Returns an empty text: built-in kinds have no schema in a file."""
        return _find_no_line

    @property
    def strategy(self) -> Strategy:
        """The strategy of the objects."""
        return self._type.strategy

    def answer(
        self,
        stored: Resource | None,
        request: Request,
        generated: GeneratedValues,
        _admission: Admission | None = None,
    ) -> RequestOutcome:
        """
        Return the outcome of a complete request; a stored object may have any version of its kind.

        Raises:
            RefusedError: The stored object cannot be decoded.
        """
        if stored is not None:
            type_ = self._types.get((stored["apiVersion"], stored["kind"]), self._type)
            stored = type_.without_cluster().decode_stored(stored)
        return self._type.answer(stored, request._replace(dry_run=True), generated)
