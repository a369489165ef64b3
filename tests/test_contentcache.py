"""What is known of contents: of which installation, whole or not at all, and never more than there is room for."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from pytest_crd import contentcache
from pytest_crd.contentcache import ContentCache


def _kept() -> ContentCache:
    cache = ContentCache()
    cache.keep(["a", 1], "letters", "x", "y")
    return cache


def test_what_is_kept_is_known_to_the_next_run() -> None:
    again = ContentCache.from_text(_kept().to_text())

    assert again.known("letters", "x", "y") == ["a", 1]
    assert again.known("letters", "x") is None
    assert again.known("letters", "x", "z") is None
    assert not again.is_changed


@pytest.mark.parametrize("change", ["", "x", "\n{}", "[]"])
def test_a_text_that_is_not_whole_counts_for_nothing(change: str) -> None:
    text = _kept().to_text()
    broken = text.replace('["a",1]', '["a",2]') if not change else text + change if change == "x" else change

    assert ContentCache.from_text(broken).known("letters", "x", "y") is None
    assert ContentCache.from_text(text[:-1]).known("letters", "x", "y") is None


def test_what_another_installation_has_written_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = _kept().to_text()
    monkeypatch.setattr(contentcache, "installation", lambda: "other")

    assert ContentCache.from_text(text).known("letters", "x", "y") is None


def test_an_installation_is_another_one_once_a_file_of_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner/__pycache__").mkdir(parents=True)
    module, compiled = tmp_path / "inner/a.py", tmp_path / "inner/__pycache__/a.pyc"
    module.write_text("a = 1\n", encoding="utf-8")
    monkeypatch.setattr(contentcache, "__file__", str(tmp_path / "contentcache.py"))
    before = contentcache.installation()

    compiled.write_bytes(b"a")
    assert contentcache.installation() == before
    os.utime(module, ns=(1, 1))
    assert contentcache.installation() != before
    (tmp_path / "inner/b.py").touch()
    os.utime(module, ns=(1, 1))
    with_b = contentcache.installation()
    (tmp_path / "inner/b.py").unlink()
    assert contentcache.installation() != with_b


def test_a_fact_is_found_out_once() -> None:
    cache, found = ContentCache(), []

    def find() -> str:
        found.append(1)
        return "fact"

    assert [cache.of(find, "a", "key"), cache.of(find, "a", "key"), cache.of(find, "b", "key")] == ["fact"] * 3
    assert len(found) == 2
    assert [cache.of(find, "a", "key", ""), cache.of(find, "a", "key", "")] == ["fact"] * 2
    assert len(found) == 4


def test_what_was_asked_for_the_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contentcache, "_MOST", 2)
    cache = ContentCache()
    for letter in "abc":
        cache.keep(letter, letter)
    assert cache.known("b") == "b"
    cache.keep("d", "d")

    again = ContentCache.from_text(cache.to_text())
    assert [again.known(letter) for letter in "abcd"] == [None, "b", None, "d"]


def test_another_process_knows_nothing() -> None:
    there = pickle.loads(pickle.dumps(_kept()))  # noqa: S301 - of this line

    assert there.known("letters", "x", "y") is None
