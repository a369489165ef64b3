"""
Observations as expectations of a case: blanks are filled in, and failed expectations are corrected.

A case is not changed if another of its expectations would still fail.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, cast

from pytest_crd import lazyre
from pytest_crd.cases import expectedowners, loader
from pytest_crd.cases.caseresult import CaseAnswer, CaseResult
from pytest_crd.cases.deviations import (
    Accepted,
    ConflictsMismatch,
    ErrorsMismatch,
    ManagersMismatch,
    ObjectMismatch,
    PathsMismatch,
    Present,
    Rejected,
    Strays,
)
from pytest_crd.cases.model import APPLIES, OF_STORED, AnyCase, ConvertCase, PolicyCase, RequestCase
from pytest_crd.cases.sections import Section
from pytest_crd.engine import ErrorType, FieldError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE
from pytest_crd.engine.registry import resourcerules
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.schema.structural import TYPE_META

# The keys of expectations about accepted objects, and about refused ones.
_OF_ACCEPTED: Final = ("expected", "contains", "absent", "accepted", "lost", "managers", "matched")
# The mismatches of these expectations list entries as texts.
_KEYED: Final = frozenset({"auditAnnotations", "denied"})
_OF_REFUSED: Final = ("errors", "containsErrors", "error", "denied", "conflicts", "refused")


# Further keys that are filled in.
_FURTHER: Final = {**dict.fromkeys(APPLIES, ("managers",)), Section.POLICY: ("auditAnnotations",)}
PROBLEM: Final = "the call of a webhook failed, so that its answer is not known"
# A conversion that the webhook itself refuses has its words in place of the request's.
_FAILED: Final = lazyre.compile(r'failed calling webhook "|conversion webhook for [^ ]+, Kind=[^ ]+ failed: Post "')


class Mode(enum.IntEnum):
    """The extent of writing; each mode includes those before it."""

    FILL = 1
    UPDATE = 2
    UPDATE_VERDICTS = 3


class Observed(NamedTuple):
    """
    New expectations for a case.

    Attributes:
        result: The result of the new case; of the old case if nothing can be written.
        values: The keys to write, with their values.
        removed: The keys to remove.
        filled: The keys that were left to be filled in.
        turn: The change of the verdict, as in `accepted -> refused`; empty if it stays.
        problem: The reason why a failed case is not corrected; empty if it holds, or need not be corrected.
        suggestions: Known fields that newly listed pruned fields may stand for, by the pruned path.
    """

    result: CaseResult
    values: Mapping[str, JSONValue] = {}
    removed: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    turn: str = ""
    problem: str = ""
    suggestions: Mapping[str, str] = {}


def observe(case: AnyCase, run: Callable[[AnyCase], CaseResult], mode: Mode) -> Observed:
    """
    Return the new expectations for *case*.

    Args:
        case: The case.
        run: Function that runs the case, also with other expectations.
        mode: The extent of writing.
    """
    result = run(case)
    is_wanted = case.is_open or bool(case.blanks) or mode >= Mode.UPDATE
    if result.answer is None:
        return Observed(result, problem=_explain_by_hand(result) if is_wanted else "")
    if is_wanted and (case.is_open or case.blanks or not result.holds) and is_among(result.answer.errors):
        refused = Rejected(result.answer.code, result.answer.errors)
        return Observed(result._replace(mismatches=(refused,)), problem=PROBLEM)
    turn = _turn(case, result.answer)
    if turn and mode < Mode.UPDATE_VERDICTS:
        problem = f"{turn}: only --crd-update-verdicts turns a verdict around"
        return Observed(_failing(case, result), problem=problem if is_wanted else "")
    values, removed = _choose_keys(case, result, mode, is_turned=bool(turn))
    if not values:
        unknown = result.answer.unknown if not _unknown(result.answer).isdisjoint(case.blanks) else ""
        return Observed(result, problem=unknown or _explain_unchanged(case, result, is_wanted=is_wanted))
    declared = {key: value for key, value in case.declared.items() if key not in removed}
    new = run(loader.replace_expectations(case, declared | values))
    if not new.holds:
        return Observed(new if case.blanks else result, problem=_explain_by_hand(new))
    filled = tuple(key for key in values if case.is_open or key in case.blanks)
    return Observed(new, values, removed, filled, turn, suggestions=_misspelt(case, values, filled, result))


def _choose_keys(
    case: AnyCase, result: CaseResult, mode: Mode, *, is_turned: bool
) -> tuple[dict[str, JSONValue], tuple[str, ...]]:
    """Return the keys to set in a case, with their values, and the keys to remove."""
    if case.is_open:
        return get_expectations(case, result), ()
    if is_turned:
        return _turn_verdict(case, result)
    values = {key: _get_observed(key, case, result) for key in case.blanks if key not in _unknown(_answer(result))}
    # Left out if empty, as they would state nothing.
    values = {key: value for key, value in values.items() if value or key not in {"conflicts", "denied", "managers"}}
    return values | (dict(_correct(case, result)) if mode >= Mode.UPDATE else {}), ()


def get_expectations(case: AnyCase, result: CaseResult) -> dict[str, JSONValue]:
    """
    Return the complete expectations of a case: the object or the errors, and the lists that are not empty.

    Args:
        case: The case; its expectations do not matter.
        result: Its result, with an answer.
    """
    answer, verdict = _answer(result), _verdict(case, result)
    keys = [*case.listed, *_FURTHER.get(case.section, ())]
    left_out = {*_unknown(answer), *_get_left_out(case, answer)}
    listed = {key: _get_observed(key, case, result) for key in keys if key not in left_out}
    if isinstance(case, PolicyCase) and (answer.errors or not answer.is_changed or listed.pop("mutated", None)):
        listed.pop("mutated", None)  # the whole object shows the changes
    shown = {
        key: paths for key, paths in listed.items() if paths or (key == "mutated" and isinstance(case, PolicyCase))
    }
    return {verdict: _get_observed(verdict, case, result)} | shown


def _get_left_out(case: AnyCase, answer: CaseAnswer) -> frozenset[str]:
    """Return the keys that a complete case need not have: warnings of a CRD; of a refusal by a policy, all but the denials."""
    if not isinstance(case, PolicyCase):
        return frozenset({"warnings"})
    return frozenset({"warnings", "auditAnnotations"}) if answer.errors else frozenset()


def _verdict(case: AnyCase, result: CaseResult) -> str:
    """Return the key that states the verdict on the request."""
    answer = _answer(result)
    if answer.errors:
        if isinstance(case, ConvertCase):
            return "refused"
        others = "error" if isinstance(case, PolicyCase) else "errors"
        return "denied" if answer.denials else "conflicts" if answer.conflicts else others
    return "accepted" if answer.unknown or not answer.is_changed else "expected"


def _get_observed(key: str, case: AnyCase, result: CaseResult) -> JSONValue:
    """Return the observed value for *key*."""
    answer, trace = _answer(result), result.trace
    of_verdict: dict[str, Callable[[], JSONValue]] = {
        "accepted": lambda: True,
        "expected": lambda: _object(case, answer),
        "refused": lambda: answer.errors[0].message,
        "error": lambda: answer.errors[0].message,
        "auditAnnotations": lambda: dict(answer.audit_annotations or {}),
        "denied": lambda: [{key: text for key, text in denial._asdict().items() if text} for denial in answer.denials],
    }
    if key in of_verdict:
        return of_verdict[key]()
    if key == "errors":
        # The notice that rules were not checked follows from the other errors.
        return [*map(_entry, [item for item in answer.errors if not resourcerules.is_notice(item)] or answer.errors)]
    if key == "conflicts":
        return [{"manager": item.manager, "field": str(item.field)} for item in answer.conflicts]
    if key == "managers":
        return {name: expectedowners.find_shortest_paths(owned) for name, owned in answer.managers.items()}
    listed = {
        "pruned": trace.pruned,
        "defaulted": trace.defaulted,
        "nullsDropped": trace.nulls,
        "lost": trace.lost,
        "mutated": trace.mutated,
        "warnings": answer.warnings,
    }
    return [*map(str, listed[key])]


def _unknown(answer: CaseAnswer) -> frozenset[str]:
    """Return the keys with unknown values, because a webhook converts the stored object."""
    return OF_STORED if answer.unknown else frozenset()


def _answer(result: CaseResult) -> CaseAnswer:
    return cast("CaseAnswer", result.answer)


def _object(case: AnyCase, answer: CaseAnswer) -> JSONValue:
    """Return the object, without parts that a case may leave out and this one does not state."""
    value: dict[str, JSONValue] = cast("Stored", answer.stored).value
    sources = [
        source for source in (answer.input, getattr(case, "old", None), case.expected) if isinstance(source, dict)
    ]
    names = {name for source in sources for name in _metadata(source)}
    hidden = {*SERVER_MADE, *({*answer.made_up, "namespace"} - names)}
    metadata = {name: item for name, item in _metadata(value).items() if name not in hidden}
    left_out = {name for name in TYPE_META if not any(name in source for source in sources)}
    left_out |= set() if metadata or names - hidden else {"metadata"}
    return {name: metadata if name == "metadata" else item for name, item in value.items() if name not in left_out}


def _metadata(value: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _entry(error: FieldError) -> dict[str, JSONValue]:
    """Return an error in the form of a case."""
    field = {"field": error.field} if error.field else {}
    return {**field, "type": error.type.value, "message": error.message}


def _misspelt(
    case: AnyCase, values: Mapping[str, JSONValue], filled: tuple[str, ...], result: CaseResult
) -> dict[str, str]:
    """Return suggestions for the pruned fields that *values* are the first to list or to leave out."""
    listed = [*values.get("pruned", ()), *(map(str, result.trace.pruned) if "expected" in filled else ())]
    listed_before, suggestions = case.declared.get("pruned", ()), result.trace.suggestions
    return {path: suggestions[path] for path in listed if path in suggestions and path not in listed_before}


# The verdict


def _turn(case: AnyCase, answer: CaseAnswer) -> str:
    """Return the change of the verdict that *case* states; empty without a change, or if the case states no verdict."""
    if case.is_open or not isinstance(case, RequestCase | ConvertCase):
        return ""
    expects_refusal = case.refused is not None if isinstance(case, ConvertCase) else case.expects_refusal
    is_refused, wants_refusal = bool(answer.errors), expects_refusal or _leaves_open_refusal(case)
    if is_refused == wants_refusal:
        return ""
    return "accepted -> refused" if is_refused else "refused -> accepted"


def _failing(case: AnyCase, result: CaseResult) -> CaseResult:
    """Return a failed result for another verdict, also for a case that states only `errors: TODO`."""
    if not result.holds or not _leaves_open_refusal(case):
        return result
    return result._replace(mismatches=(Accepted(_answer(result).code, (), None),))


def _leaves_open_refusal(case: AnyCase) -> bool:
    return not {"errors", "denied", "conflicts"}.isdisjoint(case.blanks)


def _turn_verdict(case: AnyCase, result: CaseResult) -> tuple[dict[str, JSONValue], tuple[str, ...]]:
    """Return the keys of the new verdict, and the keys to remove; lists stay, with the observed values."""
    declared, is_refused = case.declared, bool(_answer(result).errors)
    removed = tuple(key for key in (_OF_ACCEPTED if is_refused else _OF_REFUSED) if key in declared)
    verdict = _verdict(case, result)
    values = {verdict: _get_observed(verdict, case, result)}
    if isinstance(case, PolicyCase):
        lists = {key: _get_observed(key, case, result) for key in ("warnings", "auditAnnotations") if key in declared}
        return {**lists, **get_expectations(case, result)}, removed
    for key in case.listed:
        paths = _get_observed(key, case, result)
        if key in declared and key not in removed and declared[key] != paths:
            values[key] = paths
        elif key == "pruned" and key not in declared and paths:
            values[key] = paths  # the object shows them, errors do not
    return values, removed


# Corrections


def _correct(case: AnyCase, result: CaseResult) -> Iterator[tuple[str, JSONValue]]:
    """Yield the failed keys with their observed values."""
    for mismatch in result.mismatches:
        if isinstance(mismatch, ObjectMismatch):
            yield from _corrected_object(case, mismatch, result)
        elif isinstance(mismatch, PathsMismatch):
            listed = [*mismatch.met, *mismatch.unasked]
            yield mismatch.key, _get_observed(mismatch.key, case, result) if mismatch.key in _KEYED else listed
        elif isinstance(mismatch, ManagersMismatch):
            owned = _get_observed("managers", case, result)
            yield "managers", {name: owned.get(name, []) for name in case.declared["managers"]}
        elif isinstance(mismatch, ConflictsMismatch) and not mismatch.refusal:
            yield "conflicts", _get_observed("conflicts", case, result)
        elif isinstance(mismatch, ErrorsMismatch):
            errors, others = _errors(case, mismatch, result)
            if mismatch.key == "errors":
                yield "errors", [*errors, *map(_entry, others)]
            elif len(errors) == len(case.declared[mismatch.key]):
                yield mismatch.key, errors


def _corrected_object(case: AnyCase, mismatch: ObjectMismatch, result: CaseResult) -> Iterator[tuple[str, JSONValue]]:
    if _answer(result).unknown:
        return
    if mismatch.key == "expected":
        yield "expected", _get_observed("expected", case, result)
    elif _is_as_much(mismatch.expected, mismatch.compared):
        yield "contains", mismatch.compared


def _is_as_much(expected: JSONValue, actual: JSONValue) -> bool:
    """Return whether *actual* has a value wherever *expected* does, so that nothing goes untested from then on."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and _is_as_much(item, actual[key]) for key, item in expected.items())
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) <= len(actual) and all(map(_is_as_much, expected, actual))
    return True


def _errors(case: AnyCase, mismatch: ErrorsMismatch, result: CaseResult) -> tuple[list[JSONValue], list[FieldError]]:
    """Return the met errors as stated and similar ones in the stated form, and the errors left over."""
    nearest = {id(wanted): near.error for wanted, near in mismatch.missing if near is not None}
    missing = {id(wanted) for wanted, _ in mismatch.missing}
    unmatched = [*mismatch.unasked] or [error for error in _answer(result).errors if error.type is ErrorType.REQUEST]
    request = cast("RequestCase", case)
    errors: list[JSONValue] = []
    wanted_errors = (request.errors if mismatch.key == "errors" else request.contains_errors) or ()
    for wanted, declared in zip(wanted_errors, case.declared[mismatch.key], strict=True):
        error = nearest.get(id(wanted))
        if id(wanted) not in missing:
            errors.append(declared)
        elif error is not None and error in unmatched:
            unmatched.remove(error)
            errors.append(_like(declared, error))
    return errors, unmatched


def _like(declared: Mapping[str, JSONValue], error: FieldError) -> JSONValue:
    """Return *error* with the keys of *declared*; a pattern for the message becomes the message."""
    whole = _entry(error) | {"detail": error.detail}
    if declared.keys() & {"matches", "rule"} or not all(whole.get(key) for key in declared):
        return _entry(error)
    return {key: whole[key] for key in declared}


def _explain_unchanged(case: AnyCase, result: CaseResult, *, is_wanted: bool) -> str:
    """Return the reason why a case is not changed; empty if it holds, or need not be corrected."""
    if result.holds:
        return f"there is nothing to write for {', '.join(case.blanks)}" if case.blanks else ""
    return _explain_by_hand(result) if is_wanted else ""


def _explain_by_hand(result: CaseResult) -> str:
    """Return a sentence with the keys that have to be corrected by hand."""
    keys = dict.fromkeys(
        _BY_HAND.get(type(mismatch), getattr(mismatch, "key", "the server's answer")) for mismatch in result.mismatches
    )
    return f"to be corrected by hand: {', '.join(keys)}"


_BY_HAND: Final[Mapping[type, str]] = {
    Present: "absent",
    ConflictsMismatch: "conflicts",
    Strays: "fields of the input that are dropped",
}


def is_among(errors: Iterable[FieldError]) -> bool:
    """Return whether a refusal has the error of a webhook that could not be called."""
    return any(_FAILED.search(error.message) for error in errors)
