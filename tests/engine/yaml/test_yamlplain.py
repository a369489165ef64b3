"""The fast path and the complete decoder agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import decoder, yamlnode, yamlreader
from pytest_crd.engine.yaml.yamlstream import UnreadableError


def completely(text: str) -> decoder.DecodedDocument | None:
    root = yamlnode.compose(text).root
    return None if root is None else decoder.decode(root)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: &x 1", id="an anchor"),
        pytest.param("&x a: 1", id="an anchor of a key"),
        pytest.param("a: &x [1]", id="an anchor of a list"),
        pytest.param("- &x 1", id="an anchor in a list"),
        pytest.param("a: !x 1", id="a tag"),
        pytest.param("!x a: 1", id="a tag of a key"),
        pytest.param("<<: {a: 1}", id="a merge key"),
        pytest.param("a: 1\na: 2", id="a key that is set twice"),
        pytest.param("[a]: 1", id="a key that is no scalar"),
        pytest.param("~: 1", id="a key that is null"),
        pytest.param("a: .inf", id="a value that is no JSON"),
        pytest.param("a: [", id="a broken document"),
        pytest.param("a: \ud800", id="what is no Unicode"),
        pytest.param("%YAML 1.1\n---\na: 1", id="a version"),
        pytest.param("# nothing", id="no document"),
        pytest.param("[" * 1000, id="a deep document"),
    ],
)
def test_the_fast_path_gives_up_at_unusual_features(text: str) -> None:
    assert yamlreader.load_plain(text) is None


@given(
    st.lists(
        st.sampled_from(
            ["a", "b", "1", "on", "1.0", "- ", ": ", ": ", "\n", "\n  ", "\n    ", "[", "]", ",", "x?", "'"]
        )
    ).map("".join)
)
def test_the_fast_path_agrees_with_the_complete_decoder(text: str) -> None:
    try:
        plain = yamlreader.load_plain(text)
    except UnreadableError:
        with pytest.raises(UnreadableError):
            completely(text)
        return
    if plain is None:
        return
    decoded = completely(text)
    assert decoded is not None
    assert jsonvalue.equal(plain.value, decoded.value)
    assert decoded.duplicates == ()
    composed = yamlnode.compose(text)
    assert composed.root is not None
    assert (plain.line, plain.end) == (composed.root.line, composed.end)
