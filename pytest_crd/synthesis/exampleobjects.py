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
# How many objects are tried to have one at all.
_MOST_TRIALS: Final = 600


class NoExampleError(ValueError):
    """
    No object was found that a server accepts; the message has what it says of the nearest one.

    That none was found does not mean that there is none: rules are not solved, their parts are tried.
    """


def example(version: engine.Version, *, full: bool = False) -> Resource:
    """
    Return an object that the server creates without a word: the same one each time.

    Args:
        version: Of which version of a CRD.
        full: Whether all fields are set that may be, as far as they go together; else what must be, and nothing more. What a
            create drops, a status that is a subresource, is left out.

    Raises:
        NoExampleError: None was found.
        UnsupportedExpressionError: A rule uses what the server knows and the engine does not.
    """
    if not version.served:
        raise NoExampleError(
            f"{version.crd.name} does not serve {version.name}, so that no server creates objects of it"
        )
    maker, root = Maker(full=full), Demand.of_version(version)
    judge = repair.trying(version.unobserved.create)
    search = Search(judge, repair.acceptance, Mutator.of_version(version, root, maker).find)
    try:
        found = search.run(start(version, root, maker), most=_MOST_TRIALS)
    except NotFoundError as error:
        raise NoExampleError(
            f"no object of {version.crd.kind} {version.name} was found that a server accepts; of the nearest one it says: {error}"
        ) from None
    # Values of the schema are in it as they are.
    made: Resource = jsonvalue.copy(found if full else smallest(found, search))
    return made


def start(version: engine.Version, root: Demand, maker: Maker) -> Resource:
    """Return the object that the keywords of the schema suggest."""
    name: Any = NAME
    if (metadata := root.field("metadata")) is not None and (named := metadata.properties.get("name")) is not None:
        name = maker.first(named) or NAME
    made: Resource = {
        "apiVersion": f"{version.crd.group}/{version.name}",
        "kind": version.crd.kind,
        "metadata": {"name": name},
    }
    alternative = next(root.alternatives())
    for field, child in alternative.properties.items():
        wanted = maker.full or (field in alternative.required and child.default is None)
        if field not in made and wanted and not (field == "status" and version.has_status):
            made[field] = maker.first(child)
    return made


def smallest(resource: Resource, search: Search) -> Resource:
    """Return *resource* without whatever it is answered as wanted without."""
    for steps in reversed(list(objectplaces.all_steps(resource))):
        if not steps or steps[0] in _OF_RESOURCE:
            continue
        without = objectplaces.removed(resource, steps)
        if search.distance(search.judge(without)) is None:
            resource = without
    return resource
