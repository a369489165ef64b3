"""Expressions that are compiled at their first use."""

from __future__ import annotations

import re

import pytest

from pytest_crd import lazyre


def test_an_expression_has_the_methods_and_flags_of_a_compiled_one() -> None:
    form = lazyre.compile("(a)B", re.IGNORECASE)

    assert [form.fullmatch("ab") is not None, form.sub(r"\1", "xAB"), form.groups] == [True, "xA", 1]
    assert form.flags & re.IGNORECASE


def test_an_expression_is_compiled_by_its_first_use() -> None:
    form = lazyre.compile("(")

    with pytest.raises(re.error, match="missing"):
        form.search("a")


def test_a_method_is_looked_up_once() -> None:
    form = lazyre.compile("a")

    assert form.match is form.match
