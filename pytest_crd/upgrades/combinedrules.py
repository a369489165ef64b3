"""Old versions with one new rule: objects that this rule alone refuses are accepted by the old CRD and refused by the new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pytest_crd.engine import CrdVersion
from pytest_crd.engine.crds import declared
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import Boundaries, Boundary, NoExampleError, objectplaces
from pytest_crd.upgrades import objectcandidates
from pytest_crd.upgrades.objectcandidates import Candidate
from pytest_crd.upgrades.schemadifferences import Difference

_STATUS = "status"


def find_candidates(old: CrdVersion, difference: Difference, differences: Iterable[Difference]) -> Iterator[Candidate]:
    """
    Yield objects that the old CRD accepts and that a new rule alone refuses.

    Yields nothing if boundaries of the new CRD suffice: no old rule is gone, and the rule does not read a status subresource beside other fields.

    Args:
        old: The old version.
        difference: The difference of the rule.
        differences: All differences between the schemas.
    """
    is_split = old.has_status and not difference.place
    if is_split or any(_is_gone(other, difference.place) for other in differences):
        boundary = find_rule_boundary(old, difference)
        yield from () if boundary is None else objectcandidates.boundary_candidates(boundary)


def _is_gone(difference: Difference, place: Place) -> bool:
    """Return True if *difference* is an old rule that the new CRD lacks, on a value around or inside *place*."""
    length = min(len(difference.place), len(place))
    is_related = difference.place[:length] == place[:length]
    return difference.keyword == RULES and difference.after is None and is_related


def find_rule_boundary(old: CrdVersion, difference: Difference) -> Boundary | None:
    """Return the boundary of a new rule among objects that the old CRD accepts; None if the old schema has no values for the rule."""
    node = old.schema_map.at(difference.place)
    if difference.after is None or node is None or difference.versions[0] != old.name:
        return None
    schema = (*declared.place_of_schema(old.crd.declared, old.name), *schemamap.steps_of(difference.place))
    rules = [*node.rules, difference.after]
    manifest = objectplaces.replace_value(_join_status(old), (*schema, RULES), rules)
    version = old.crd.altered(manifest).version(old.name)
    try:
        return Boundaries(version).find_boundary(difference.place, f"{RULES}[{len(rules) - 1}]")
    except NoExampleError:  # the rule does not compile
        return None


def _join_status(version: CrdVersion) -> Any:
    """Return the manifest of *version* without the status subresource, so that one request writes all that a rule reads."""
    manifest = version.crd.declared
    for steps in _find_subresources(version):
        if _STATUS in (objectplaces.get_value(manifest, steps) or ()):
            manifest = objectplaces.remove_value(manifest, (*steps, _STATUS))
    return manifest


def _find_subresources(version: CrdVersion) -> Iterator[tuple[str | int, ...]]:
    spec = version.crd.declared["spec"]
    for index, entry in enumerate(spec.get("versions") or ()):
        if entry["name"] == version.name and "subresources" in entry:
            yield "spec", "versions", index, "subresources"
    if "subresources" in spec:
        yield "spec", "subresources"
