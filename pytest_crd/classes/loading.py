"""Classes that take and give objects: pydantic models and adapters, and pairs of callables, with their errors by field."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.classes import manifests
from pytest_crd.classes.manifests import ReadClass
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import WrongTypeError

Steps: TypeAlias = tuple[str | int, ...]
Resource: TypeAlias = Mapping[str, Any]

_PAIR: Final = ("load", "dump")
_TRIPLE: Final = (*_PAIR, "schema")
# The field at the end of a message of msgspec: "Expected `int`, got `str` - at `$.items[0].days`".
_FIELD: Final = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_ANY_KEY: Final = "[...]"
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class LoadedClass(NamedTuple):
    """
    A class that takes and gives objects.

    Attributes:
        load: Function that takes the part of an object that the class has, without conversions of types.
        dump: Function that returns the part again, from the result of `load`.
        refusal: The type of the errors with which `load` refuses a part.
        read: The class as a CRD can say it; None without a JSON Schema.
    """

    load: Callable[[Any], Any]
    dump: Callable[[Any], Any]
    refusal: type[Exception]
    read: ReadClass | None

    @property
    def head(self) -> Steps:
        """The steps from the whole object to the part that the class has."""
        return () if self.read is not None and self.read.is_whole else (manifests.SPEC,)

    def part(self, resource: Resource) -> Any:
        """Return the part of an object that the class has; None if the object lacks it."""
        return resource.get(manifests.SPEC) if self.head else resource

    def find_refusals(self, resource: Resource, schema: Mapping[str, Any]) -> dict[Steps, str]:
        """Return the errors of the class about an object, by the steps to their fields; *schema* is that of the object."""
        try:
            self.load(jsonvalue.copy(self.part(resource)))
        except self.refusal as error:
            own = schema["properties"][manifests.SPEC] if self.head else schema
            details = _find_details(error)
            return {(*self.head, *_without_branches(steps, own)): words for steps, words in details}
        return {}

    def convert(self, resource: Resource) -> Any:
        """Return the part of an object after the class has taken and given it."""
        return self.dump(self.load(jsonvalue.copy(self.part(resource))))


def _without_branches(steps: Steps, schema: Mapping[str, Any]) -> Steps:
    """Return the steps of an error of pydantic without the names of union branches, which are no fields of the schema."""
    own: list[str | int] = []
    for step in steps:
        is_index = isinstance(step, int)
        properties = schema.get("properties", {})
        inner = schema.get("items") if is_index else properties.get(step, schema.get("additionalProperties"))
        if inner is not None:
            own.append(step)
            schema = inner if isinstance(inner, Mapping) else {}
    return tuple(own)


def load_class(model: Any, kind: str) -> LoadedClass:
    """
    Return a class that takes and gives objects.

    Args:
        model: A pydantic model or `TypeAdapter`, or a tuple `(load, dump)` or `(load, dump, schema)`.
        kind: The name for messages if the class has none.

    Raises:
        CrdError: The class has something that no CRD can say.
        TypeError: The model is none of these.
    """
    if isinstance(model, tuple):
        return _load_callables(model, kind)
    read = manifests.read_class(model, kind)
    if hasattr(model, "model_validate_json"):
        return LoadedClass(_send_json(model.model_validate_json), _dump_model, ValueError, read)
    if hasattr(model, "validate_json"):
        dump = functools.partial(model.dump_python, mode="json", by_alias=True, exclude_none=True)
        return LoadedClass(_send_json(model.validate_json), dump, ValueError, read)
    raise WrongTypeError(
        f"{model!r} cannot take objects: pass a pydantic model, pydantic.TypeAdapter(...), or a tuple (load, dump)"
    )


def _load_callables(model: tuple[Any, ...], kind: str) -> LoadedClass:
    if not len(_PAIR) <= len(model) <= len(_TRIPLE) or not all(map(callable, model[:2])):
        raise WrongTypeError(f"{model!r} is neither (load, dump) nor (load, dump, schema)")
    load, dump, *schemas = model
    return LoadedClass(load, dump, Exception, manifests.read_class(schemas[0], kind) if schemas else None)


def _send_json(validate: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a function that passes a value on as JSON, because pydantic converts no types of JSON in strict mode."""

    def load(value: Any) -> Any:
        return validate(json.dumps(value), strict=True)

    return load


def _dump_model(instance: Any) -> Any:
    return instance.model_dump(mode="json", by_alias=True, exclude_none=True)


def _find_details(error: BaseException, steps: Steps = ()) -> Iterator[tuple[Steps, str]]:
    """Yield the fields of a class's error with messages; msgspec reports only the first field."""
    if callable(find := getattr(error, "errors", None)):  # pydantic
        yield from ((tuple(item["loc"]), str(item["msg"])) for item in find())
        return
    steps = (*steps, *_find_noted(error))
    if isinstance(error, BaseExceptionGroup):  # cattrs
        for inner in error.exceptions:
            yield from _find_details(inner, steps)
        return
    words = f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else str(error)
    if match := _FIELD.search(words):  # msgspec
        named = (name or int(index) for name, index in _STEP.findall(match[1].partition(_ANY_KEY)[0]))
        steps, words = (*steps, *named), words[: match.start()]
    yield steps, words or type(error).__name__


def _find_noted(error: BaseException) -> Iterator[str | int]:
    """Yield the fields and indices in the notes of an error of cattrs."""
    for note in getattr(error, "__notes__", ()):
        step = getattr(note, "name", getattr(note, "index", None))
        if isinstance(step, str | int):
            yield step
