"""Mistakes in files: one line for each, with its place."""

from __future__ import annotations

import pickle

from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.inputerror import CrdError, InputError, ManifestError, Mistake


def test_a_mistake_reads_as_file_line_message() -> None:
    assert str(Mistake("a.yaml", 3, "wrong")) == "a.yaml:3: wrong"


def test_a_mistake_of_a_whole_file_has_no_line() -> None:
    assert str(Mistake("a.yaml", 0, "wrong")) == "a.yaml: wrong"


def test_mistakes_sort_by_file_and_line() -> None:
    first, second, third = Mistake("a", 2, "z"), Mistake("a", 10, "a"), Mistake("b", 1, "a")
    assert sorted([third, second, first]) == [first, second, third]


def test_an_input_error_shows_every_mistake_in_the_given_order() -> None:
    mistakes = [Mistake("b", 1, "x"), Mistake("a", 0, "y")]
    error = InputError(iter(mistakes))
    assert str(error) == "b:1: x\na: y"
    assert error.mistakes == tuple(mistakes)


def test_both_classes_of_input_errors_are_value_errors() -> None:
    for kind in (ManifestError, CrdError):
        assert isinstance(kind([]), InputError)
        assert isinstance(kind([]), ValueError)


def test_errors_survive_pickling() -> None:
    for error in (ManifestError([Mistake("a", 1, "x"), Mistake("b", 0, "y")]), PatternError("missing closing )", "(")):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
