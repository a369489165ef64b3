"""Messages about undeclared names in the preview: answers of cel-go 0.33 with the libraries of Kubernetes 1.38."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.types import celtypes, suggestions
from pytest_crd.engine.rules import environments


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slef.x", "1:1: undeclared reference to 'slef' (did you mean 'self'?)"),
        ("i", "1:1: undeclared reference to 'i' (did you mean 'in' or 'ip'?)"),
        ("quanttiy('1')", "1:9: undeclared reference to 'quanttiy' (did you mean 'quantity'?)"),
        ("startsWth('a')", "1:10: undeclared reference to 'startsWth' (did you mean 'startsWith'?)"),
        ("foo", "1:1: undeclared reference to 'foo'"),
        (".foo", "1:2: undeclared reference to '.foo'"),
        ("bol{}", "1:4: undeclared reference to 'bol' (did you mean 'bool'?)"),
        # The beginning of names that are too far away.
        (
            "isLink",
            "1:1: undeclared reference to 'isLink' (did you mean 'isLinkLocalUnicast' or 'isLinkLocalMulticast'?)",
        ),
        ("averyverylongname_that_is_unlike(1)", "1:33: undeclared reference to 'averyverylongname_that_is_unlike'"),
        (f"{'a' * 300}", f"1:1: undeclared reference to '{'a' * 300}'"),
        # Qualified names are one error.
        ("strings.quot('a')", "1:13: undeclared reference to 'strings.quot' (did you mean 'strings.quote'?)"),
        (
            "google.protobuf.Durations",
            "1:16: undeclared reference to 'google.protobuf.Durations' (did you mean 'google.protobuf.Duration'?)",
        ),
        ("strings.quote", "1:8: undeclared reference to 'strings.quote'"),
        ("ab.cd.ef.gh(1)", "1:1: undeclared reference to 'ab'"),
        ("self.x.y.z(1)", "1:11: undeclared reference to 'z'"),
        ("[1].all(strings, strings.quot('a') == '')", "1:30: undeclared reference to 'quot'"),
    ],
)
def test_an_undeclared_name_suggests_similar_names(text: str, message: str) -> None:
    assert _find_problem("1.38", text) == f"ERROR: <input>:{message}"


def test_long_names_that_differ_much_are_not_compared_in_full() -> None:
    assert suggestions.find("a" * 70, {"b" * 71}) == []
    assert suggestions.find("a" * 60, {f"{'a' * 59}b"}) == [f"{'a' * 59}b"]


def test_versions_before_the_preview_name_the_container() -> None:
    assert _find_problem("1.37", "slef.x") == "ERROR: <input>:1:1: undeclared reference to 'slef' (in container '')"


def _find_problem(version: str, text: str) -> str:
    environment = environments.stored(profile.named(version)).extend({"self": celtypes.DYN, "oldSelf": celtypes.DYN})
    with pytest.raises(CompileError) as caught:
        environment.compile(text)
    return str(caught.value).splitlines()[0]
