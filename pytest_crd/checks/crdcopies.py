"""
Copies of a CRD in several places of a project, such as `config/crd/bases` and the folder of a chart.

Descriptions and the conversion may differ: charts often leave them out, or add a webhook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.checks import fieldlines
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.discovery.helmtemplates import UnreadTemplate
from pytest_crd.engine import CustomResourceDefinition, jsonvalue
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.loading import projectcrds
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.schema import subschemas
from pytest_crd.wording import counted

_MOST: Final = 5
_VERSIONS: Final = "versions"
_SCHEMA: Final = ("schema", "openAPIV3Schema")
_PROPERTIES: Final = "properties"
_FIELDS: Final = (_PROPERTIES, "items", "additionalProperties")
_DESCRIPTION: Final = "description"
_MISSING: Final = object()


class CopyDifference(NamedTuple):
    """
    A difference between a CRD and its copy.

    Attributes:
        steps: The path below `spec`, with the names of versions.
        main: The value in the CRD; `_MISSING` without one.
        copy: The value in the copy.
    """

    steps: Steps
    main: Any
    copy: Any


def compare(main: Sequence[ReadCrd], others: Sequence[ReadCrd], unread: Sequence[UnreadTemplate] = ()) -> CheckVerdict:
    """
    Return the differences between a CRD and its copies.

    Args:
        main: The CRD in its main place, and alternatives there.
        others: The CRDs with its name in other places.
        unread: The templates with its name that cannot be read.
    """
    not_compared = [
        f"not compared: {item.source}: a template that only Helm can read: {item.reason}" for item in unread
    ]
    if not others:
        return CheckVerdict(passed_over="; ".join(not_compared))
    findings: list[CheckFinding] = []
    equal: list[str] = []
    for copy in others:
        differences = min((_find_all(read.crd, copy.crd) for read in main), key=len)
        if differences:
            findings += _describe(differences, main[0], copy)
        else:
            equal.append(copy.crd.source)
    notes = (f"copies: {', '.join(equal)}",) if equal else ()
    heading = f"copies of {main[0].crd.source} differ from it"
    return CheckVerdict(heading, tuple(findings), notes=(*notes, *not_compared))


def _find_all(main: CustomResourceDefinition, copy: CustomResourceDefinition) -> list[CopyDifference]:
    if projectcrds.is_copy(main, copy):
        return []
    return [*_differences(_compared_spec(main), _compared_spec(copy), ())]


def _compared_spec(crd: CustomResourceDefinition) -> dict[str, Any]:
    """Return the spec with defaults, with the versions by name, and without the conversion and descriptions."""
    spec: dict[str, Any] = {"preserveUnknownFields": False, **crd.answers.forms.defaulted["spec"]}
    spec.pop("conversion", None)
    spec[_VERSIONS] = {version.get("name"): version for version in spec.get(_VERSIONS) or ()}
    return spec


def _differences(main: Any, copy: Any, steps: Steps) -> Iterator[CopyDifference]:
    """Yield the places at which two values differ; a missing field counts once, with all inside."""
    if steps[-1:] == ("required",) and _is_schema(steps[:-1]) and isinstance(main, list) and isinstance(copy, list):
        main, copy = sorted(main), sorted(copy)
    if main is not _MISSING and copy is not _MISSING and jsonvalue.equal(main, copy):
        return
    if isinstance(main, Mapping) and isinstance(copy, Mapping):
        for key in dict.fromkeys((*main, *copy)):
            if key != _DESCRIPTION or not _is_schema(steps):
                yield from _differences(main.get(key, _MISSING), copy.get(key, _MISSING), (*steps, key))
    elif isinstance(main, list) and isinstance(copy, list) and len(main) == len(copy):
        for index, pair in enumerate(zip(main, copy, strict=True)):
            yield from _differences(*pair, (*steps, index))
    else:
        yield CopyDifference(steps, main, copy)


def _is_schema(steps: Steps) -> bool:
    """Return True if the value at a path below `spec` is a schema, and no value in it such as a default."""
    return steps[:1] == (_VERSIONS,) and steps[2:4] == _SCHEMA and subschemas.is_schema(steps[4:])


def _describe(differences: Sequence[CopyDifference], main: ReadCrd, copy: ReadCrd) -> Iterator[CheckFinding]:
    for difference in differences[:_MOST]:
        path, origin = _spell(difference.steps), _place(main, difference.steps)
        if difference.main is _MISSING:
            words = "only the copy has it"
        elif difference.copy is _MISSING:
            words = f"the copy lacks it; {origin} has it"
        else:
            words = f"the copy has another value than {origin}"
        yield CheckFinding(_place(copy, difference.steps), f"{path}: {words}", origin=origin)
    if len(differences) > _MOST:
        yield CheckFinding(
            copy.crd.source, f"{counted(len(differences) - _MOST, 'more difference')} from {main.crd.source}"
        )


def _spell(steps: Steps) -> str:
    """Return a path in words: fields of objects by their own path, after the version."""
    if steps[:1] != (_VERSIONS,) or steps[2:4] != _SCHEMA:
        return ".".join(map(str, ("spec", *steps)))
    fields, rest = "", list(steps[4:])
    while rest and rest[0] in _FIELDS:
        step = rest.pop(0)
        fields += f".{rest.pop(0)}" if step == _PROPERTIES and rest else "" if step == _PROPERTIES else "[*]"
    return " ".join((str(steps[1]), fields.removeprefix(".") or ".", *([".".join(map(str, rest))] if rest else ())))


def _place(read: ReadCrd, steps: Steps) -> str:
    """Return the line of a path below `spec`, or of the nearest declared parent."""
    names = [version.name for version in read.crd.versions]
    is_version = len(steps) > 1 and steps[0] == _VERSIONS and steps[1] in names
    path = (_VERSIONS, names.index(str(steps[1])), *steps[2:]) if is_version else steps
    return fieldlines.find_line(read.manifest, ("spec", *path))
