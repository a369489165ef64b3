"""Lines of values: looked up with work that grows with the number of keys."""

from __future__ import annotations

import pytest

from pytest_crd.engine.yaml import yamlmarks, yamlreader
from pytest_crd.engine.yaml.yamlnode import YamlNode


def _decoded_keys(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    decoded = []
    text = yamlmarks._text

    def counted(key: YamlNode) -> str:
        decoded.append(key)
        return text(key)

    monkeypatch.setattr(yamlmarks, "_text", counted)
    [document] = yamlreader.read("spec:\n" + "".join(f"  k{index}: 1\n" for index in range(count)), source="a.yaml")

    assert [document.line_of(("spec", f"k{index}")) for index in range(count)] == [*range(2, count + 2)]
    monkeypatch.undo()
    return len(decoded)


def test_the_work_of_all_lines_grows_with_the_number_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _decoded_keys(400, monkeypatch) < 5 * _decoded_keys(100, monkeypatch)


def test_the_line_of_a_duplicate_key_is_that_of_the_last() -> None:
    [document] = yamlreader.read("a: 1\nb: 2\na: 3\n", source="a.yaml")

    assert document.line_of(("a",)) == 3
    assert document.line_of(("c",)) == 1
