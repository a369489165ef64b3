"""Forms of a CustomResourceDefinition on its way through the server, each computed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from pytest_crd.engine.crds import defaulted, internal
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.internalspec import ObjectMeta, Status
from pytest_crd.engine.golang.decoding import Decoded
from pytest_crd.engine.jsonvalue import JSONObject as Object
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile


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


def build(decoded: Decoded, profile: Profile) -> Forms:
    """Return the forms of a decoded CRD on a server of *profile*."""
    with_defaults = defaulted.apply(decoded.value, profile)
    return Forms(decoded, with_defaults, internal.from_defaulted(with_defaults, profile))
