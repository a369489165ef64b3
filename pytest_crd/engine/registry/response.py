"""Response to a request: the verdict, the stored object, the Status and the warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Locate
from pytest_crd.engine.errors.refusal import Denial, Refusal
from pytest_crd.engine.fieldpath import OwnedPath, SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from pytest_crd.engine.errors import status as statuses
else:
    statuses = lazyimport.module("pytest_crd.engine.errors.status")

CREATED: Final = 201
OK: Final = 200


@dataclass(frozen=True)
class Changes:
    """
    Changes of a resource on its way into the store, by paths as in `unknown field "…"` warnings.

    A path knows its steps. A path decided by a schema is a `ChangedField`, which also knows the keyword.

    Attributes:
        pruned: The unknown fields.
        defaulted: The fields with a filled-in default, parents first.
        nulls: The fields with a dropped null.
        lost: The fields that the storage version does not know; no warning mentions them.
        mutated: The fields that mutating admission adds, changes or removes; no warning mentions them.
    """

    pruned: tuple[SpelledPath, ...] = ()
    defaulted: tuple[SpelledPath, ...] = ()
    nulls: tuple[SpelledPath, ...] = ()
    lost: tuple[SpelledPath, ...] = ()
    mutated: tuple[SpelledPath, ...] = ()


_UNCHANGED: Final = Changes()


class Stored:
    """A stored object that is computed on first use, since most callers need only the verdict."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], JSONValue]) -> None:
        """Create from a function that returns the object; it is called at most once."""
        self._make: Callable[[], JSONValue] | None = make

    @classmethod
    def from_value(cls, value: JSONValue) -> Stored:
        """Create from an existing object."""
        stored = cls(dict)
        stored._make, stored._value = None, value
        return stored

    @property
    def value(self) -> JSONValue:
        """The object."""
        if self._make is not None:
            self._value: JSONValue = self._make()
            self._make = None
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and bool(self.value == other.value)

    __hash__ = None  # type: ignore[assignment] # JSON objects are not hashable

    def __reduce__(self) -> tuple[Callable[[JSONValue], Stored], tuple[JSONValue]]:
        return Stored.from_value, (self.value,)


class FieldConflict(NamedTuple):
    """
    A field of another manager that an apply changes.

    Attributes:
        manager: The name of the other manager.
        field: The path of the field, `spec.replicas`, `spec.listeners[name="a"].port`.
    """

    manager: str
    field: OwnedPath


class NotAcceptedError(AssertionError):
    """
    A request that should be accepted is refused or loses fields; the message lists every reason in the server's words.

    Attributes:
        errors: The causes of the refusal; empty if the request is accepted but loses fields.
    """

    def __init__(self, message: str, errors: tuple[FieldError, ...] = ()) -> None:
        """Create from a message and its errors."""
        super().__init__(message)
        self.errors = errors


@dataclass(frozen=True, repr=False)
class Response:
    """
    The response to one request.

    Attributes:
        code: The HTTP code: 201 or 200 if accepted, 400, 404, 409 or 422 if refused.
        kept: The stored object; None if refused.
        errors: The causes of a 422, in the server's order; for any other refusal one error of type `Request` with the message. Empty only
            if accepted.
        warnings: The texts of the `Warning` headers, in order.
        changes: The pruned, defaulted and dropped fields.
        status: The `Status` object of a refusal; None if accepted.
        scale: The `Scale` object of an accepted request to `/scale`; else None.
        conflicts: The fields of other managers that an apply changes.
        owned: The value of `managers`; None if refused.
        whole: The stored object with its generated values, in the storage version, as the next request finds it. None if refused.
        before: The stored object with its generated values before the request; None if there was none.
        denials: The admission webhooks and policies that refuse the request.
    """

    code: int
    kept: Stored | None = None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: Changes = _UNCHANGED
    status: dict[str, JSONValue] | None = None
    scale: JSONValue = None
    conflicts: tuple[FieldConflict, ...] = ()
    owned: Stored | None = field(default=None, compare=False)
    whole: Stored | None = field(default=None, compare=False)
    before: JSONValue = field(default=None, compare=False)
    denials: tuple[Denial, ...] = ()

    def copied(self) -> Response:
        """Return a deep copy of the response."""
        errors = tuple(replace(error, bad_value=jsonvalue.copy(error.bad_value)) for error in self.errors)
        kept = None if self.kept is None else Stored(lambda: jsonvalue.copy(self.stored))
        return replace(self, kept=kept, errors=errors, status=jsonvalue.copy(self.status))

    def located(self, locate: Locate) -> Response:
        """Return a copy of the response; *locate* supplies the locations of rules and keywords in the CRD."""
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
    def stored(self) -> dict[str, JSONValue]:
        """
        The stored object without generated values: uid, generation, creationTimestamp, resourceVersion and managedFields.

        Raises:
            NotAcceptedError: The request is refused, so that it stores nothing; the message lists every error.
        """
        __tracebackhide__ = True
        if self.kept is None:
            raise self._refusal("nothing is stored, the request is refused")
        value: dict[str, JSONValue] = self.kept.value
        return value

    @property
    def stored_if_accepted(self) -> dict[str, JSONValue] | None:
        """The value of `stored`; None if refused."""
        return None if self.kept is None else self.kept.value

    @property
    def managers(self) -> Mapping[str, tuple[OwnedPath, ...]]:
        """
        The fields that each manager owns in the stored object, by its name: `{"gitops": ("spec.replicas", …)}`.

        Empty if refused, and for an object without managed fields.

        Raises:
            NotImplementedError: The object is a CRD, and it or one of its managed fields entries is of `v1beta1`.
        """
        return {} if self.owned is None else dict(self.owned.value)

    @property
    def changed(self) -> bool:
        """
        Whether the stored object has changed; an update or apply without changes writes nothing.

        Raises:
            NotImplementedError: As for `managers`, because managed fields are a part of the object.
        """
        return self.whole is not None and not jsonvalue.equal(self.whole.value, self.before)

    @property
    def accepted(self) -> bool:
        """Whether the object is stored."""
        return self.status is None

    @property
    def message(self) -> str:
        """The message of the Status; empty if accepted."""
        return "" if self.status is None else str(self.status["message"])

    @property
    def pruned(self) -> tuple[str, ...]:
        """The unknown fields that were dropped, spelled as in `unknown field "…"` warnings."""
        return tuple(map(str, self.changes.pruned))

    @property
    def defaulted(self) -> tuple[str, ...]:
        """The fields with a filled-in default, parents first."""
        return tuple(map(str, self.changes.defaulted))

    @property
    def nulls(self) -> tuple[str, ...]:
        """The fields with a dropped null."""
        return tuple(map(str, self.changes.nulls))

    @property
    def lost(self) -> tuple[str, ...]:
        """The fields that the storage version does not know; they are lost without a warning."""
        return tuple(map(str, self.changes.lost))

    def assert_accepted(self, *, strict: bool = False) -> None:
        """
        Assert that the request is accepted.

        Args:
            strict: Whether lost fields, which the schema does not know, are errors too.

        Raises:
            NotAcceptedError: The request is refused, or loses fields; the message lists every error, or every field.
        """
        __tracebackhide__ = True
        self.assert_accepted_as("the request", strict=strict)

    def assert_accepted_as(self, subject: str, *, source: str = "", strict: bool = False) -> None:
        """
        Assert that the request is accepted, as `assert_accepted` does, with a subject in the message.

        Args:
            subject: The subject of the message.
            source: Its `file:line`; may be empty.
            strict: As in `assert_accepted`.

        Raises:
            NotAcceptedError: As in `assert_accepted`.
        """
        __tracebackhide__ = True
        location = f" ({source})" if source else ""
        if not self.accepted:
            raise self._refusal(f"{subject} is not accepted{location}")
        unknown = [f'unknown field "{path}"' for path in self.pruned]
        lost = [f'field "{path}" is unknown to the storage version' for path in self.lost]
        if strict and (fields := [*unknown, *lost]):
            raise NotAcceptedError(f"{subject} is accepted, but loses fields{location}:\n{_listed(fields)}")

    def _refusal(self, words: str) -> NotAcceptedError:
        return NotAcceptedError(f"{words}: {self.code}\n{_listed(_explained(self.errors))}", self.errors)

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a bare `assert` would hold for a refusal, too."""
        raise TypeError("a Response is neither true nor false; write `.accepted`, as in `assert response.accepted`")

    def __repr__(self) -> str:
        """Return the code, and the errors or the dropped fields, on one line."""
        dropped = [f'unknown field "{path}"' for path in (*self.pruned, *self.lost)]
        reasons = "; ".join(" ".join(str(reason).split()) for reason in (*self.errors, *dropped))
        return f"<Response {self.code}: {reasons}>" if reasons else f"<Response {self.code}>"


def _explained(errors: Iterable[FieldError]) -> Iterator[str]:
    for error in errors:
        yield error.text_with_origin
        yield from (f"  {line}" for line in (error.rule.lines if error.rule else ()))


def _listed(texts: Iterable[str]) -> str:
    return "\n".join(f"  {text}" for text in texts)


def refused(
    refusal: Refusal, *, subject: Mapping[str, str], warnings: Sequence[str] = (), changes: Changes = _UNCHANGED
) -> Response:
    """
    Return the response to a refused request.

    Args:
        refusal: The refusal.
        subject: The `name`, `group` and `kind` for the Status, unless its reason excludes them.
        warnings: The warnings.
        changes: The changes of the object before the refusal.
    """
    subject_ = subject if refusal.subject is None else refusal.subject
    details: dict[str, JSONValue] = {key: value for key, value in subject_.items() if value}
    if refusal.errors:
        details["causes"] = [_cause(error) for error in refusal.errors]
    if refusal.reason in _WITHOUT_SUBJECT:
        details = {"causes": [{"message": refusal.problem}]} if refusal.problem else {}
    if refusal.retry_after:
        details["retryAfterSeconds"] = refusal.retry_after
    # The server writes empty details if it names another object.
    has_details = details or refusal.subject is not None
    status = refusal.status or statuses.failure(
        refusal.code, refusal.reason, refusal.message, details if has_details else None
    )
    errors = refusal.errors or (fielderror.request(refusal.message, refusal.explanation),)
    return Response(
        refusal.code,
        errors=errors,
        warnings=limit_warnings(warnings),
        changes=changes,
        status=status,
        denials=refusal.denials,
    )


_WITHOUT_SUBJECT: Final = frozenset(
    {"BadRequest", "InternalError", "RequestEntityTooLarge", "UnsupportedMediaType", ""}
)


def invalid(  # noqa: PLR0913 - the parts of a Status
    group: str,
    kind: str,
    name: str,
    errors: Sequence[FieldError],
    *,
    warnings: Sequence[str] = (),
    changes: Changes = _UNCHANGED,
) -> Response:
    """
    Return the 422 response for an object with *errors*.

    Args:
        group: The API group of the object; empty if it has none.
        kind: The kind of the object.
        name: Its name; may be empty.
        errors: The errors, in order.
        warnings: The warnings.
        changes: The changes of the object before validation.

    Reference:
        apimachinery pkg/api/errors/errors.go, NewInvalid.
    """
    qualified = f"{kind}.{group}" if group else kind
    details: dict[str, JSONValue] = {"name": printing.replace_bytes(name), "group": group, "kind": kind}
    details = {key: value for key, value in details.items() if value}
    details["causes"] = [_cause(error) for error in errors]
    message = f"{qualified} {printing.quote(name)} is invalid: {fielderror.aggregate(errors)}"
    status = statuses.failure(422, "Invalid", message, details)
    return Response(422, errors=tuple(errors), warnings=limit_warnings(warnings), changes=changes, status=status)


def limit_warnings(warnings: Iterable[str]) -> tuple[str, ...]:
    """
    Return the *warnings* as a client receives them: without duplicates and control characters, and truncated if there are too many.

    Reference:
        apiserver pkg/endpoints/filters/warning.go, recorder.AddWarning; apimachinery util/net, NewWarningHeader.
    """
    sendable = [warning for warning in dict.fromkeys(warnings) if warning and not _CONTROL.search(warning)]
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


_CONTROL: Final = lazyre.compile("[\0-\x1f\x7f-\x9f]")


def _cause(error: FieldError) -> JSONValue:
    return {"reason": error.type.reason, "message": error.message, "field": error.field}
