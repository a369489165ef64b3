"""Manifest files: the files of a path, and the objects in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("b.yaml", "a.yml", "sub/c.json", "sub/note.txt", ".hidden/d.yaml", "other.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("kind: A", encoding="utf-8")
    return tmp_path


def _names(patterns: list[str], base: Path) -> list[tuple[str, bool]]:
    return [(file.name, file.named) for file in manifest.files(patterns, base=base)]


def test_a_folder_is_read_recursively_without_hidden_folders_and_other_files(base: Path) -> None:
    assert _names(["."], base) == [("a.yml", False), ("b.yaml", False), ("sub/c.json", False)]


def test_a_named_file_may_have_any_ending(base: Path) -> None:
    assert _names(["other.txt"], base) == [("other.txt", True)]


def test_a_glob_finds_manifests_and_folders_sorted(base: Path) -> None:
    assert _names(["*"], base) == [("a.yml", False), ("b.yaml", False), ("sub/c.json", False)]
    assert _names(["**/*.json"], base) == [("sub/c.json", False)]


def test_a_file_is_found_once_however_often_it_is_named(base: Path) -> None:
    assert _names(["b.yaml", "sub/../b.yaml", "."], base) == [("b.yaml", True), ("a.yml", False), ("sub/c.json", False)]
    assert _names([".", "b.yaml"], base) == [("a.yml", False), ("b.yaml", True), ("sub/c.json", False)]


def test_a_file_outside_the_base_keeps_its_whole_name(base: Path) -> None:
    outside = str(base / "b.yaml")
    assert _names([outside], base / "sub") == [(outside, True)]


def test_every_pattern_that_names_nothing_is_reported(base: Path) -> None:
    with pytest.raises(ManifestError) as raised:
        manifest.files(["no.yaml", "b.yaml", "no-*"], base=base)
    assert str(raised.value) == (
        f"no.yaml: no such file or folder (relative to {base})\nno-*: matches no file (relative to {base})"
    )


def test_a_folder_without_manifests_is_not_called_missing(base: Path) -> None:
    (base / "empty").mkdir()
    (base / "empty" / "notes.txt").touch()

    with pytest.raises(ManifestError, match=r"^empty: a folder without YAML and JSON files \(relative to "):
        manifest.files(["empty"], base=base)


def test_an_unreadable_file_is_an_error_with_the_reason(base: Path) -> None:
    (file,) = manifest.files(["b.yaml"], base=base)
    assert file.read() == b"kind: A"
    file.path.unlink()
    with pytest.raises(ManifestError) as raised:
        file.read()
    assert str(raised.value) == "b.yaml: cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        pytest.param(b"kind: CustomResourceDefinition", True, id="the word is there"),
        pytest.param(b"kind: Pod", False, id="the word is not there"),
        pytest.param("kind: Pod".encode("utf-16"), True, id="UTF-16 is not searched"),
    ],
)
def test_files_that_do_not_mention_a_word_need_not_be_parsed(content: bytes, *, answer: bool) -> None:
    assert manifest.may_mention(content, "CustomResourceDefinition") is answer


LIST = b"""\
a: 1
---
kind: List
items:
- kind: A
- kind: List
  items:
  - kind: B
    spec:
      c: 1
---
kind: List
items: none
"""


def test_items_of_lists_are_objects_with_their_lines() -> None:
    items = manifest.read(LIST, source="f.yaml")
    assert [item.value for item in items] == [
        {"a": 1},
        {"kind": "A"},
        {"kind": "B", "spec": {"c": 1}},
        {"kind": "List", "items": "none"},
    ]
    assert [item.where for item in items] == ["f.yaml:1", "f.yaml:5", "f.yaml:8", "f.yaml:12"]
    assert items[2].line_of("spec", "c") == 10
    assert items[2].path == ("items", 1, "items", 0)


def test_a_syntax_error_has_a_place() -> None:
    with pytest.raises(ManifestError, match=r"^f\.yaml:\d+: "):
        manifest.read(b"a: [", source="f.yaml")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param("a: 1\n...\nb: 1\n", 3, id="a document behind an end marker"),
        pytest.param("---\na: 1\n---\nb: 1\n... # end\n# nothing\n\n  c: 1\n", 8, id="in a later document"),
    ],
)
def test_text_that_kubernetes_would_skip_is_an_error(content: str, line: int) -> None:
    with pytest.raises(ManifestError) as raised:
        manifest.read(content.encode(), source="f.yaml")
    assert str(raised.value) == (
        f"f.yaml:{line}: Kubernetes reads nothing between `...` and the next `---`; remove `...`, or add `---` here"
    )


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a: 1\n...\n# end\n\n", id="nothing but a comment behind it"),
        pytest.param("a: 1\n...\n---\na: 1\n...\n", id="a new document behind it"),
        pytest.param("a: |\n  ...\n  b\n", id="dots in a text"),
        pytest.param("a: ...\nb: 1\n....: 1\n", id="dots that are no marker"),
    ],
)
def test_an_end_marker_that_hides_no_text_is_ignored(content: str) -> None:
    assert all("a" in item.value for item in manifest.read(content.encode(), source="f.yaml"))


def test_a_file_that_is_read_twice_in_a_run_is_parsed_once() -> None:
    content = b"kind: A\n---\nkind: B\n"
    first, second = manifest.read(content, source="a.yaml"), manifest.read(content, source="a.yaml")
    first.pop()

    assert [item.kind for item in second] == ["A", "B"]
    assert first[0] is second[0]
    assert manifest.read(content, source="b.yaml")[0].where == "b.yaml:1"


@pytest.mark.parametrize(
    ("text", "api_version", "kind", "title"),
    [
        ("{apiVersion: a/v1, kind: A, metadata: {name: a}}", "a/v1", "A", "A/a"),
        ("{apiVersion: 1, kind: [A], metadata: {generateName: a-}}", "", "", "['A']/a-"),
        ("{kind: A, metadata: []}", "", "A", "A"),
        ("[kind]", "", "", ""),
    ],
)
def test_an_object_has_the_type_and_name_that_it_states(text: str, api_version: str, kind: str, title: str) -> None:
    (read,) = manifest.read(text.encode(), source="a.yaml")

    assert (read.api_version, read.kind, read.title) == (api_version, kind, title)
