"""
Trees of texts that need not be well formed: what is wrong is reported, and reading goes on behind it.

Reference:
    antlr4 runtime, Parser, DefaultErrorStrategy; cel-go parser/parser.go, recoveryLimitErrorStrategy, recursionListener.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.engine.cel.lexer import EOF
from pytest_crd.engine.cel.limits import MAX_DEPTH
from pytest_crd.engine.cel.syntax import grammar
from pytest_crd.engine.cel.syntax.network import (
    EPSILON,
    Choice,
    Element,
    Kind,
    Many,
    Maybe,
    Network,
    Rule,
    Some,
    State,
    Suffixes,
)
from pytest_crd.engine.cel.syntax.network import Token as TokenElement
from pytest_crd.engine.cel.syntax.prediction import NoAlternativeError, Predictor
from pytest_crd.engine.cel.syntax.tokenstream import Token, TokenStream

_MOST_RECOVERIES: Final = 30
_MOST_SKIPPED: Final = 256


@dataclass(slots=True, eq=False)
class Tree:
    """
    What a rule matched.

    Attributes:
        rule: Name of the rule.
        start: Its first token.
        parent: What it is a part of.
        invoked_from: The state at which the rule was called; None for the whole.
        name: Name of the alternative; that of the rule where there is one alternative, or none was found.
        parts: Tokens and trees by their labels; lists of them for labels that take many.
    """

    rule: str
    start: Token
    parent: Tree | None
    invoked_from: State | None
    name: str
    parts: dict[str, Any] = field(default_factory=dict)

    def get(self, label: str) -> Any:
        """Return the part called *label*, or None."""
        return self.parts.get(label)

    def all(self, label: str) -> list[Any]:
        """Return the parts called *label*."""
        found: list[Any] = self.parts.get(label, [])
        return found


class TooDeepError(Exception):
    """Reading has come to a limit: its only argument says to which."""


class HopelessError(Exception):
    """There is too much wrong to go on; all that is to be said of it has been reported."""


class _Mismatch(Exception):  # noqa: N818 - caught where it may arise, and no error of ours
    """What stands there does not fit; its only argument says so, at a token."""

    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.token = token
        self.message = message


# Told of a place and of what is wrong there.
Report = Callable[[int, str], None]


class Reader:
    """What reads one text."""

    def __init__(self, network: Network, predictor: Predictor, tokens: TokenStream, report: Report) -> None:
        """Read *tokens* by *network*."""
        self._network = network
        self._predictor = predictor
        self._tokens = tokens
        self._report_at = report
        self._tree: Tree | None = None
        self._state = State("")
        self._precedences = [0]
        self._depths: Counter[str] = Counter()
        self._recovering = False
        self._last_error = -1
        self._last_error_states: set[State] = set()
        self._recoveries = 0

    def read(self, rule: str) -> Tree:
        """
        Return the tree of the whole text.

        Raises:
            TooDeepError: A limit of nesting or of skipped tokens is reached.
            HopelessError: There are too many errors.
        """
        return self._invoke(Rule(rule), None)

    # Rules

    def _invoke(self, call: Rule, called_from: State | None) -> Tree:
        """Read what a rule matches."""
        name, elements = call.name, self._network.rules[call.name]
        tree = Tree(name, self._tokens.ahead(), self._tree, called_from, name)
        outer, self._tree, self._state = self._tree, tree, self._network.starts[name]
        self._enter(name)
        self._precedences.append(call.precedence)
        try:
            for element in elements:
                self._element(element)
        except _Mismatch as mismatch:
            self._report(mismatch)
            self._recover()
        self._precedences.pop()
        self._depths[name] -= 1
        tree = self._tree
        self._tree = outer
        if called_from is not None:
            self._state = called_from
        return tree

    def _enter(self, rule: str) -> None:
        self._depths[rule] += 1
        if self._depths[rule] > MAX_DEPTH:
            raise TooDeepError(f"expression recursion limit exceeded: {MAX_DEPTH}")

    @property
    def _current(self) -> Tree:
        assert self._tree is not None  # noqa: S101 - a rule is being read
        return self._tree

    def _sequence(self, elements: Sequence[Element]) -> None:
        for element in elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        self._state = element.state
        match element:
            case TokenElement():
                self._keep(element, self._match(element))
            case Rule():
                self._keep(element, self._invoke(element, element.state))
            case Choice():
                self._choose(element)
            case Maybe():
                self._synchronize()
                if self._enters(element.state):
                    self._sequence(element.elements)
            case Many():
                self._synchronize()
                while self._enters(element.state):
                    self._sequence(element.elements)
                    self._state = element.back
                    self._synchronize()
            case Some():
                self._repeat(element)
            case _:
                self._suffixes(element)

    def _keep(self, element: TokenElement | Rule, part: Token | Tree) -> None:
        if not element.label:
            return
        parts = self._current.parts
        if element.many:
            parts.setdefault(element.label, []).append(part)
        else:
            parts[element.label] = part

    def _choose(self, element: Choice) -> None:
        """Read one of some alternatives."""
        self._synchronize()
        number = self._predict(element.state)
        name, elements = list(element.alternatives.items())[number - 1]
        self._current.name = name
        self._sequence(elements)

    def _repeat(self, element: Some) -> None:
        """Read what stands there once or more."""
        self._synchronize()
        while True:
            self._sequence(element.elements)
            self._state = element.back
            self._synchronize()
            if not self._enters(element.back):
                return

    def _suffixes(self, element: Suffixes) -> None:
        """Read what follows in a left-recursive rule, each time making what was there a part of a new tree."""
        alternatives = list(element.alternatives.items())
        self._synchronize()
        while self._predict(element.state) == 1:
            number = 1
            if len(alternatives) > 1:
                self._state = element.choice
                self._synchronize()
                number = self._predict(element.choice)
            name, (_, elements) = alternatives[number - 1]
            self._grow(name)
            self._sequence(elements)
            self._state = element.back
            self._synchronize()

    def _grow(self, name: str) -> None:
        """Make the current tree the part `left` of a new one."""
        before = self._current
        tree = Tree(before.rule, before.start, before.parent, before.invoked_from, name.strip())
        tree.parts["left"] = before
        before.parent = tree
        self._tree = tree

    def _enters(self, state: State) -> bool:
        """Return whether to go into the first alternative of *state*, a loop's or that of what may stand there."""
        if not self._network.is_simple(state):
            return self._predict(state) == 1
        return self._tokens.ahead().kind in self._network.look(state.transitions[0].target)

    def _predict(self, state: State) -> int:
        """Return the alternative of *state* to go into."""
        tokens = self._tokens
        if self._network.is_simple(state):  # then what stands there has been seen to fit
            kind = tokens.ahead().kind
            ways = enumerate(state.transitions, 1)
            return next(number for number, transition in ways if kind in self._network.look(transition.target))
        try:
            return self._predictor.predict(state, self._precedences[-1], tokens.kind_ahead, self._returns)
        except NoAlternativeError as error:
            raise self._no_alternative(error.lookahead) from None

    def _no_alternative(self, lookahead: int) -> _Mismatch:
        tokens = self._tokens
        first, last = tokens.ahead(), tokens.ahead(lookahead)
        text = EOF if first.kind == EOF else tokens.text_between(first, last)
        return _Mismatch(last, f"no viable alternative at input {_quote(text)}")

    # Errors

    def _match(self, element: TokenElement) -> Token:
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
        expected = self._expected(self._state)
        if not self._recovering:
            self._recovering = True
            self._notify(current, f"missing {grammar.display(expected)} at {_quote(current.text)}")
        kind = grammar.sort(expected)[0]
        place = before if current.kind == EOF and before is not None else current
        return Token(kind, grammar.conjure(kind), place.offset, -1)

    def _delete_token(self) -> Token | None:
        """Pass a token that is too much: one behind which stands what is expected; return what stands there then."""
        if self._tokens.ahead(1).kind not in self._expected(self._state):
            return None
        self._report_unwanted()
        self._tokens.consume()
        self._end_recovery()
        return self._tokens.ahead()

    def _synchronize(self) -> None:
        """See whether what stands there can stand there, and make up for it if not."""
        if self._recovering:
            return
        state, kind = self._state, self._tokens.ahead().kind
        possible = self._network.look(state)
        if EPSILON in possible or kind in possible:
            return
        if state.kind is Kind.DECISION:
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
        expected = grammar.display(self._expected(self._state))
        self._notify(token, f"extraneous input {_quote(token.text)} expecting {expected}")

    def _mismatch(self) -> _Mismatch:
        token = self._tokens.ahead()
        expected = grammar.display(self._expected(self._state))
        return _Mismatch(token, f"mismatched input {_quote(token.text)} expecting {expected}")

    def _report(self, mismatch: _Mismatch) -> None:
        if not self._recovering:
            self._recovering = True
            self._notify(mismatch.token, mismatch.message)

    def _notify(self, token: Token, message: str) -> None:
        self._report_at(token.offset, message)

    def _end_recovery(self) -> None:
        self._recovering = False
        self._last_error = -1
        self._last_error_states = set()

    def _count_recovery(self) -> None:
        if self._recoveries == _MOST_RECOVERIES:
            self._notify(self._tokens.ahead(), f"error recovery attempt limit exceeded: {_MOST_RECOVERIES}")
            raise HopelessError
        self._recoveries += 1

    def _recover(self) -> None:
        """Skip tokens up to one that a rule called before may go on with."""
        self._count_recovery()
        skipped = 0
        if self._last_error == self._tokens.position and self._state in self._last_error_states:
            self._tokens.consume()  # nothing has been passed since the last error here
            skipped = 1
        self._last_error = self._tokens.position
        self._last_error_states.add(self._state)
        self._skip_to(self._recovery_set(), _MOST_SKIPPED - skipped)

    def _skip_to(self, kinds: frozenset[str], most: int | None = None) -> None:
        skipped = 0
        while (kind := self._tokens.ahead().kind) != EOF and kind not in kinds:
            if skipped == most:
                raise TooDeepError(f"error recovery token lookahead limit exceeded: {_MOST_SKIPPED}")
            self._tokens.consume()
            skipped += 1

    def _invocations(self) -> Iterator[State]:
        """Return the states at which the rules that are being read were called, the innermost first."""
        tree = self._tree
        while tree is not None and tree.invoked_from is not None:
            yield tree.invoked_from
            tree = tree.parent

    def _returns(self) -> list[State]:
        """Return the states to which the rules that are being read return, the innermost first."""
        follows = [state.transitions[0].follow for state in self._invocations()]
        return [state for state in follows if state is not None]

    def _recovery_set(self) -> frozenset[str]:
        """Return what may follow any of the rules that are being read."""
        kinds: set[str] = set()
        for follow in self._returns():
            kinds |= self._network.look(follow)
        return frozenset(kinds - {EPSILON})

    def _expected(self, state: State) -> frozenset[str]:
        """Return what may stand at *state*, behind the rule's end too if it may end there."""
        kinds = set(self._network.look(state))
        for follow in self._returns():
            if EPSILON not in kinds:
                break
            kinds = (kinds - {EPSILON}) | self._network.look(follow)
        if EPSILON in kinds:
            kinds = (kinds - {EPSILON}) | {EOF}
        return frozenset(kinds)


def _quote(text: str) -> str:
    shown = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{shown}'"
