"""Examples: the smallest and the fullest object of a version that a server accepts."""

from __future__ import annotations

from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine import jsonvalue
from pytest_crd.synthesis import objectplaces, repair
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.repair import NotFoundError, Resource, Search
from pytest_crd.synthesis.schemavalues import NAME, Maker

_OF_RESOURCE = ("apiVersion", "kind", "metadata")
# The number of objects to try before giving up.
_MOST_TRIALS: Final = 600


class NoExampleError(ValueError):
    """
    No accepted object was found; the message has the server's answer to the nearest one.

    An accepted object may exist all the same: rules are not solved, only values from their text are tried.
    """


def example(version: engine.CrdVersion, *, full: bool = False) -> Resource:
    """
    Return an object that the server creates without warnings; the result is deterministic.

    Args:
        version: The version of a CRD.
        full: Whether all optional fields are set as far as they are compatible; else only required fields are set. Fields that a create
            drops, such as a status that is a subresource, are left out.

    Raises:
        NoExampleError: No accepted object was found.
        UnsupportedExpressionError: A rule uses a function that the engine does not support.
    """
    if not version.served:
        raise NoExampleError(
            f"{version.crd.name} does not serve {version.name}, so that no server creates objects of it"
        )
    maker, root = Maker(full=full), Demand.of_version(version)
    judge = repair.create_judge(version.unobserved.create)
    search = Search(judge, repair.acceptance, Mutator.of_version(version, root, maker).find_changes)
    try:
        accepted = search.run(make_start(version, root, maker), most=_MOST_TRIALS)
    except NotFoundError as error:
        raise NoExampleError(
            f"no object of {version.crd.kind} {version.name} was found that a server accepts; of the nearest one it says: {error}"
        ) from None
    # Parts of the object are shared with the schema.
    resource: Resource = jsonvalue.copy(accepted if full else shrink(accepted, search))
    return resource


def make_start(version: engine.CrdVersion, root: Demand, maker: Maker) -> Resource:
    """Return the object that the keywords of the schema suggest; it need not be accepted."""
    name: Any = NAME
    if (metadata := root.field("metadata")) is not None and (
        name_demand := metadata.properties.get("name")
    ) is not None:
        name = maker.first(name_demand) or NAME
    resource: Resource = {
        "apiVersion": f"{version.crd.group}/{version.name}",
        "kind": version.crd.kind,
        "metadata": {"name": name},
    }
    alternative = next(root.alternatives())
    for field, child in alternative.properties.items():
        wanted = maker.full or (field in alternative.required and child.default is None)
        if field not in resource and wanted and not (field == "status" and version.has_status):
            resource[field] = maker.first(child)
    return resource


def shrink(resource: Resource, search: Search) -> Resource:
    """Return *resource* without all parts that its answer does not need."""
    for steps in reversed(list(objectplaces.all_steps(resource))):
        if not steps or steps[0] in _OF_RESOURCE:
            continue
        without = objectplaces.remove_value(resource, steps)
        if search.distance(search.judge(without)) is None:
            resource = without
    return resource
