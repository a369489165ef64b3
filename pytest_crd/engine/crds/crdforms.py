"""The forms that a CustomResourceDefinition has on its way through the server, each made once."""

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
        decoded: As it is decoded, with its unknown fields.
        defaulted: With the server's defaults, in the API version in which it came.
        internal: In the internal form of the server.
    """

    decoded: Decoded
    defaulted: Object
    internal: InternalCrd

    def prepared(self, metadata: Mapping[str, JSONValue], status: Mapping[str, JSONValue]) -> Forms:
        """Return the forms of the same CRD with the *metadata* and the *status* that a server gives it."""
        return Forms(
            self.decoded,
            {**self.defaulted, "metadata": metadata, "status": status},
            self.internal.prepared(cast("ObjectMeta", metadata), cast("Status", status)),
        )


def of_decoded(decoded: Decoded, profile: Profile) -> Forms:
    """Return the forms of a CRD as a server of *profile* makes them."""
    with_defaults = defaulted.apply(decoded.value, profile)
    return Forms(decoded, with_defaults, internal.from_defaulted(with_defaults, profile))
