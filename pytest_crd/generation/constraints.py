"""Cases about constraints: for each keyword and rule an object that just satisfies and an object that just violates the constraint."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.cases.sections import Section
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.generation import proposedcases, words
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.synthesis import boundaryvalues, objectplaces, patternvariants
from pytest_crd.synthesis.boundaries import Boundaries, Boundary, keywords
from pytest_crd.synthesis.demands import INT_OR_STRING, Demand
from pytest_crd.synthesis.placement import STATUS, PlacedValue
from pytest_crd.synthesis.rulesearch import is_failed_evaluation
from pytest_crd.synthesis.textsearch import Lengths

OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})
_NUMBERS: Final = frozenset({"integer", "number"})
# Keywords without a nearest valid value; any accepted value satisfies them.
_HELD_BY_ANY: Final = frozenset({"format", "pattern"})
_OF_TYPES: Final = frozenset({"type", "nullable"})
SPEC: Final = "spec"
_MOST_NAMED: Final = 4
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
# The maximum length of a text and number of items or fields in a case; map keys are all written out.
_MOST_OF_SIZE: Final = {
    **dict.fromkeys(("minLength", "maxLength"), 2**20),
    **dict.fromkeys(("minItems", "maxItems"), 10_000),
    **dict.fromkeys(("minProperties", "maxProperties"), 128),
}
_BOUNDS: Final = frozenset({"minimum", "maximum", "multipleOf", *_MOST_OF_SIZE})


class KeywordGroup(enum.StrEnum):
    """Groups of keywords by which cases are ordered; the values are the names in reports."""

    RULES = "rules"
    REQUIRED = "required fields"
    ENUMS = "enums"
    BOUNDS = "bounds"
    SHAPES = "patterns, formats, list types and junctors"


# Groups with cases about refused objects alone; the values of an enum have a kind of their own.
_REFUSALS_ONLY: Final = frozenset({KeywordGroup.REQUIRED, KeywordGroup.ENUMS})


def keywords_of(node: Demand, group: KeywordGroup) -> list[str]:
    """Return the keywords of *node* in *group*, spelled as in boundaries."""
    return [keyword for keyword in keywords(node) if _group_of(node, keyword) is group]


def _group_of(node: Demand, keyword: str) -> KeywordGroup | None:
    """Return the group of *keyword*; None if it declares a type, like `type` or the format of a number."""
    name = keyword.partition(" ")[0]
    if name in _OF_TYPES or (name == "format" and node.type in _NUMBERS):
        return None
    if name.startswith(RULES):
        return KeywordGroup.RULES
    if name in _BOUNDS:
        return KeywordGroup.BOUNDS
    return {"required": KeywordGroup.REQUIRED, "enum": KeywordGroup.ENUMS}.get(name, KeywordGroup.SHAPES)


def has_type_cases(place: Place, node: Demand) -> bool:
    """Return True if there are cases about types at *place*; the types of fields are tested together in their parent."""
    has_format = node.type in _NUMBERS and "format" in keywords(node)
    return bool(node.properties) or is_inner(place) or node.type == INT_OR_STRING or has_format


class Constraints:
    """
    A source of cases about the constraints of one version.

    Attributes:
        finder: The finder of boundaries and objects.
        smallest: The base object of all cases, the smallest that has a spec, without the fields that a case may omit.
        left_out: The constraints without cases, and the reasons.
        excluded: The places without any cases, also not as parts of other cases.
    """

    def __init__(self, version: engine.CrdVersion, excluded: Container[Place] = ()) -> None:
        """
        Make the base object.

        Args:
            version: The version.
            excluded: The places without any cases, also not as parts of other cases.

        Raises:
            NoExampleError: No accepted object is known.
        """
        self.left_out: list[str] = []
        self._version = version
        self.excluded = excluded
        self.finder = Boundaries(version)
        # Objects without a spec are rare, even if the schema allows them.
        placed = self.finder.existing((SPEC,)) if SPEC in self.finder.root.properties else None
        self.smallest: Mapping[str, Any] = bare(self.finder.placer.start if placed is None else placed[0])
        self._fields: dict[Place, Mapping[str, Demand]] = {
            place: node.properties for place, node in self.finder.places()
        }

    def propose(self, place: Place, node: Demand, group: KeywordGroup) -> Iterator[Proposal]:
        """Yield the cases about the keywords of one *group* at *place*."""
        names = (
            [keyword.partition(" ")[2] for keyword in keywords_of(node, group)]
            if group is KeywordGroup.REQUIRED
            else []
        )
        if (together := self._propose_missing_fields(place, names)) is not None:
            yield together
            return
        for keyword in keywords_of(node, group):
            if _is_huge(node, keyword):
                self.left_out.append(
                    f"{words.format_place(place)}: {keyword} {_limit(node, keyword):,} is too large for a case"
                )
                continue
            boundary = self.finder.find_boundary(place, keyword, is_alone=False)
            if boundary.outside is None and keyword in _MOST_OF_SIZE and (limit := _limit(node, keyword)):
                self.left_out.append(
                    f"{words.format_place(place)}: {keyword} {limit:,}, beyond which no object was found"
                )
                continue
            if group not in _REFUSALS_ONLY and keyword not in _HELD_BY_ANY:
                yield from self._inside(place, node, boundary)
            yield from self._outside(place, node, boundary)
            if group is KeywordGroup.RULES:
                yield from self._propose_deciding(place, node, boundary)
        if group is KeywordGroup.SHAPES:
            yield from self._propose_branches(place, node)

    def propose_enum_values(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield a case for each value of the enum at *place*."""
        for value in node.enum or ():
            yield from self._propose_value(place, value, f"{words.format_value(value)} is allowed")

    def propose_types(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the cases about the types of an object's fields, of an item and of the value of a map."""
        yield from self._propose_wrong_types(place, node)
        for keyword in keywords(node):
            if keyword == "format" and _group_of(node, keyword) is None:
                yield from self._outside(place, node, self.finder.find_boundary(place, keyword))
        if is_inner(place) and node.type:
            yield from self._outside(place, node, self.finder.find_boundary(place, "type"))
        yield from self._propose_int_or_string(place, node)

    def propose_null(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the cases about null as an item or as the value of a map; null fields are tested in their parent."""
        if is_inner(place) and node.type:
            boundary = self.finder.find_boundary(place, "nullable")
            yield from self._outside(place, node, boundary)
            if node.is_nullable:
                yield from self._inside(place, node, boundary)

    def propose_null_of_required(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the cases in which null counts as missing for the required fields of the object at *place*."""
        for name, child in node.properties.items():
            is_meta = not place and name in OF_RESOURCE
            is_lost = name in node.required and not is_meta and not child.is_nullable and child.default is None
            placed = self.finder.existing((*place, name)) if is_lost else None
            if placed is not None:
                yield self.proposal(
                    place, f"{words.fit(name)} must not be null", objectplaces.replace_value(*placed, None)
                )

    # Boundaries

    def _inside(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        if boundary.inside is not None:
            value = self._value(boundary.inside, place)
            name = words.describe_boundary(boundary.keyword, node.structure, value, holds=True)
            if boundary.old is None:
                yield self.proposal(place, name, boundary.inside)
            else:
                yield self.proposal(place, f"{name} when nothing changes", boundary.old, boundary.old)

    def _outside(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        if boundary.outside is None:
            return
        value = self._value(boundary.outside, place)
        name = words.describe_boundary(boundary.keyword, _with_format(node), value, holds=False)
        answer = boundary.answer
        if answer is not None and answer.accepted:
            name = "null is dropped"  # as for an optional field
        elif answer is not None and any(map(is_failed_evaluation, answer.errors)):
            name = name.replace("breaks the rule", "cannot evaluate the rule", 1)
        yield self.proposal(place, name, boundary.outside, boundary.old)

    def propose_patterns(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield cases with texts that tell a pattern from its variants, each of as many variants as possible."""
        existing = self.finder.existing(place)
        if existing is None:
            return
        pattern, boundary = node.structure["pattern"], self.finder.find_boundary(place, "pattern")
        sides = [resource for resource in (boundary.inside, boundary.outside) if resource is not None]
        known = [value for value in (self._value(resource, place) for resource in sides) if isinstance(value, str)]
        lengths = Lengths(node.least("minLength"), node.most("maxLength"))
        for text in patternvariants.choose_texts(pattern, known, lengths):
            holds = patterns.compile(pattern)(text)
            name = words.describe_boundary("pattern", node.structure, text, holds=holds)
            if holds:
                yield from self._propose_value(place, text, name)
            else:
                yield self.proposal(place, name, objectplaces.replace_value(*existing, text))

    def _propose_deciding(self, place: Place, node: Demand, boundary: Boundary) -> Iterator[Proposal]:
        """Yield cases in which single operands and quantifiers of a rule decide."""
        index = int(boundary.keyword[len(RULES) + 1 : -1])
        judge = self.finder.placer.judge(place)
        for resource, old in self.finder.find_deciding(place, index, boundary):
            answer = (judge if old is None else self.finder.placer.judge_of_change(place, old))(resource)
            name = words.describe_boundary(boundary.keyword, node.structure, None, holds=answer.accepted)
            yield self.proposal(place, name, resource, old)

    def _value(self, resource: Any, place: Place) -> Any:
        return proposedcases.at(resource, place, self._fields)

    def _propose_value(self, place: Place, value: Any, name: str) -> Iterator[Proposal]:
        placed = self.finder.place_value(place, value)
        if placed is not None:
            yield self.proposal(place, name, placed[0])

    def _propose_int_or_string(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object for each type of an int-or-string."""
        if node.type == INT_OR_STRING:
            by_type = {type(value): value for value in reversed(list(self.finder.maker.find_values(node)))}
            for value in by_type.values():
                yield from self._propose_value(place, value, f"{words.format_value(value)} is allowed")

    def _propose_branches(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object for each branch of the junctors."""
        if node.type == INT_OR_STRING:
            return
        for junctor, branch in ((name, branch) for name in _JUNCTORS for branch in node.structure.get(name) or ()):
            plain = {key: value for key, value in node.structure.items() if key != junctor}
            values = itertools.islice(self.finder.maker.find_values(Demand((plain, branch))), 6)
            attempts = (self.finder.place_value(place, value) for value in values)
            placed = next(filter(None, attempts), None)
            if placed is not None:
                value_text = words.format_value(self._value(placed[0], place))
                yield self.proposal(place, f"{value_text} fits {junctor}", placed[0])

    # Fields together

    def _propose_missing_fields(self, place: Place, names: Sequence[str]) -> Proposal | None:
        """Return a case that lacks all fields *names* at *place*; None if it is a single field or an error is missing."""
        placed = self.finder.existing(place) if len(names) > 1 and (place or not OF_RESOURCE & {*names}) else None
        if placed is None or not isinstance(value := objectplaces.get_value(*placed), Mapping):
            return None
        resource, steps = placed
        without = objectplaces.replace_value(
            resource, steps, {key: field for key, field in value.items() if key not in names}
        )
        missed = [error.path.steps for error in self.finder.placer.judge(place)(without).errors if error.path]
        if sorted(missed) != sorted((*steps, name) for name in names):
            return None
        return self.proposal(place, f"{words.join_names(names, _MOST_NAMED)} are missing", without)

    def _propose_wrong_types(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield an object in which each field has a value of a wrong type and is refused."""
        fields = {
            name: boundaryvalues.find_sides(child, "type", self.finder.maker).outside[0]
            for name, child in node.properties.items()
            if child.type and not self._is_omitted(place, node, name)
        }
        placed = self.finder.existing(place)
        if not fields or placed is None:
            return
        resource, steps = placed
        wrong = objectplaces.replace_value(resource, steps, {**objectplaces.get_value(resource, steps), **fields})
        yield self.proposal(place, "values of a wrong type", wrong)

    def _is_omitted(self, place: Place, node: Demand, name: str) -> bool:
        is_meta = (not place or node.is_embedded_resource) and name in OF_RESOURCE
        return is_meta or (*place, name) in self.excluded or (not place and name == STATUS and self._version.has_status)

    # Objects as a whole

    def propose_set(self, place: Place) -> Iterator[Proposal]:
        """Yield an object with a value at *place*."""
        placed: PlacedValue | None = self.finder.existing(place)
        if placed is not None:
            yield self.proposal(place, "may be set", placed[0])

    def is_of_status(self, place: Place) -> bool:
        """Return True if *place* is written only through the status subresource."""
        return bool(place[:1] == (STATUS,) and self._version.has_status)

    def proposal(self, place: Place, statement: str, resource: Any, old: Any = None) -> Proposal:
        """Return a case that sends *resource*, after *old* was stored if given; *statement* names the expected behaviour at *place*."""
        name = f"{words.format_place(place)}: {statement}"
        if self.is_of_status(place):
            before = self.smallest if old is None else bare(old)
            return Proposal(Section.UPDATE_STATUS, name, place, bare(resource), before)
        if old is not None:
            return Proposal(Section.UPDATE, name, place, bare(resource), bare(old))
        return Proposal(Section.CREATE, name, place, bare(resource))


def is_inner(place: Place) -> bool:
    """Return True if *place* is an item of a list or the value of a map."""
    return bool(place) and isinstance(place[-1], Each)


def _is_huge(node: Demand, keyword: str) -> bool:
    """Return True if the values at the boundary of *keyword* are too large to read."""
    most = _MOST_OF_SIZE.get(keyword)
    return most is not None and _limit(node, keyword) > most


def _limit(node: Demand, keyword: str) -> int:
    """Return the limit of a size."""
    return max(node.least(keyword), node.most(keyword) or 0)


def _with_format(node: Demand) -> Mapping[str, Any]:
    """Return the schema at a place, with a format that only a junctor declares."""
    return {"format": node.text.format, **node.structure}
