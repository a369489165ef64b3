"""
Recovery from syntax errors: what is wrong is reported, and reading goes on behind it.

Reference:
    antlr4 runtime, DefaultErrorStrategy; cel-go parser/parser.go, recoveryLimitErrorStrategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pytest_crd.engine.cel.text.lexer import EOF
from pytest_crd.engine.cel.text.syntax import grammar
from pytest_crd.engine.cel.text.syntax.network import EPSILON, Network, NetworkState, StateKind, TokenElement
from pytest_crd.engine.cel.text.syntax.parsetree import ParseTree
from pytest_crd.engine.cel.text.syntax.tokenstream import Token, TokenStream

_MOST_RECOVERIES: Final = 30
_MOST_SKIPPED: Final = 256


class ReadingLimitError(Exception):
    """Reading has come to a limit: its only argument says to which."""


class HopelessError(Exception):
    """There is too much wrong to go on; all that is to be said of it has been reported."""


class TokenMismatch(Exception):  # noqa: N818 - caught where it may arise, and no error of ours
    """What stands there does not fit; its only argument says so, at a token."""

    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.token = token
        self.message = message


# Told of a place and of what is wrong there.
Report = Callable[[int, str], None]


class Recovery:
    """
    What makes up for tokens that do not fit where a text is read.

    Attributes:
        state: At which state of the grammar the reader is.
        tree: What the rule that is being read has matched so far; None where none is being read.
    """

    def __init__(self, network: Network, tokens: TokenStream, report: Report) -> None:
        """Tell *report* what is wrong with *tokens*."""
        self.state = NetworkState("")
        self.tree: ParseTree | None = None
        self._network = network
        self._tokens = tokens
        self._notify_at = report
        self._recovering = False
        self._last_error = -1
        self._last_error_states: set[NetworkState] = set()
        self._recoveries = 0

    def match(self, element: TokenElement) -> Token:
        """Pass a token that must stand there, or make up for its lack."""
        if self._tokens.ahead().kind in element.kinds:
            self._end_recovery()
            return self._tokens.consume()
        self._count_recovery()
        if self._delete_token() is not None:
            return self._tokens.consume()
        following = element.state.transitions[0].target
        if self._tokens.ahead().kind in self._expected(following):
            return self._conjure()
        raise self._mismatch()

    def _conjure(self) -> Token:
        """Return a token for one that is missing."""
        current, before = self._tokens.ahead(), self._tokens.before()
        expected = self._expected(self.state)
        if not self._recovering:
            self._recovering = True
            self._notify(current, f"missing {grammar.display(expected)} at {quote(current.text)}")
        kind = grammar.sort(expected)[0]
        place = before if current.kind == EOF and before is not None else current
        return Token(kind, grammar.conjure(kind), place.offset, -1)

    def _delete_token(self) -> Token | None:
        """Pass a token that is too much: one behind which stands what is expected; return what stands there then."""
        if self._tokens.ahead(1).kind not in self._expected(self.state):
            return None
        self._report_unwanted()
        self._tokens.consume()
        self._end_recovery()
        return self._tokens.ahead()

    def synchronize(self) -> None:
        """See whether what stands there can stand there, and make up for it if not."""
        if self._recovering:
            return
        state, kind = self.state, self._tokens.ahead().kind
        possible = self._network.look(state)
        if EPSILON in possible or kind in possible:
            return
        if state.kind is StateKind.DECISION:
            if self._delete_token() is None:
                raise self._mismatch()
        else:
            self._report_unwanted()
            self._skip_to(self._expected(state) | self._recovery_set())

    def _report_unwanted(self) -> None:
        if self._recovering:
            return
        self._recovering = True
        token = self._tokens.ahead()
        expected = grammar.display(self._expected(self.state))
        self._notify(token, f"extraneous input {quote(token.text)} expecting {expected}")

    def _mismatch(self) -> TokenMismatch:
        token = self._tokens.ahead()
        expected = grammar.display(self._expected(self.state))
        return TokenMismatch(token, f"mismatched input {quote(token.text)} expecting {expected}")

    def report(self, mismatch: TokenMismatch) -> None:
        """Report what does not fit, unless that follows from what was reported."""
        if not self._recovering:
            self._recovering = True
            self._notify(mismatch.token, mismatch.message)

    def _notify(self, token: Token, message: str) -> None:
        self._notify_at(token.offset, message)

    def _end_recovery(self) -> None:
        self._recovering = False
        self._last_error = -1
        self._last_error_states = set()

    def _count_recovery(self) -> None:
        if self._recoveries == _MOST_RECOVERIES:
            self._notify(self._tokens.ahead(), f"error recovery attempt limit exceeded: {_MOST_RECOVERIES}")
            raise HopelessError
        self._recoveries += 1

    def recover(self) -> None:
        """Skip tokens up to one that a rule called before may go on with."""
        self._count_recovery()
        skipped = 0
        if self._last_error == self._tokens.position and self.state in self._last_error_states:
            self._tokens.consume()  # nothing has been passed since the last error here
            skipped = 1
        self._last_error = self._tokens.position
        self._last_error_states.add(self.state)
        self._skip_to(self._recovery_set(), _MOST_SKIPPED - skipped)

    def _skip_to(self, kinds: frozenset[str], most: int | None = None) -> None:
        skipped = 0
        while (kind := self._tokens.ahead().kind) != EOF and kind not in kinds:
            if skipped == most:
                raise ReadingLimitError(f"error recovery token lookahead limit exceeded: {_MOST_SKIPPED}")
            self._tokens.consume()
            skipped += 1

    def _invocations(self) -> Iterator[NetworkState]:
        """Return the states at which the rules that are being read were called, the innermost first."""
        tree = self.tree
        while tree is not None and tree.invoked_from is not None:
            yield tree.invoked_from
            tree = tree.parent

    def returns(self) -> list[NetworkState]:
        """Return the states to which the rules that are being read return, the innermost first."""
        follows = [state.transitions[0].follow for state in self._invocations()]
        return [state for state in follows if state is not None]

    def _recovery_set(self) -> frozenset[str]:
        """Return what may follow any of the rules that are being read."""
        kinds: set[str] = set()
        for follow in self.returns():
            kinds |= self._network.look(follow)
        return frozenset(kinds - {EPSILON})

    def _expected(self, state: NetworkState) -> frozenset[str]:
        """Return what may stand at *state*, behind the rule's end too if it may end there."""
        kinds = set(self._network.look(state))
        for follow in self.returns():
            if EPSILON not in kinds:
                break
            kinds = (kinds - {EPSILON}) | self._network.look(follow)
        if EPSILON in kinds:
            kinds = (kinds - {EPSILON}) | {EOF}
        return frozenset(kinds)


def quote(text: str) -> str:
    """Return *text* as messages quote it."""
    shown = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{shown}'"
