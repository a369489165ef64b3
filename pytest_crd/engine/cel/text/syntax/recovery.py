"""
Recovery from syntax errors: errors are reported, and parsing resumes after them.

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
    """Exceeded limit of the parser; the only argument is the message."""


class HopelessError(Exception):
    """End of parsing after too many errors, which are already reported."""


class TokenMismatch(Exception):  # noqa: N818 - always caught; signals a user's syntax error
    """Unexpected token, with the error message."""

    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.token = token
        self.message = message


# Takes an offset and a message.
Report = Callable[[int, str], None]


class Recovery:
    """
    Error recovery of the parser.

    Attributes:
        state: Current state of the network.
        tree: Tree of the rule under way; None outside of rules.
    """

    def __init__(self, network: Network, tokens: TokenStream, report: Report) -> None:
        """Create for *tokens*; syntax errors go to *report*."""
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
        """Consume the expected token, or recover by deleting or inserting a token; raise TokenMismatch if neither helps."""
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
        """Return an inserted token for a missing one."""
        current, before = self._tokens.ahead(), self._tokens.before()
        expected = self._expected(self.state)
        if not self._recovering:
            self._recovering = True
            self._notify(current, f"missing {grammar.display(expected)} at {quote(current.text)}")
        kind = grammar.sort(expected)[0]
        place = before if current.kind == EOF and before is not None else current
        return Token(kind, grammar.conjure(kind), place.offset, -1)

    def _delete_token(self) -> Token | None:
        """Delete an extraneous token if the token after it is expected; return that token, or None."""
        if self._tokens.ahead(1).kind not in self._expected(self.state):
            return None
        self._report_unwanted()
        self._tokens.consume()
        self._end_recovery()
        return self._tokens.ahead()

    def synchronize(self) -> None:
        """Recover if the next token cannot follow at the current state; raise TokenMismatch at a decision."""
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
        """Report *mismatch* unless an earlier error is still being recovered from."""
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
        """Skip tokens up to a possible continuation of an active rule."""
        self._count_recovery()
        skipped = 0
        if self._last_error == self._tokens.position and self.state in self._last_error_states:
            self._tokens.consume()  # no token was consumed since the last error in this state
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
        """Yield the states that called the active rules, innermost first."""
        tree = self.tree
        while tree is not None and tree.invoked_from is not None:
            yield tree.invoked_from
            tree = tree.parent

    def returns(self) -> list[NetworkState]:
        """Return the return states of the active rules, innermost first."""
        follows = [state.transitions[0].follow for state in self._invocations()]
        return [state for state in follows if state is not None]

    def _recovery_set(self) -> frozenset[str]:
        """Return the tokens that can follow any of the active rules."""
        kinds: set[str] = set()
        for follow in self.returns():
            kinds |= self._network.look(follow)
        return frozenset(kinds - {EPSILON})

    def _expected(self, state: NetworkState) -> frozenset[str]:
        """Return the tokens that can follow at *state*, including those after the rule if it can end there."""
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
    escaped = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
