"""
What was observed, as what a case states: what it leaves out is filled in, and what does not hold is corrected.

No case is made to hold that states something else which does not.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, cast

from pytest_crd.cases import expectedowners, loader
from pytest_crd.cases.caseresult import (
    Accepted,
    CaseAnswer,
    CaseResult,
    ConflictsMismatch,
    ErrorsMismatch,
    ManagersMismatch,
    MessageMismatch,
    ObjectMismatch,
    PathsMismatch,
    Present,
    Strays,
)
from pytest_crd.cases.model import OF_STORED, AnyCase, ApplyCase, RequestCase
from pytest_crd.engine import ErrorType, FieldError
from pytest_crd.engine.errors.response import Stored
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
from pytest_crd.engine.requests import resourcerules
from pytest_crd.engine.schema.metafields import TYPE_META

# What an expectation of an accepted object says, and one of a refused object.
_OF_ACCEPTED: Final = ("expected", "contains", "absent", "accepted", "lost", "managers")
_OF_REFUSED: Final = ("errors", "containsErrors", "error", "conflicts")


class Mode(enum.IntEnum):
    """How much is written; each writes what those before it do."""

    FILL = 1
    UPDATE = 2
    UPDATE_VERDICTS = 3


class Observed(NamedTuple):
    """
    What becomes of a case.

    Attributes:
        result: The outcome of the case as it will be; where nothing can be written, of the case as it is.
        values: The keys to write, with their values.
        removed: The keys to take away.
        filled: Which of these were left to be filled in.
        turn: How the verdict is turned around, `accepted -> refused`; empty where it stays.
        problem: Why the case is not corrected though it fails; empty where it holds, or where nothing was asked of it.
        meant: The fields that those may stand for which are written down as pruned, by their paths.
    """

    result: CaseResult
    values: Mapping[str, JSONValue] = {}
    removed: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    turn: str = ""
    problem: str = ""
    meant: Mapping[str, str] = {}


def observe(case: AnyCase, run: Callable[[AnyCase], CaseResult], mode: Mode) -> Observed:
    """
    Return what becomes of *case*.

    Args:
        case: The case.
        run: What runs it, or the same case with other expectations.
        mode: How much is written.
    """
    result = run(case)
    asked = case.is_open or bool(case.blanks) or mode >= Mode.UPDATE
    if result.answer is None:
        return Observed(result, problem=_by_hand(result) if asked else "")
    turn = _turn(case, result.answer)
    if turn and mode < Mode.UPDATE_VERDICTS:
        problem = f"{turn}: only --crd-update-verdicts turns a verdict around"
        return Observed(_failing(case, result), problem=problem if asked else "")
    values, removed = _meant(case, result, mode, is_turned=bool(turn))
    if not values:
        unknown = result.answer.unknown if not _unknown(result.answer).isdisjoint(case.blanks) else ""
        return Observed(result, problem=unknown or _left(case, result, asked=asked))
    declared = {key: value for key, value in case.declared.items() if key not in removed}
    new = run(loader.replace_expectations(case, declared | values))
    if not new.holds:
        return Observed(new if case.blanks else result, problem=_by_hand(new))
    filled = tuple(key for key in values if case.is_open or key in case.blanks)
    return Observed(new, values, removed, filled, turn, meant=_misspelt(case, values, filled, result))


def _meant(
    case: AnyCase, result: CaseResult, mode: Mode, *, is_turned: bool
) -> tuple[dict[str, JSONValue], tuple[str, ...]]:
    """Return the keys that a case is to have, and those that it is to lose."""
    if case.is_open:
        return expectation(case, result), ()
    if is_turned:
        return _turned(case, result)
    values = {key: _observed(key, case, result) for key in case.blanks if key not in _unknown(_answer(result))}
    # These cannot be empty: then they would say nothing.
    values = {key: value for key, value in values.items() if value or key not in {"conflicts", "managers"}}
    return values | (dict(_corrected(case, result)) if mode >= Mode.UPDATE else {}), ()


def expectation(case: AnyCase, result: CaseResult) -> dict[str, JSONValue]:
    """
    Return all that was observed of a case, as the keys of what it expects: the object or the errors, and the lists that are not empty.

    Args:
        case: The case, whatever it expects.
        result: Its outcome, which has an answer.
    """
    answer, verdict = _answer(result), _verdict(result)
    keys = [*case.listed, *(("managers",) if isinstance(case, ApplyCase) else ())]
    listed = {key: _observed(key, case, result) for key in keys if key not in {"warnings", *_unknown(answer)}}
    return {verdict: _observed(verdict, case, result)} | {key: paths for key, paths in listed.items() if paths}


def _verdict(result: CaseResult) -> str:
    """Return the key that says what became of the request."""
    answer = _answer(result)
    if answer.errors:
        return "conflicts" if answer.conflicts else "errors"
    return "accepted" if answer.unknown else "expected"


def _observed(key: str, case: AnyCase, result: CaseResult) -> JSONValue:
    """Return what was observed of that which *key* states."""
    answer, trace = _answer(result), result.trace
    if key == "accepted":
        return True
    if key == "expected":
        return _object(case, answer)
    if key == "errors":
        # That rules were not checked follows from the other errors.
        return [*map(_entry, [one for one in answer.errors if not resourcerules.is_notice(one)] or answer.errors)]
    if key == "conflicts":
        return [{"manager": one.manager, "field": str(one.field)} for one in answer.conflicts]
    if key == "managers":
        return {name: expectedowners.find_shortest_paths(owned) for name, owned in answer.managers.items()}
    listed = {
        "pruned": trace.pruned,
        "defaulted": trace.defaulted,
        "nullsDropped": trace.nulls,
        "lost": trace.lost,
        "warnings": answer.warnings,
    }
    return [*map(str, listed[key])]


def _unknown(answer: CaseAnswer) -> frozenset[str]:
    """Return the keys that nobody can state, as a webhook converts what is stored."""
    return OF_STORED if answer.unknown else frozenset()


def _answer(result: CaseResult) -> CaseAnswer:
    return cast("CaseAnswer", result.answer)


def _object(case: AnyCase, answer: CaseAnswer) -> JSONValue:
    """Return the object, with what a case may leave out only where this one states it."""
    value: dict[str, JSONValue] = cast("Stored", answer.stored).value
    stated = [one for one in (answer.input, getattr(case, "old", None), case.expected) if isinstance(one, dict)]
    names = {name for one in stated for name in _metadata(one)}
    hidden = {*SERVER_MADE, *({*answer.made_up, "namespace"} - names)}
    metadata = {name: item for name, item in _metadata(value).items() if name not in hidden}
    left_out = {name for name in TYPE_META if not any(name in one for one in stated)}
    left_out |= set() if metadata or names - hidden else {"metadata"}
    return {name: metadata if name == "metadata" else item for name, item in value.items() if name not in left_out}


def _metadata(value: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _entry(error: FieldError) -> dict[str, JSONValue]:
    """Return an error as a case states it."""
    field = {"field": error.field} if error.field else {}
    return {**field, "type": error.type.value, "message": error.message}


def _misspelt(
    case: AnyCase, values: Mapping[str, JSONValue], filled: tuple[str, ...], result: CaseResult
) -> dict[str, str]:
    """Return what pruned fields may stand for that *values* are the first to say are pruned, or to leave out."""
    listed = [*values.get("pruned", ()), *(map(str, result.trace.pruned) if "expected" in filled else ())]
    known, meant = case.declared.get("pruned", ()), result.trace.suggestions
    return {path: meant[path] for path in listed if path in meant and path not in known}


# The verdict


def _turn(case: AnyCase, answer: CaseAnswer) -> str:
    """Return how the verdict is not the one that *case* states; empty where it is, or where the case states none."""
    if case.is_open or not isinstance(case, RequestCase):
        return ""
    is_refused, wants_refusal = bool(answer.errors), case.expects_refusal or _leaves_open_refusal(case)
    if is_refused == wants_refusal:
        return ""
    return "accepted -> refused" if is_refused else "refused -> accepted"


def _failing(case: AnyCase, result: CaseResult) -> CaseResult:
    """Return a result that says that the verdict is another, also of a case that states but `errors: TODO`."""
    if not result.holds or not _leaves_open_refusal(case):
        return result
    return result._replace(mismatches=(Accepted(_answer(result).code, (), None),))


def _leaves_open_refusal(case: AnyCase) -> bool:
    return not {"errors", "conflicts"}.isdisjoint(case.blanks)


def _turned(case: AnyCase, result: CaseResult) -> tuple[dict[str, JSONValue], tuple[str, ...]]:
    """Return the keys of the other verdict, and those that contradict it; lists stay lists, and say what is observed."""
    declared, is_refused = case.declared, bool(_answer(result).errors)
    removed = tuple(key for key in (_OF_ACCEPTED if is_refused else _OF_REFUSED) if key in declared)
    verdict = _verdict(result)
    values = {verdict: _observed(verdict, case, result)}
    for key in case.listed:
        paths = _observed(key, case, result)
        if key in declared and key not in removed and declared[key] != paths:
            values[key] = paths
        elif key == "pruned" and key not in declared and paths:
            values[key] = paths  # an error says nothing of them, as the object does
    return values, removed


# Corrections


def _corrected(case: AnyCase, result: CaseResult) -> Iterator[tuple[str, JSONValue]]:
    """Yield the keys that do not hold, with what does."""
    for mismatch in result.mismatches:
        if isinstance(mismatch, ObjectMismatch):
            yield from _corrected_object(case, mismatch, result)
        elif isinstance(mismatch, PathsMismatch):
            yield mismatch.key, [*mismatch.met, *mismatch.unasked]
        elif isinstance(mismatch, ManagersMismatch):
            owned = _observed("managers", case, result)
            yield "managers", {name: owned.get(name, []) for name in case.declared["managers"]}
        elif isinstance(mismatch, ConflictsMismatch) and not mismatch.refusal:
            yield "conflicts", _observed("conflicts", case, result)
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
        yield "expected", _observed("expected", case, result)
    elif _is_as_much(mismatch.expected, mismatch.compared):
        yield "contains", mismatch.compared


def _is_as_much(stated: JSONValue, asked: JSONValue) -> bool:
    """Return whether *asked* says something wherever *stated* does, so that nothing goes unsaid from then on."""
    if isinstance(stated, dict) and isinstance(asked, dict):
        return all(key in asked and _is_as_much(item, asked[key]) for key, item in stated.items())
    if isinstance(stated, list) and isinstance(asked, list):
        return len(stated) <= len(asked) and all(map(_is_as_much, stated, asked))
    return True


def _errors(case: AnyCase, mismatch: ErrorsMismatch, result: CaseResult) -> tuple[list[JSONValue], list[FieldError]]:
    """Return the errors that are met as they are stated, and the nearest of others in their form; and those that are left."""
    nearest = {id(wanted): near.error for wanted, near in mismatch.missing if near is not None}
    missing = {id(wanted) for wanted, _ in mismatch.missing}
    left = [*mismatch.unasked] or [error for error in _answer(result).errors if error.type is ErrorType.REQUEST]
    request = cast("RequestCase", case)
    errors: list[JSONValue] = []
    wanted_errors = (request.errors if mismatch.key == "errors" else request.contains_errors) or ()
    for wanted, stated in zip(wanted_errors, case.declared[mismatch.key], strict=True):
        error = nearest.get(id(wanted))
        if id(wanted) not in missing:
            errors.append(stated)
        elif error is not None and error in left:
            left.remove(error)
            errors.append(_like(stated, error))
    return errors, left


def _like(stated: Mapping[str, JSONValue], error: FieldError) -> JSONValue:
    """Return *error* by the keys that are stated of another; what is searched in the message becomes the message."""
    whole = _entry(error) | {"detail": error.detail}
    if stated.keys() & {"matches", "rule"} or not all(whole.get(key) for key in stated):
        return _entry(error)
    return {key: whole[key] for key in stated}


def _left(case: AnyCase, result: CaseResult, *, asked: bool) -> str:
    """Return why a case stays as it is; empty where it holds, or where nothing was asked of it."""
    if result.holds:
        return f"there is nothing to write for {', '.join(case.blanks)}" if case.blanks else ""
    return _by_hand(result) if asked else ""


def _by_hand(result: CaseResult) -> str:
    """Return what has to be corrected by hand."""
    keys = dict.fromkeys(
        _BY_HAND.get(type(one), getattr(one, "key", "what the server answers")) for one in result.mismatches
    )
    return f"to be corrected by hand: {', '.join(keys)}"


_BY_HAND: Final[Mapping[type, str]] = {
    Present: "absent",
    MessageMismatch: "error",
    ConflictsMismatch: "conflicts",
    Strays: "fields of the input that are dropped",
}
