"""
Fields of an input that the server drops and the case does not mention: either they or the case are misspelt.

Without this check, such a case would hold whatever the values of the fields are. Nulls of a patch that remove nothing count, too,
unless the schema names their fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, lazyre
from pytest_crd.cases.model import ApplyCase, Case, ConvertCase, DefaultingCase, PatchCase, PruningCase, RequestCase
from pytest_crd.cases.sections import Section
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, Response, fieldpath
from pytest_crd.engine.jsonvalue import JSONValue

if TYPE_CHECKING:
    from pytest_crd import suggestions
    from pytest_crd.cases import casepatch, comparison, deviations
    from pytest_crd.cases.deviations import Stray, Strays
    from pytest_crd.cases.parts import ExpectedError
else:
    suggestions = lazyimport.module("pytest_crd.suggestions")
    deviations = lazyimport.module("pytest_crd.cases.deviations")
    comparison = lazyimport.module("pytest_crd.cases.comparison")
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")


_ALLOW: Final = "or write `unknownFields: allow` at the top of the file"
_REMEDIES: Final = {
    Section.PRUNING: f"if this is intended, list it in `pruned`, {_ALLOW}",
    Section.CONVERT: f"no server has it stored; leave it out, {_ALLOW}",
    Section.DEFAULTING: f"if this is intended, keep it in `expected`, because defaulting drops nothing, {_ALLOW}",
}
_OF_SCALE: Final = f"if this is intended, list its warning in `warnings`, {_ALLOW}"
_UNDECLARED: Final = lazyre.compile(r"(?<!\S)\S++(?<=:)(?= field not declared in schema)")
_UNKNOWN: Final = lazyre.compile(r'unknown field "(.*)"')
_REMEDY: Final = f"if this is intended, list it in `pruned`, or in `lost` if the storage version drops it, {_ALLOW}"
_OF_NULL: Final = (
    f"if this is intended, state the whole object in `expected`, or list the path of a map key in `absent`, {_ALLOW}"
)


def find_in_request(case: RequestCase, input_: JSONValue, response: Response, subject: CaseSubject) -> Strays | None:
    """
    Return the dropped fields that *case* does not mention; None if there are none.

    Args:
        case: The case.
        input_: The sent object, as far as the case states it.
        response: The server's response.
        subject: The CRD version.
    """
    idle = [] if not isinstance(case, PatchCase) else [*_find_idle_nulls(case, subject)]
    if case.section.subresource == "scale":
        warned = [path for path in _warned(response) if not _is_accounted(case, path, response)]
        return _strays(case, subject, warned, idle=idle)
    counted = _counted(case, input_, subject.version)
    dropped = [path for path in response.pruned if not _is_accounted(case, path, response)]
    lost = [path for path in response.lost if case.lost is None and not _is_in_the_object(case, path)]
    before = case.old if isinstance(case, PatchCase) else None
    return _strays(case, subject, [*_find_held(dropped, counted, before)], [*_find_held(lost, counted, before)], idle)


def find_in_pruning(case: PruningCase, input_: JSONValue, pruned: Iterable[str], subject: CaseSubject) -> Strays | None:
    """Return the dropped fields of the input that a pruning case does not mention; None if there are none."""
    dropped = [path for path in pruned if case.pruned is None and not _is_in_the_object(case, path)]
    return _strays(case, subject, [*_find_held(dropped, input_)])


def find_in_conversion(case: ConvertCase, input_: JSONValue, subject: CaseSubject) -> Strays | None:
    """Return the fields of the input that its version does not specify; None if there are none."""
    unknown = subject.version.passes.prune(input_, drop_malformed=True).paths
    return _strays(case, subject, [*_find_held(unknown, input_)])


def find_in_defaulting(case: DefaultingCase, input_: JSONValue, subject: CaseSubject) -> Strays | None:
    """Return the unknown fields of the input that a defaulting case does not expect; None if there are none."""
    unknown = subject.version.passes.prune(input_, drop_malformed=True).paths
    unexpected = [path for path in unknown if not any(True for _ in comparison.find_places(case.expected, path))]
    return _strays(case, subject, [*_find_held(unexpected, input_)])


def describe_undeclared(case: ApplyCase, response: Response, subject: CaseSubject) -> list[str]:
    """Return a sentence for each undeclared field that makes an apply fail and that *case* does not expect."""
    expected = [*_expected_texts(case)]
    undeclared = [match[:-1].partition(".")[2] for match in _UNDECLARED.findall(response.message)]
    paths = [path for path in undeclared if not any(_names(text, path) for text in expected)]
    return [describe(deviations.Stray(path, is_lost=False, near=subject.fields.near(path)))[0] for path in paths]


def describe(field: Stray) -> tuple[str, str]:
    """Return the problem with a field as a sentence of its own, and as words that follow its path."""
    if field.is_idle:
        words = f"its null removes and tests nothing{suggestions.hint(field.near)}"
    elif field.is_lost:
        words = "the storage version does not specify it, so that it is lost"
    else:
        words = f"the schema does not specify it{suggestions.hint(field.near)}"
    return f"{field.path}: {words}", words


def _strays(
    case: Case, subject: CaseSubject, unknown: Sequence[str], lost: Sequence[str] = (), idle: Sequence[str] = ()
) -> Strays | None:
    is_scale = case.section.subresource == "scale"
    fields = [
        deviations.Stray(path, is_lost=False, near="" if is_scale else subject.fields.near(path)) for path in unknown
    ]
    fields += [deviations.Stray(path, is_lost=True, near="") for path in lost]
    remedy = _OF_SCALE if is_scale else _REMEDIES.get(case.section, _REMEDY)
    idle = [path for path in idle if not any(fieldpath.leads_to(field.path, path) for field in fields)]
    if idle and not fields:
        remedy = _OF_NULL
    for path in idle:
        is_free = is_scale or subject.fields.can_have(path)
        fields.append(
            deviations.Stray(path, is_lost=False, near="" if is_free else subject.fields.near(path), is_idle=True)
        )
    return deviations.Strays(tuple(fields), remedy) if fields else None


def _find_idle_nulls(case: PatchCase, subject: CaseSubject) -> Iterator[str]:
    """Yield the paths of the nulls in a patch that change nothing and hold for any spelling: the schema does not name them."""
    is_scale = case.section.subresource == "scale"
    for place in casepatch.find_idle_nulls({} if is_scale else case.old, case.input):
        path = fieldpath.unknown_field(place)
        if not subject.fields.is_named(place, is_scale=is_scale) and not _is_in_the_object(case, path):
            yield path


def _counted(case: RequestCase, input_: JSONValue, version: CrdVersion) -> JSONValue:
    """Return the part of the sent object that the server looks at."""
    if not isinstance(input_, dict):
        return {}
    if isinstance(case, PatchCase):
        return input_  # a patch states only changes
    if case.section.subresource == "status":
        return {key: value for key, value in input_.items() if key == "status"}
    return {key: value for key, value in input_.items() if key != "status" or not version.has_status}


def _find_held(paths: Iterable[str], value: JSONValue, before: JSONValue = None) -> Iterator[str]:
    """Yield the *paths* with a value, also null, in *value* and without one in *before*, the old object."""
    for path in paths:
        if _has(value, path) and not _has(before, path):
            yield path


def _has(value: JSONValue, path: str) -> bool:
    return any(True for _ in comparison.find_places(value, path))


def _warned(response: Response) -> Iterator[str]:
    """Yield the unknown fields of a Scale, which only warnings mention."""
    return (match[1] for match in map(_UNKNOWN.fullmatch, response.warnings) if match)


def _is_accounted(case: RequestCase, path: str, response: Response) -> bool:
    """Return whether *case* mentions an unknown field."""
    if case.pruned is not None or case.field_validation is not None or _is_in_the_object(case, path):
        return True
    if case.warnings is not None and f'unknown field "{path}"' in response.warnings:
        return True
    return any(_names(text, path) for text in _expected_texts(case))


def _is_in_the_object(case: Case, path: str) -> bool:
    """Return whether the case states the stored object at *path*: completely, in that part, or as absent."""
    if case.expected is not None or any(True for _ in comparison.find_places(case.contains, path)):
        return True
    return any(fieldpath.leads_to(above, path) for above in case.absent or ())


def _expected_texts(case: RequestCase) -> Iterator[str]:
    errors: tuple[ExpectedError, ...] = (*(case.errors or ()), *(case.contains_errors or ()))
    for error in errors:
        yield from filter(None, (error.field, error.message, error.detail, error.matches))
    if case.error is not None:
        yield case.error


def _names(text: str, path: str) -> bool:
    """Return whether *text* contains *path*, and not as a part of a longer one."""
    return bool(re.search(rf"(?<![\w.\[-]){re.escape(path)}(?![\w\[-]|\.\w)", text))
