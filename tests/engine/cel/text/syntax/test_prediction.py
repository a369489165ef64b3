"""Prediction in a grammar with decisions that depend on the calling rule."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_crd.engine.cel.text.lexer import EOF
from pytest_crd.engine.cel.text.syntax import grammar, prediction
from pytest_crd.engine.cel.text.syntax.network import Alternatives, GrammarRule, Network, TokenElement
from pytest_crd.engine.cel.text.syntax.prediction import NoAlternativeError, Predictor, _predict_in_context
from pytest_crd.engine.cel.text.syntax.reader import SyntaxReader
from pytest_crd.engine.cel.text.syntax.tokenstream import TokenStream


def token(kind: str) -> TokenElement:
    return TokenElement(frozenset({kind}))


CHOICE = Alternatives({"One": [GrammarRule("one")], "Two": [GrammarRule("two")]})
FIRST, SECOND = GrammarRule("choice"), GrammarRule("choice")
NETWORK = Network(
    {
        "start": [
            Alternatives(
                {"First": [token("a"), FIRST, token("x"), token("y")], "Second": [token("b"), SECOND, token("x")]}
            ),
            token(EOF),
        ],
        "choice": [CHOICE],
        "one": [token("n")],
        "two": [token("n"), token("x")],
    }
)


def predict(*kinds: str, called: GrammarRule) -> int:
    following = called.state.transitions[0].follow
    assert following is not None
    return Predictor().predict(CHOICE.state, 0, [*kinds, EOF].__getitem__, lambda: [following])


def test_tokens_after_the_rule_decide() -> None:
    assert predict("n", "x", "y", called=FIRST) == 1
    assert predict("n", "x", "x", called=SECOND) == 2


def test_tokens_without_an_alternative_are_refused() -> None:
    with pytest.raises(NoAlternativeError):
        predict("m", called=FIRST)


def test_the_calling_context_decides() -> None:
    following = SECOND.state.transitions[0].follow
    assert following is not None
    assert _predict_in_context(CHOICE.state, 0, ["n", "x", "x"].__getitem__, lambda: [following]) == 2
    with pytest.raises(NoAlternativeError) as caught:
        _predict_in_context(CHOICE.state, 0, ["n", "z"].__getitem__, lambda: [following])

    assert caught.value.lookahead == 1


def test_prediction_states_are_shared_by_repeated_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Counter[str]()
    step = prediction._Walk.step

    def counted(walk: Any, configurations: Any, kind: str) -> Any:
        steps[kind] += 1
        return step(walk, configurations, kind)

    monkeypatch.setattr(prediction._Walk, "step", counted)
    network, problems = grammar.network(escaped_identifiers=True), list[str]()

    def report(_offset: int, problem: str) -> None:
        problems.append(problem)

    tokens = TokenStream("a" + ".a" * 1000, report, escaped_identifiers=True)
    SyntaxReader(network, Predictor(), tokens, report).read("start")

    assert not problems
    assert 0 < steps.total() < 20
