"""Forms of a CustomResourceDefinition on its way through the server, each computed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from pytest_crd.engine.crds import defaulted, internal
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.golang.decoding import Decoded
from pytest_crd.engine.jsonvalue import JSONObject as Object
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import ObjectMeta, Status


class Forms(NamedTuple):
    """
    The forms of one CRD.

    Attributes:
        decoded: The decoded manifest, with its unknown fields.
        defaulted: The CRD with the server's defaults, in its own API version.
        internal: The server's internal form.
    """

    decoded: Decoded
    defaulted: Object
    internal: InternalCrd

    def prepared(self, metadata: Mapping[str, JSONValue], status: Mapping[str, JSONValue]) -> Forms:
        """Return the forms of the same CRD with *metadata* and *status* as a server sets them."""
        return Forms(
            self.decoded,
            {**self.defaulted, "metadata": metadata, "status": status},
            self.internal.prepared(cast("ObjectMeta", metadata), cast("Status", status)),
        )

    def take_facts(self, other: Forms) -> None:
        """Take over the known facts about the schemas of another CRD that these forms have too."""
        for schema in self.internal.schemas:
            for other_schema in other.internal.schemas:
                schema.take_facts(other_schema)

    def stored_as(self, live: Object, profile: Profile) -> Forms:
        """
        Return the forms of a stored CRD that differs in metadata and status alone.

        Args:
            live: The stored CRD, with the spec of these forms.
            profile: The Kubernetes version.

        Raises:
            DecodeError: Its metadata or status does not fit its type.
        """
        others = {field: value for field, value in live.items() if field != "spec"}
        state = decode_crd(others, whole_paths=profile.names_fields_of_nested_schemas).value
        spec, metadata = self.defaulted["spec"], state.get("metadata") or {}
        whole = {**state, "metadata": metadata, "spec": spec, "status": state.get("status") or {}}
        return self._replace(decoded=Decoded(whole, ())).prepared(
            metadata, defaulted.with_stored_versions(whole["status"], spec)
        )


def build(decoded: Decoded, profile: Profile) -> Forms:
    """Return the forms of a decoded CRD on a server of *profile*."""
    with_defaults = defaulted.apply(decoded.value, profile)
    return Forms(decoded, with_defaults, internal.from_defaulted(with_defaults, profile))
