"""What answers the requests that write objects of a built-in kind: the engine, as of custom resources, but for how objects are decoded and owned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.apply.fieldmanager import FieldManager
from pytest_crd.engine.apply.versionedobjects import Versions
from pytest_crd.engine.golang import decoding
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests.customresource import CustomResources, TypedObjects
from pytest_crd.server.builtin import builtinowners
from pytest_crd.server.builtin.builtindecoding import Convert, TypedDecoder
from pytest_crd.server.builtin.builtinowners import Merging, TypedOwners


class KindFacts(NamedTuple):
    """
    What decides how objects of a kind are decoded and owned.

    Attributes:
        crd: What stands for the kind where the engine wants a CRD.
        go_type: Their Go type.
        merging: What is recorded of types.
        convert: What a server makes of each object when it has decoded it.
        kept_by_status: What of the metadata requests to the status do not write.
    """

    crd: CustomResourceDefinition
    go_type: Struct
    merging: Merging
    convert: Convert
    kept_by_status: Iterable[str]


def of_kind(facts: KindFacts, profile: Profile) -> CustomResources:
    """Return what answers requests that write objects of a kind."""
    crd, (version,) = facts.crd.answers.spec, facts.crd.answers.schemas
    type_meta = {"apiVersion": f"{crd.group}/{version.spec.name}".removeprefix("/"), "kind": crd.kind}
    merged = builtinowners.merged_lists(facts.go_type, facts.merging)
    decoder = TypedDecoder(facts.go_type, type_meta, merged, facts.convert, profile)

    def field_manager() -> FieldManager:
        has_status = version.has_status
        ignored = builtinowners.ignored(type_meta["apiVersion"], facts.kept_by_status, has_status=has_status)
        kinds = {version.spec.name: lambda: builtinowners.merge_type(facts.go_type, facts.merging, profile)}
        empty = {**decoding.decode({}, facts.go_type).value, **type_meta}
        return FieldManager(
            Versions(crd.group, kinds, is_built_in=True), type_meta, ignored, profile.apply, empty=empty
        )

    owners = TypedOwners(crd, version.as_served, profile, field_manager)
    typed = TypedObjects(decoder, owners, frozenset(facts.kept_by_status))
    return CustomResources(crd, version.as_served, [version.as_served], profile, typed)
