"""
What the server answers to a request: the verdict, the stored object, the Status and the warnings.

It words a refusal as a whole; what is wrong with which field comes from the passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import OwnedPath, SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue

CREATED: Final = 201
OK: Final = 200


@dataclass(frozen=True, slots=True)
class Changes:
    """
    What the server changed in a resource on its way in, by paths as in `unknown field "…"` warnings.

    A path knows its steps; where a schema decided it is a `ChangedField`, which knows the keyword, too.

    Attributes:
        pruned: The unknown fields.
        defaulted: Every place where a default was put in, parents first.
        nulls: Where a null was dropped.
        lost: What was lost on storing, as the storage version does not know it; no warning says so.
    """

    pruned: tuple[SpelledPath, ...] = ()
    defaulted: tuple[SpelledPath, ...] = ()
    nulls: tuple[SpelledPath, ...] = ()
    lost: tuple[SpelledPath, ...] = ()


_UNCHANGED: Final = Changes()


class Stored:
    """A stored object that is made when somebody first asks for it: most answers are asked for the verdict alone."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], JSONValue]) -> None:
        """Take what makes it; called once, or never."""
        self._make: Callable[[], JSONValue] | None = make

    @classmethod
    def of(cls, value: JSONValue) -> Stored:
        """Return one that is made already."""
        return cls(lambda: value)

    @property
    def value(self) -> JSONValue:
        """The object."""
        if self._make is not None:
            self._value: JSONValue = self._make()
            self._make = None
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment] # an object of JSON has none

    def __reduce__(self) -> tuple[Callable[[JSONValue], Stored], tuple[JSONValue]]:
        return Stored.of, (self.value,)


class FieldConflict(NamedTuple):
    """
    A field that an apply changes, and that another manager owns.

    Attributes:
        manager: What the other one calls itself.
        field: The path of the field, `spec.replicas`, `spec.listeners[name="a"].port`.
    """

    manager: str
    field: OwnedPath


class NotAcceptedError(AssertionError):
    """
    What was to be accepted is refused, or loses fields; the message lists every reason as the server words it.

    Attributes:
        errors: Why it is refused; empty where it is accepted, and loses fields.
    """

    def __init__(self, message: str, errors: tuple[FieldError, ...] = ()) -> None:
        """Take the words, and what they are made of."""
        super().__init__(message)
        self.errors = errors


@dataclass(frozen=True, slots=True, repr=False)
class Response:
    """
    The answer to one request.

    Attributes:
        code: The HTTP code: 201 or 200 when accepted, 400, 404, 409 or 422 when not.
        kept: The stored object; None when rejected.
        errors: The causes of a 422, in the server's order; of any other refusal one of type `Request`, whose text is
            the message. Empty only when accepted.
        warnings: The texts of the `Warning` headers, in order.
        changes: What was pruned, defaulted and dropped on the way in.
        status: The `Status` object of a refusal; None when accepted.
        scale: The `Scale` object that a request to `/scale` is answered with; None of any other, and when rejected.
        conflicts: What an apply changes that others own.
        owned: What `managers` says; None when rejected.
        whole: The stored object with what only a server makes, in the storage version: what the next request finds.
            None when rejected.
        before: The same before the request; None where nothing was stored.
    """

    code: int
    kept: Stored | None = None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: Changes = _UNCHANGED
    status: JSONValue = None
    scale: JSONValue = None
    conflicts: tuple[FieldConflict, ...] = ()
    owned: Stored | None = field(default=None, compare=False)
    whole: Stored | None = field(default=None, compare=False)
    before: JSONValue = field(default=None, compare=False)

    def copied(self) -> Response:
        """Return the same answer with values of its own, so that a change in one is none in the other."""
        errors = tuple(replace(error, bad_value=jsonvalue.copy(error.bad_value)) for error in self.errors)
        kept = None if self.kept is None else Stored(lambda: jsonvalue.copy(self.stored))
        return replace(self, kept=kept, errors=errors, status=jsonvalue.copy(self.status))

    def located(self, locate: Locate) -> Response:
        """Return the same answer, of whose rules and keywords *locate* knows where they stand in the CRD."""
        if all(error.rule is None and error.origin is None for error in self.errors):
            return self
        errors = (
            replace(
                error,
                rule=error.rule and error.rule.located(locate),
                origin=error.origin and error.origin.located(locate),
            )
            for error in self.errors
        )
        return replace(self, errors=tuple(errors))

    @property
    def stored(self) -> JSONValue:
        """
        The stored object without what only a server makes; None when rejected.

        A server makes uid, generation, creationTimestamp, resourceVersion and managedFields.
        """
        return None if self.kept is None else self.kept.value

    @property
    def managers(self) -> Mapping[str, tuple[OwnedPath, ...]]:
        """
        Which fields each manager owns of the stored object, by its name: `{"gitops": ("spec.replicas", …)}`.

        Empty when rejected, and of an object whose fields nobody tracks.
        """
        return {} if self.owned is None else dict(self.owned.value)

    @property
    def changed(self) -> bool:
        """Whether something else is stored than before: an update or apply that changes nothing writes nothing."""
        return self.whole is not None and not jsonvalue.equal(self.whole.value, self.before)

    @property
    def accepted(self) -> bool:
        """Whether the object is stored."""
        return self.status is None

    @property
    def message(self) -> str:
        """The message of the Status; empty when accepted."""
        return "" if self.status is None else str(self.status["message"])

    @property
    def pruned(self) -> tuple[str, ...]:
        """The unknown fields that were dropped, spelled as in `unknown field "…"` warnings."""
        return tuple(map(str, self.changes.pruned))

    @property
    def defaulted(self) -> tuple[str, ...]:
        """Every place where a default was put in, parents first."""
        return tuple(map(str, self.changes.defaulted))

    @property
    def nulls(self) -> tuple[str, ...]:
        """Where a null was dropped."""
        return tuple(map(str, self.changes.nulls))

    @property
    def lost(self) -> tuple[str, ...]:
        """The fields that were lost on storing: the storage version does not know them, and no warning says so."""
        return tuple(map(str, self.changes.lost))

    def assert_accepted(self, *, strict: bool = False) -> None:
        """
        Pass when the request is accepted.

        Args:
            strict: Whether fields that are lost on the way, as the schema does not know them, are wrong too.

        Raises:
            NotAcceptedError: It is refused, or loses fields; the message lists every error, or every field.
        """
        __tracebackhide__ = True
        self.assert_accepted_as("the request", strict=strict)

    def assert_accepted_as(self, subject: str, *, source: str = "", strict: bool = False) -> None:
        """
        Do as `assert_accepted`, and say what was asked about.

        Args:
            subject: What was sent, in words.
            source: Where it stands, `file:line`; may be empty.
            strict: As in `assert_accepted`.

        Raises:
            NotAcceptedError: As in `assert_accepted`.
        """
        __tracebackhide__ = True
        where = f" ({source})" if source else ""
        if not self.accepted:
            reasons = _listed(_explained(self.errors))
            raise NotAcceptedError(f"{subject} is not accepted{where}: {self.code}\n{reasons}", self.errors)
        unknown = [f'unknown field "{path}"' for path in self.pruned]
        lost = [f'field "{path}" is unknown to the storage version' for path in self.lost]
        if strict and (fields := [*unknown, *lost]):
            raise NotAcceptedError(f"{subject} is accepted, but loses fields{where}:\n{_listed(fields)}")

    def __repr__(self) -> str:
        """Return the code and the errors, on one line."""
        reasons = "; ".join(" ".join(str(error).split()) for error in self.errors)
        return f"<Response {self.code}: {reasons}>" if reasons else f"<Response {self.code}>"


def _explained(errors: Iterable[FieldError]) -> Iterator[str]:
    for error in errors:
        yield error.told
        yield from (f"  {line}" for line in (error.rule.lines if error.rule else ()))


def _listed(texts: Iterable[str]) -> str:
    return "\n".join(f"  {text}" for text in texts)


def refused(
    refusal: Refusal, *, subject: Mapping[str, str], warnings: Sequence[str] = (), changes: Changes = _UNCHANGED
) -> Response:
    """
    Return the answer to a request that is refused as a whole.

    Args:
        refusal: Why.
        subject: What the Status says it is about, `name`, `group` and `kind`, where its reason is more than a bad
            request.
        warnings: What is said beside.
        changes: What was changed in the object before.
    """
    about = subject if refusal.subject is None else refusal.subject
    details: dict[str, JSONValue] = {key: value for key, value in about.items() if value}
    if refusal.errors:
        details["causes"] = [_cause(error) for error in refusal.errors]
    if refusal.reason in _WITHOUT_SUBJECT:
        details = {"causes": [{"message": refusal.problem}]} if refusal.problem else {}
    status = _status(refusal.code, refusal.reason, refusal.message, details)
    if refusal.subject is not None and not details:
        status["details"] = {}  # which the server writes where it has looked for them
    errors = refusal.errors or (fielderror.request(refusal.message, refusal.explanation),)
    return Response(refusal.code, errors=errors, warnings=sent(warnings), changes=changes, status=status)


_WITHOUT_SUBJECT: Final = frozenset(
    {"BadRequest", "InternalError", "RequestEntityTooLarge", "UnsupportedMediaType", ""}
)


def invalid(  # noqa: PLR0913 - what a Status names
    group: str,
    kind: str,
    name: str,
    errors: Sequence[FieldError],
    *,
    warnings: Sequence[str] = (),
    changes: Changes = _UNCHANGED,
) -> Response:
    """
    Return the 422 for an object with *errors*.

    Args:
        group: The API group of the object; empty where it states none.
        kind: The kind that the object states.
        name: Its name; may be empty.
        errors: What is wrong, in order.
        warnings: What is said beside.
        changes: What was changed in the object before it was found invalid.

    Reference:
        apimachinery pkg/api/errors/errors.go, NewInvalid.
    """
    qualified = f"{kind}.{group}" if group else kind
    details: dict[str, JSONValue] = {"name": printing.replace_bytes(name), "group": group, "kind": kind}
    details = {key: value for key, value in details.items() if value}
    details["causes"] = [_cause(error) for error in errors]
    message = f"{qualified} {printing.quote(name)} is invalid: {fielderror.aggregate(errors)}"
    status = _status(422, "Invalid", message, details)
    return Response(422, errors=tuple(errors), warnings=sent(warnings), changes=changes, status=status)


def sent(warnings: Iterable[str]) -> tuple[str, ...]:
    """
    Return the *warnings* as they arrive: each once, none that an HTTP header cannot hold, cut where there are too many.

    Reference:
        apiserver pkg/endpoints/filters/warning.go, recorder.AddWarning; apimachinery util/net, NewWarningHeader.
    """
    sendable = [warning for warning in dict.fromkeys(warnings) if warning and not _has_control(warning)]
    if sum(map(len, sendable)) <= _TOTAL_RUNES:
        return tuple(sendable)
    cut: list[str] = []
    total = 0
    for warning in sendable:
        if total >= _TOTAL_RUNES:
            break
        cut.append(warning[:_ITEM_RUNES])
        total += len(cut[-1])
    return tuple(cut)


_TOTAL_RUNES: Final = 4096
_ITEM_RUNES: Final = 256


def _has_control(text: str) -> bool:
    return any(char < " " or "\x7f" <= char <= "\x9f" for char in text)


def _cause(error: FieldError) -> JSONValue:
    return {"reason": error.type.reason, "message": error.message, "field": error.field}


def _status(code: int, reason: str, message: str, details: JSONValue) -> JSONValue:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": details,
        "code": code,
    }
    absent = [key for key in ("reason", "details") if not status[key]]
    return {key: value for key, value in status.items() if key not in absent}
