"""Comparison of a class with a CRD: accepted objects, defaults, and kept fields."""

from __future__ import annotations

import enum
import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.classes import manifests
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, FieldError, fieldpath, jsonvalue
from pytest_crd.synthesis import Boundaries, objectplaces, patternvariants
from pytest_crd.synthesis.boundaries import keywords

Steps: TypeAlias = tuple[str | int, ...]
Resource: TypeAlias = Mapping[str, Any]

# How often the values of one object are replaced.
_MOST_ROUNDS: Final = 3
# A number between two integers, and the name of a field that no schema declares.
_FRACTION: Final = 0.5
_UNKNOWN: Final = "unknownField"


class DivergenceKind(enum.StrEnum):
    """The kind of a divergence."""

    CLASS_REFUSES = "only the class refuses"
    CRD_REFUSES = "only the CRD refuses"
    CRD_DROPS = "the CRD drops"
    CLASS_LOSES = "the class loses"
    DEFAULT = "another default"
    CHANGED = "another value"


@dataclass(frozen=True, slots=True, repr=False)
class Divergence:
    """
    A difference between a class and a CRD.

    Attributes:
        kind: The kind of difference.
        path: The field: `spec.days`.
        words: The values of both, or the error of the side that refuses.
        resource: The smallest object that shows it, as it is sent.
        place: `file:line` of the keyword of the CRD; empty if it is unknown.
    """

    kind: DivergenceKind
    path: str
    words: str
    resource: Mapping[str, Any]
    place: str = ""

    def __str__(self) -> str:
        """Return it on one line, with its object."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.path}: {self.kind}: {self.words}{place}; object: {json.dumps(self.resource, ensure_ascii=False)}"

    __repr__ = __str__  # for lists in assertions of pytest


class _Class(NamedTuple):
    """
    A class that takes and gives objects.

    Attributes:
        load: Function that takes the text of an object as JSON, without conversions of types; it raises ValueError for a wrong one.
        dump: Function that returns the object of an instance.
        is_whole: Whether the class is the whole object; else the spec.
        schema: The structural schema of the whole object, as the class has it.
    """

    load: Callable[[str], Any]
    dump: Callable[[Any], Any]
    is_whole: bool
    schema: Mapping[str, Any]

    def part(self, resource: Mapping[str, Any]) -> Any:
        """Return the part of an object that the class has."""
        return resource if self.is_whole else resource.get(manifests.SPEC, {})

    def refusals(self, resource: Mapping[str, Any]) -> dict[Steps, str]:
        """Return the errors of the class about an object, by the steps to their fields; empty if it takes the object."""
        head: Steps = () if self.is_whole else (manifests.SPEC,)
        try:
            self.load(json.dumps(self.part(resource)))
        except ValueError as error:
            find_details: Callable[[], list[dict[str, Any]]] = getattr(error, "errors", list)
            details = find_details() or [{"loc": (), "msg": str(error)}]
            return {_without_branches((*head, *item["loc"]), self.schema): item["msg"] for item in details}
        return {}


def compare(model: Any, version: CrdVersion) -> tuple[Divergence, ...]:
    """
    Return the differences between a class and a version of a CRD, each with an object that shows it.

    The objects are at the boundaries of both: of each keyword of the CRD, and of each one that the schema of the class has.

    Args:
        model: A pydantic model or `TypeAdapter`; a class with a field `spec` is the whole object, any other class is the spec.
        version: The version of the CRD.

    Raises:
        CrdError: The class has something that no CRD can say; see `crd_of`.
        NoExampleError: No object is known that the CRD accepts.
        TypeError: The model is none of these.
    """
    manifest = manifests.crd_of(model, group=version.crd.group, kind=version.crd.kind, versions=version.name)
    own = CustomResourceDefinition.from_manifest(manifest).versions[0]
    comparison = _Comparison(_adapt(model, own.schema_map.schema), version, own)
    for finder in (comparison.of_crd, comparison.of_class):
        for resource in _find_objects(finder):
            comparison.judge(resource)
    for resource in _find_texts(comparison.of_crd, comparison.of_class):
        comparison.judge(resource)
    return tuple(comparison.found.values())


def _adapt(model: Any, schema: Mapping[str, Any]) -> _Class:
    is_whole = manifests.read_class(model, "class").is_whole
    if hasattr(model, "model_validate_json"):
        return _Class(functools.partial(model.model_validate_json, strict=True), _dump_model, is_whole, schema)
    if hasattr(model, "validate_json"):
        dump = functools.partial(model.dump_python, mode="json", by_alias=True, exclude_none=True)
        return _Class(functools.partial(model.validate_json, strict=True), dump, is_whole, schema)
    raise TypeError(f"{model!r} cannot take objects: pass a pydantic model, or pydantic.TypeAdapter(...)")


def _dump_model(instance: Any) -> Any:
    return instance.model_dump(mode="json", by_alias=True, exclude_none=True)


def _find_objects(finder: Boundaries) -> Iterator[Resource]:
    """Yield the objects at the boundaries of a schema, and those with values that no keyword bounds: each of an enum, a fraction, an unknown field."""
    for place, node in finder.places():
        for keyword in keywords(node):
            boundary = finder.find_boundary(place, keyword)
            is_refused = boundary.answer is not None and not boundary.answer.accepted  # else a null is dropped
            yield from (
                item for item in (boundary.inside, boundary.outside if is_refused else None) if item is not None
            )
        fractions = [node.structure.get("minimum", 0) + _FRACTION] if node.type == "number" else []
        choices = (value for alternative in node.alternatives() for value in alternative.enum or ())
        for value in (*choices, *fractions):
            if (placed := finder.place_value(place, value)) is not None:
                yield placed[0]
        if (
            node.keeps_unknown_fields
            and "properties" in node.structure
            and (placed := finder.existing(place)) is not None
        ):
            yield objectplaces.replace_value(placed[0], (*placed[1], _UNKNOWN), "a")


def _find_texts(of_crd: Boundaries, of_class: Boundaries) -> Iterator[Resource]:
    """Yield objects of the CRD with texts that only one of two different patterns for a field matches."""
    for place, node in of_crd.places():
        both = (node.structure.get("pattern"), of_class.root.at(place).structure.get("pattern"))
        if None in both or both[0] == both[1]:
            continue
        for text in {patternvariants.find_text(*both), patternvariants.find_text(*both[::-1])}:
            placed = None if text is None else of_crd.placer.insert_value(place, text)
            if placed is not None:
                yield placed[0]


class _Comparison:
    """
    A comparison of a class and a CRD.

    Attributes:
        of_crd: The finder of objects of the CRD.
        of_class: The finder of objects of the CRD that the class makes.
        found: The divergences by kind and field.
    """

    def __init__(self, adapted: _Class, version: CrdVersion, own: CrdVersion) -> None:
        self._class, self._version = adapted, version
        self.of_crd, self.of_class = Boundaries(version), Boundaries(own)
        self.found: dict[tuple[DivergenceKind, str], Divergence] = {}

    def judge(self, resource: Resource, rounds: int = _MOST_ROUNDS) -> None:
        """Add the divergences that an object shows; then judge it with accepted values at the fields that only one side refuses."""
        if not self._class.is_whole and resource.get(manifests.SPEC) is None:
            return  # the class is not about it
        answer, refusals = self._version.create(resource), self._class.refusals(resource)
        errors = {} if answer.accepted else {_steps_of(error): error for error in answer.errors}
        of_crd = {steps: error for steps, error in errors.items() if not _is_about(steps, refusals)}
        of_class = {steps: words for steps, words in refusals.items() if not _is_about(steps, errors)}
        for steps, error in of_crd.items():
            self._add(DivergenceKind.CRD_REFUSES, steps, str(error), resource, error.source)
        for steps, words in of_class.items():
            self._add(DivergenceKind.CLASS_REFUSES, steps, words, resource)
        if not errors and not refusals:
            self._compare_objects(resource, answer.stored)
        elif rounds and (of_crd or of_class):
            mended = jsonvalue.copy(resource)
            for steps, finder in (
                *((steps, self.of_crd) for steps in of_crd),
                *((steps, self.of_class) for steps in of_class),
            ):
                mended = _replace(mended, steps, finder.placer.start)
            if not jsonvalue.equal(mended, resource):
                self.judge(mended, rounds - 1)

    def _compare_objects(self, resource: Resource, stored: Resource) -> None:
        """Add the differences between the stored object and that of the class."""
        sent = self._class.part(resource)
        made = self._class.dump(self._class.load(json.dumps(sent)))
        head: Steps = () if self._class.is_whole else (manifests.SPEC,)
        for steps, of_crd, of_class in _differences(self._class.part(stored), made, ()):
            if head or steps[0] not in manifests.OF_OBJECTS:
                kind = _kind(of_crd, of_class, is_sent=_find(sent, steps) is not None)
                words = f"the CRD has {_show(of_crd)}, the class {_show(of_class)}"
                self._add(kind, (*head, *steps), words, resource)

    def _add(self, kind: DivergenceKind, steps: Steps, words: str, resource: Resource, place: str = "") -> None:
        path = fieldpath.unknown_field(steps)
        self.found.setdefault((kind, path), Divergence(kind, path, words, resource, place))


def _steps_of(error: FieldError) -> Steps:
    return error.path.steps if error.path else ()


def _is_about(steps: Steps, others: Iterable[Steps]) -> bool:
    """Return whether *others* have the field, a parent of it, or a child of it."""
    return any(steps[: len(other)] == other[: len(steps)] for other in others)


def _without_branches(steps: Steps, schema: Mapping[str, Any]) -> Steps:
    """Return the steps of an error of pydantic without the names of union branches, which are no fields of the *schema*."""
    own: list[str | int] = []
    for step in steps:
        inner = (
            schema.get("items")
            if isinstance(step, int)
            else schema.get("properties", {}).get(step, schema.get("additionalProperties"))
        )
        if inner is not None:
            own.append(step)
            schema = inner
    return tuple(own)


def _replace(resource: Resource, steps: Steps, source: Resource) -> Resource:
    """Return an object with the value of *source* at *steps*; without a value there if *source* has none."""
    value = _find(source, steps)
    if _find(resource, steps[:-1]) is None or not steps:
        return resource
    if value is not None:
        replaced: Resource = objectplaces.replace_value(resource, steps, value)
        return replaced
    removed: Resource = resource if _find(resource, steps) is None else objectplaces.remove_value(resource, steps)
    return removed


def _differences(stored: Any, made: Any, steps: Steps) -> Iterator[tuple[Steps, Any, Any]]:
    """Yield the steps and both values of each difference, None for an absent one; an absent field and null are the same."""
    if isinstance(stored, Mapping) and isinstance(made, Mapping):
        for name in dict.fromkeys((*stored, *made)):
            yield from _differences(stored.get(name), made.get(name), (*steps, name))
    elif isinstance(stored, list) and isinstance(made, list) and len(stored) == len(made):
        for index, pair in enumerate(zip(stored, made, strict=True)):
            yield from _differences(*pair, (*steps, index))
    elif not _is_same(stored, made):
        yield steps, stored, made


def _is_same(stored: Any, made: Any) -> bool:
    """Return whether two values are the same; an integer is the same as the equal float."""
    types = {type(stored), type(made)}
    return bool(stored == made) if types == {int, float} else jsonvalue.equal(stored, made)


def _kind(of_crd: Any, of_class: Any, *, is_sent: bool) -> DivergenceKind:
    """Return the kind of a difference between the stored object and that of the class."""
    if not is_sent:
        return DivergenceKind.DEFAULT
    if of_crd is None:
        return DivergenceKind.CRD_DROPS
    return DivergenceKind.CLASS_LOSES if of_class is None else DivergenceKind.CHANGED


def _find(value: Any, steps: Steps) -> Any:
    """Return the value at *steps*; None if it is absent."""
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _show(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
