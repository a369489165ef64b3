"""Comparison of a class with a CRD: accepted objects, defaults, and kept fields."""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.classes import differences, loading, manifests, probes
from pytest_crd.classes.divergences import Divergence, DivergenceKind
from pytest_crd.classes.loading import LoadedClass, Steps
from pytest_crd.classes.probes import Probe
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, FieldError, Response, fieldpath, jsonvalue
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.inputerror import WrongTypeError
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.recentanswers import RecentAnswers


def find_other(steps: tuple[str | int, ...], of_crd: Demand, of_class: Demand) -> str:
    """Return words about the name of a field on the side without the field; empty without a similar name."""
    if not steps or isinstance(steps[-1], int):
        return ""
    *outer, name = steps
    fields = {"the CRD": of_crd.at(outer).properties, "the class": of_class.at(outer).properties}
    for side, opposite in (("the CRD", "the class"), ("the class", "the CRD")):
        if name in fields[side] and name not in fields[opposite]:
            return _describe(str(name), opposite, fields[opposite], fields[side])
    return ""


def _describe(name: str, side: str, fields: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    spellings = (field for field in fields if field not in known and _normalize(field) == _normalize(name))
    return next((f"; {side} has the name {field}" for field in spellings), "")


def _normalize(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


Resource: TypeAlias = Mapping[str, Any]

# How often the values of one object are replaced.
_MOST_ROUNDS: Final = 3
# An absent list or map is the same as an empty one.
_EMPTY: Final[tuple[Any, ...]] = (None, [], {})
_LOSSES: Final = frozenset({DivergenceKind.CRD_DROPS, DivergenceKind.CLASS_LOSES})


class _Error(NamedTuple):
    """
    An error of a server.

    Attributes:
        words: Its text.
        place: `file:line` of the keyword.
        is_of_union: Whether no branch of a junctor takes the value, so that errors inside of it are about single branches.
        is_duplicate: Whether it is about an item that stands twice in a list.
    """

    words: str
    place: str = ""
    is_of_union: bool = False
    is_duplicate: bool = False


class _Difference(NamedTuple):
    """A difference between the stored object and the dumped one."""

    kind: DivergenceKind
    words: str


class _Outcome(NamedTuple):
    """
    The answers of both sides to an object.

    Attributes:
        errors: The errors of the server.
        refusals: The errors of the class.
        differences: The differences if both take the object.
    """

    errors: Mapping[Steps, _Error]
    refusals: Mapping[Steps, str]
    differences: Mapping[Steps, _Difference]

    @property
    def is_taken(self) -> bool:
        """Whether both sides take the object."""
        return not self.errors and not self.refusals


def compare(model: Any, version: CrdVersion) -> tuple[Divergence, ...]:
    """
    Return the differences between a class and a version of a CRD, each with an object that shows it.

    The objects are at the boundaries of both: of each keyword of the CRD, and of each keyword that the schema of the class has.
    If hypothesis is installed, it draws 25 more of each side, always the same.

    Args:
        model: A pydantic model or `TypeAdapter`; or a tuple `(load, dump)` or `(load, dump, schema)` for another class: `load` takes the
            value of an object, and raises an exception for a wrong one; `dump` returns a value from the result of `load`; `schema` is the
            JSON Schema of the class. A class with a field `spec` in its schema is the whole object, any other class is the spec.
        version: The version of the CRD.

    Raises:
        CrdError: The class has something that no CRD can say; see `crd_of`.
        NoExampleError: No object is known that the CRD accepts.
        TypeError: The model is none of these, or the CRD has no spec.
    """
    if manifests.SPEC not in version.schema_map.properties:
        raise WrongTypeError(
            f"{version.crd.name} {version.name} has no field spec, so that no class is compared with it"
        )
    loaded = loading.load_class(model, version.crd.kind)
    own = None
    if loaded.read is not None:
        manifest = manifests.make_manifest(
            loaded.read, version.crd.group, [version.name], kind=version.crd.kind, scope=str(version.crd.scope)
        )
        own = Boundaries(CustomResourceDefinition.from_manifest(manifest).versions[0])
    return _Comparison(loaded, version, own).run()


class _Comparison:
    """A comparison of a class and a CRD."""

    def __init__(self, loaded: LoadedClass, version: CrdVersion, own: Boundaries | None) -> None:
        """Create it with the class, the version of the CRD, and the finder of objects of the CRD that the class makes."""
        self._class, self._version = loaded, version.unobserved
        self._create = RecentAnswers(self._version.create)
        self._of_crd = Boundaries(version)
        self._of_class = own or self._of_crd
        self._schema = self._of_class.placer.version.schema_map.schema
        self._found: dict[tuple[DivergenceKind, Place], Divergence] = {}

    def run(self) -> tuple[Divergence, ...]:
        """Return the divergences, from the probes of the CRD, then from further probes of the class."""
        has_schema = self._of_class is not self._of_crd
        searches = [(self._of_crd, None), *([(self._of_class, self._of_crd)] if has_schema else [])]
        for finder, _ in searches:
            self._judge(finder.placer.start)
        for finder, searched in searches:
            for group in probes.find_groups(finder, searched):
                self._judge_group(group)
            for resource in probes.find_objects(finder, searched):
                self._judge(resource)
        if importlib.util.find_spec("hypothesis") is not None:
            for finder, _ in searches:
                self._judge_draws(finder)
        missing = [place for kind, place in self._found if self._is_missing(kind, place)]
        return tuple(
            divergence
            for (kind, place), divergence in self._found.items()
            if (kind in _LOSSES and place in missing) or not any(place[: len(outer)] == outer for outer in missing)
        )

    def _is_missing(self, kind: DivergenceKind, place: Place) -> bool:
        """Return whether a field is lost by a side without a schema for it, so that its other divergences say nothing more."""
        finder = self._of_crd if kind is DivergenceKind.CRD_DROPS else self._of_class
        return kind in _LOSSES and finder.placer.version.schema_map.at(place) is None

    def _judge_draws(self, finder: Boundaries) -> None:
        """Judge random objects of a side; hypothesis makes those small that show a new divergence."""
        from pytest_crd.classes import draws  # noqa: PLC0415 - it imports hypothesis, an optional package

        known = shown = dict(self._found)

        def shows(resource: Resource) -> bool:
            nonlocal shown
            self._found = dict(known)
            self._judge({**resource, "apiVersion": self._version.strategy.type_meta["apiVersion"]})
            shown, self._found = self._found, known
            return len(shown) > len(known)

        def keep() -> None:
            nonlocal known
            known = self._found = shown

        draws.search(finder.placer.version, shows, keep)

    def _judge_group(self, group: Sequence[Sequence[Probe]]) -> None:
        """Judge the probes of several places, one value of each place at a time."""
        base = self._mend(functools.reduce(probes.merge, (of_place[0].base for of_place in group)))
        for index in range(max(map(len, group), default=0)):
            self._judge_all(base, [of_place[index] for of_place in group if index < len(of_place)])

    def _mend(self, base: Resource) -> Resource:
        """Return *base* with values that both sides take; *base* itself if the search fails."""
        mended = base
        for _ in range(_MOST_ROUNDS):
            outcome = self._examine(mended)
            if outcome.is_taken:
                return mended
            mended = self._replace(mended, outcome.errors, outcome.refusals)
        return base

    def _judge_all(self, base: Resource, group: Sequence[Probe]) -> None:
        """Judge several probes with one object, and each suspect again with an object of its own."""
        if len(group) < 2:
            for probe in group:
                self._judge(probe.put_into(probe.base))
            return
        outcome = self._examine(functools.reduce(lambda resource, probe: probe.put_into(resource), group, base))
        new = {steps for steps, item in outcome.differences.items() if not self._is_found(item.kind, steps)}
        if outcome.is_taken and not new:
            return
        refused = outcome.errors.keys() & outcome.refusals.keys()
        suspected = (outcome.errors.keys() ^ outcome.refusals.keys()) | new
        rest: list[Probe] = []
        for probe in group:
            if any(map(probe.is_around, suspected)):
                self._judge_suspect(probe, outcome)
            elif not any(map(probe.is_around, refused)):
                rest.append(probe)
        if len(rest) < len(group):
            self._judge_all(base, rest)
        else:
            middle = len(rest) // 2
            self._judge_all(base, rest[:middle])
            self._judge_all(base, rest[middle:])

    def _judge_suspect(self, probe: Probe, outcome: _Outcome) -> None:
        """Judge a probe, unless it shows only divergences that are found."""
        possible = [
            *((DivergenceKind.CRD_REFUSES, steps) for steps in outcome.errors.keys() - outcome.refusals.keys()),
            *((DivergenceKind.CLASS_REFUSES, steps) for steps in outcome.refusals.keys() - outcome.errors.keys()),
            *((item.kind, steps) for steps, item in outcome.differences.items()),
        ]
        if not all(self._is_found(kind, steps) for kind, steps in possible if probe.is_around(steps)):
            self._judge(probe.put_into(probe.base))

    def _judge(self, resource: Resource, rounds: int = _MOST_ROUNDS) -> None:
        """Add the divergences that an object shows; then judge it with accepted values at the fields that only one side refuses."""
        outcome = self._examine(resource)
        unions = [
            steps for steps, item in outcome.errors.items() if item.is_of_union and _is_about(steps, outcome.refusals)
        ]
        known = [*outcome.refusals, *unions]
        of_crd = {
            steps: item
            for steps, item in outcome.errors.items()
            if not _is_about(steps, known)
            and not (item.is_duplicate and (outcome.refusals or self._merges(steps, resource)))
        }
        of_class = {steps: words for steps, words in outcome.refusals.items() if not _is_about(steps, outcome.errors)}
        for steps, error in of_crd.items():
            self._add(DivergenceKind.CRD_REFUSES, steps, error.words, resource, error.place)
        for steps, words in of_class.items():
            self._add(DivergenceKind.CLASS_REFUSES, steps, f"{words}{self._explain_untyped(steps)}", resource)
        for steps, item in outcome.differences.items():
            self._add(item.kind, steps, item.words, resource)
        if rounds and (of_crd or of_class):
            mended = self._replace(resource, of_crd, of_class)
            if not jsonvalue.equal(mended, resource):
                self._judge(mended, rounds - 1)

    def _explain_untyped(self, steps: Steps) -> str:
        """Return a line that says why a server takes every value of a field without a type; empty for other fields."""
        node = self._of_crd.placer.version.schema_map.of_path(steps)
        if node is None or node.schema.keys() & {"type", "x-kubernetes-int-or-string"}:
            return ""
        return "\na server takes every value here, as the CRD has no type for it"

    def _merges(self, steps: Steps, resource: Resource) -> bool:
        """Return whether the class, which has a set at *steps*, merges an item with an equal one."""
        place = steps[len(self._class.head) : -1]
        sent, dumped = (
            differences.find_value(self._class.part(resource), place),
            differences.find_value(self._class.convert(resource), place),
        )
        return isinstance(sent, list) and isinstance(dumped, list) and len(dumped) < len(sent)

    def _replace(self, resource: Resource, of_crd: Iterable[Steps], of_class: Iterable[Steps]) -> Resource:
        """Return an object with values that a side accepts at the fields that it refuses."""
        for finder, refused in ((self._of_crd, of_crd), (self._of_class, of_class)):
            for steps in refused:
                root = finder.placer.version.schema_map
                placed = finder.placer.existing(schemamap.place_in(steps, root)) if root.of_path(steps) else None
                source = finder.placer.start if placed is None else placed[0]
                resource = objectplaces.copy_value(source, resource, steps)
        return resource

    def _examine(self, resource: Resource) -> _Outcome:
        """Return the answers of both sides; nothing if the object lacks the part that the class has."""
        if self._class.part(resource) is None:
            return _Outcome({}, {}, {})
        answer = self._create(resource)
        if answer.accepted and not self._class.head and self._version.has_status and probes.STATUS in resource:
            answer = self._version.update_status(resource, old=answer.stored)
        errors: dict[Steps, _Error] = {}
        for steps, error in _read_errors(answer):
            errors.setdefault(steps, error)
        refusals = self._class.find_refusals(resource, self._schema)
        found = {} if errors or refusals else dict(self._compare_objects(resource, answer.stored))
        return _Outcome(errors, refusals, found)

    def _compare_objects(self, resource: Resource, stored: Resource) -> Iterator[tuple[Steps, _Difference]]:
        """Yield the differences between the stored object and the dumped one."""
        head, sent = self._class.head, self._class.part(resource)
        demands = [finder.root.at(head) for finder in (self._of_crd, self._of_class)]
        dumped = self._class.convert(resource)
        for steps, of_crd, of_class in differences.find(self._class.part(stored), dumped, (), demands):
            if (head or steps[0] not in manifests.OF_OBJECTS) and (of_crd or of_class) not in _EMPTY:
                kind = _kind(of_crd, of_class, is_sent=differences.find_value(sent, steps) is not None)
                words = f"the CRD has {_show(of_crd)}, the class {_show(of_class)}"
                yield (*head, *steps), _Difference(kind, words)

    def _is_found(self, kind: DivergenceKind, steps: Steps) -> bool:
        return (kind, self._place_of(steps)) in self._found

    def _add(self, kind: DivergenceKind, steps: Steps, words: str, resource: Resource, place: str = "") -> None:
        """Add a divergence, unless a smaller object shows the same."""
        other_name = find_other(steps, self._of_crd.root, self._of_class.root)
        path = str(fieldpath.unknown_field(steps))
        divergence = Divergence(kind, path, f"{words}{other_name}", resource, place or self._locate(steps))
        key = kind, self._place_of(steps)
        known = self._found.get(key)
        if known is None or len(json.dumps(resource)) < len(json.dumps(known.resource)):
            self._found[key] = divergence

    def _place_of(self, steps: Steps) -> Place:
        """Return the place of a field, which the items of a list and the values of a map have in common."""
        return schemamap.place_in(
            steps, *(finder.placer.version.schema_map for finder in (self._of_crd, self._of_class))
        )

    def _locate(self, steps: Steps) -> str:
        """Return `file:line` of a field in the CRD, or of the nearest field around it."""
        node = root = self._version.schema_map
        for step in steps:
            inner = node.child(step)
            if inner is None:
                break
            node = inner
        return self._version.source_of(node.steps) if node is not root else self._version.source_of(())


def _read_errors(answer: Response) -> Iterator[tuple[Steps, _Error]]:
    """Yield the errors of an answer by the steps to their fields; an answer without fields has one for the whole object."""
    for error in answer.errors:
        if error.path is None and len(answer.errors) > 1:
            continue  # only says that rules are not checked because of the other errors
        is_of_union = error.origin is not None and error.origin.keyword in probes.JUNCTORS
        is_duplicate = error.type is ErrorType.DUPLICATE
        yield _steps_of(error), _Error(str(error), error.source, is_of_union, is_duplicate)
    if not answer.accepted and not answer.errors:
        yield (), _Error(answer.message)


def _steps_of(error: FieldError) -> Steps:
    """Return the steps to the field of an error; errors of the scale subresource have a JSON path as their only step."""
    steps = error.path.steps if error.path else ()
    is_json_path = len(steps) == 1 and str(steps[0]).startswith(".")
    return tuple(str(steps[0])[1:].split(".")) if is_json_path else steps


def _is_about(steps: Steps, others: Iterable[Steps]) -> bool:
    """Return whether *others* have the field, a parent or a child."""
    return any(steps[: len(other)] == other[: len(steps)] for other in others)


def _kind(of_crd: Any, of_class: Any, *, is_sent: bool) -> DivergenceKind:
    """Return the kind of a difference between the stored object and the dumped one."""
    if not is_sent:
        return DivergenceKind.DEFAULT
    if of_crd is None:
        return DivergenceKind.CRD_DROPS
    return DivergenceKind.CLASS_LOSES if of_class is None else DivergenceKind.CHANGED


def _show(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
