"""
Parser of texts that may have syntax errors, driven by the grammar's network.

Reference:
    antlr4 runtime, Parser; cel-go parser/parser.go, recursionListener.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_crd.engine.cel.expressionlimits import MAX_DEPTH
from pytest_crd.engine.cel.text.lexer import EOF
from pytest_crd.engine.cel.text.syntax.network import (
    Alternatives,
    Element,
    GrammarRule,
    Many,
    Maybe,
    Network,
    NetworkState,
    Some,
    Suffixes,
    TokenElement,
)
from pytest_crd.engine.cel.text.syntax.parsetree import ParseTree
from pytest_crd.engine.cel.text.syntax.prediction import NoAlternativeError, Predictor
from pytest_crd.engine.cel.text.syntax.recovery import ReadingLimitError, Recovery, Report, TokenMismatch, quote
from pytest_crd.engine.cel.text.syntax.tokenstream import Token, TokenStream


class SyntaxReader(Recovery):
    """Parser of one text."""

    def __init__(self, network: Network, predictor: Predictor, tokens: TokenStream, report: Report) -> None:
        """Create a parser of *tokens* with *network*."""
        super().__init__(network, tokens, report)
        self._predictor = predictor
        self._precedences = [0]
        self._depths: Counter[str] = Counter()

    def read(self, rule: str) -> ParseTree:
        """
        Return the parse tree of the whole text.

        Raises:
            ReadingLimitError: A limit of nesting or of skipped tokens is exceeded.
            HopelessError: There are too many errors.
        """
        return self._invoke(GrammarRule(rule), None)

    # Rules

    def _invoke(self, call: GrammarRule, called_from: NetworkState | None) -> ParseTree:
        """Parse a rule and return its tree, with syntax errors reported."""
        name, elements = call.name, self._network.rules[call.name]
        tree = ParseTree(name, self._tokens.ahead(), self.tree, called_from, name)
        outer, self.tree, self.state = self.tree, tree, self._network.starts[name]
        self._enter(name)
        self._precedences.append(call.precedence)
        try:
            for element in elements:
                self._element(element)
        except TokenMismatch as mismatch:
            self.report(mismatch)
            self.recover()
        self._precedences.pop()
        self._depths[name] -= 1
        tree = self.tree
        self.tree = outer
        if called_from is not None:
            self.state = called_from
        return tree

    def _enter(self, rule: str) -> None:
        self._depths[rule] += 1
        if self._depths[rule] > MAX_DEPTH:
            raise ReadingLimitError(f"expression recursion limit exceeded: {MAX_DEPTH}")

    @property
    def _current(self) -> ParseTree:
        assert self.tree is not None  # noqa: S101 - a rule is being read
        return self.tree

    def _sequence(self, elements: Sequence[Element]) -> None:
        for element in elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        self.state = element.state
        match element:
            case TokenElement():
                self._keep(element, self.match(element))
            case GrammarRule():
                self._keep(element, self._invoke(element, element.state))
            case Alternatives():
                self._choose(element)
            case Maybe():
                self.synchronize()
                if self._enters(element.state):
                    self._sequence(element.elements)
            case Many():
                self.synchronize()
                while self._enters(element.state):
                    self._sequence(element.elements)
                    self.state = element.back
                    self.synchronize()
            case Some():
                self._repeat(element)
            case _:
                self._suffixes(element)

    def _keep(self, element: TokenElement | GrammarRule, part: Token | ParseTree) -> None:
        if not element.label:
            return
        parts = self._current.parts
        if element.many:
            parts.setdefault(element.label, []).append(part)
        else:
            parts[element.label] = part

    def _choose(self, element: Alternatives) -> None:
        """Parse the predicted alternative."""
        self.synchronize()
        number = self._predict(element.state)
        name, elements = list(element.alternatives.items())[number - 1]
        self._current.name = name
        self._sequence(elements)

    def _repeat(self, element: Some) -> None:
        """Parse elements that occur at least once."""
        self.synchronize()
        while True:
            self._sequence(element.elements)
            self.state = element.back
            self.synchronize()
            if not self._enters(element.back):
                return

    def _suffixes(self, element: Suffixes) -> None:
        """Parse the suffixes of a left-recursive rule; each wraps the tree so far in a new tree."""
        alternatives = list(element.alternatives.items())
        self.synchronize()
        while self._predict(element.state) == 1:
            number = 1
            if len(alternatives) > 1:
                self.state = element.choice
                self.synchronize()
                number = self._predict(element.choice)
            name, (_, elements) = alternatives[number - 1]
            self._grow(name)
            self._sequence(elements)
            self.state = element.back
            self.synchronize()

    def _grow(self, name: str) -> None:
        """Wrap the current tree as the part `left` of a new tree."""
        before = self._current
        tree = ParseTree(before.rule, before.start, before.parent, before.invoked_from, name.strip())
        tree.parts["left"] = before
        before.parent = tree
        self.tree = tree

    def _enters(self, state: NetworkState) -> bool:
        """Return whether the next tokens match the first alternative of *state*, the body of a loop or of an option."""
        if not self._network.is_simple(state):
            return self._predict(state) == 1
        return self._tokens.ahead().kind in self._network.look(state.transitions[0].target)

    def _predict(self, state: NetworkState) -> int:
        """Return the alternative of *state* to parse; raise TokenMismatch if no alternative fits."""
        tokens = self._tokens
        if self._network.is_simple(state):  # synchronization ensured that the next token fits
            kind = tokens.ahead().kind
            alternatives = enumerate(state.transitions, 1)
            return next(number for number, transition in alternatives if kind in self._network.look(transition.target))
        try:
            return self._predictor.predict(state, self._precedences[-1], tokens.kind_ahead, self.returns)
        except NoAlternativeError as error:
            raise self._no_alternative(error.lookahead) from None

    def _no_alternative(self, lookahead: int) -> TokenMismatch:
        tokens = self._tokens
        first, last = tokens.ahead(), tokens.ahead(lookahead)
        text = EOF if first.kind == EOF else tokens.text_between(first, last)
        return TokenMismatch(last, f"no viable alternative at input {quote(text)}")
