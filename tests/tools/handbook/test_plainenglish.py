"""The check of plain English finds riddles in code and pages, and fails above a limit."""

from __future__ import annotations

from pathlib import Path

import pytest
from handbook import plainenglish

MODULE = '''\
"""Return what comes of it."""

import os  # noqa: F401 - nobody uses it

# Nobody reads those that are told.
found = 1
error = 2


def of(value):
    """
    Return the version.

    Nobody reads on.
    """


class Request:
    """A request to the server."""
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one module and one page."""
    monkeypatch.setattr(plainenglish, "ROOT", tmp_path)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "README.md").write_text(
        "# Title\n\nIt lists the errors. It says what `it` makes of them.\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "Return what the server answers",
        "Yield the errors of those that are known",
        "None of which nothing is known",
        "Ask who owns a field",
        "Where a value stands in a list",
    ],
)
def test_relative_clauses_without_a_noun_are_riddles(text: str) -> None:
    assert plainenglish.RIDDLE.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Return the answer of the server",
        "Yield the known errors",
        "Raise LookupError if the version is unknown",
        "A request that changes nothing",
        "True if no CRD was found",
    ],
)
def test_sentences_with_nouns_are_no_riddles(text: str) -> None:
    assert not plainenglish.RIDDLE.search(text)


def test_summaries_comments_and_names_of_a_module_are_texts() -> None:
    texts = [*plainenglish.python_texts(MODULE)]

    assert sorted((text.line, text.kind) for text in texts if text.is_riddle) == [
        (1, "docstring"),
        (5, "comment"),
        (6, "name"),
        (10, "name"),
    ]
    assert sorted(text.text for text in texts if not text.is_riddle) == [
        "A request to the server.",
        "Return the version.",
        "error",
    ]


def test_generated_parts_of_pages_are_no_texts() -> None:
    page = "It ends.\n\n<!-- commands: made by `python -m handbook` -->\n\nNobody reads it.\n\n<!-- end -->\n"

    assert {text.text for text in plainenglish.page_texts(page)} == {"It ends."}


@pytest.mark.parametrize(
    ("sentence", "kinds"),
    [
        ("It thus ends.", ["rare word"]),
        (" ".join(["word"] * 26), ["long sentence"]),
        (" ".join(["word"] * 25), []),
        ("Nobody reads it.", ["sentence"]),
    ],
)
def test_sentences_of_pages_are_short_with_common_words(sentence: str, kinds: list[str]) -> None:
    assert [text.kind for text in plainenglish.page_texts(sentence) if text.is_riddle] == kinds


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("limit", "code"), [(34, 0), (33, 1)])
def test_a_share_above_its_limit_fails(
    limit: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plainenglish, "LIMITS", {"tools": {"docstring": 34, "name": 67}, "pages": {"sentence": limit}})

    assert plainenglish.main([]) == code
    counts = f"pages: 1 of 3 sentences (33.3 %, limit {limit} %)"
    assert capsys.readouterr().out.splitlines() == [
        "tools: 1 of 3 docstrings (33.3 %, limit 34 %)",
        "tools: 2 of 3 names (66.7 %, limit 67 %)",
        *(
            [
                "README.md:3: sentence: It says what `it` makes of them.",
                f"{counts}: FAILED; reword one of the lines above",
            ]
            if code
            else [counts]
        ),
    ]


@pytest.mark.usefixtures("project")
def test_failing_kinds_come_last_with_their_hits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plainenglish, "LIMITS", {"tools": {"docstring": 33, "name": 67}, "pages": {"sentence": 34}})

    assert plainenglish.main(["--list"]) == 1

    *before, hit, verdict = capsys.readouterr().out.splitlines()
    assert hit == "tools/module.py:1: docstring: Return what comes of it."
    assert verdict.startswith("tools: 1 of 3 docstrings (33.3 %, limit 33 %): FAILED")
    assert not [line for line in before if "docstring" in line]
    assert len([line for line in before if ": name: " in line]) == 2


def test_sentences_have_their_lines_and_their_code() -> None:
    page = "# A page\n\n```sh\nrun\n```\n\nIt is one. It reads `a. b`\nand <b>more</b>. Then\n\n- a [link](to.md) in\n  lines\n"

    assert [(text.line, text.text) for text in plainenglish.page_texts(page) if text.kind == "sentence"] == [
        (1, "A page"),
        (7, "It is one."),
        (7, "It reads `a. b` and more."),
        (8, "Then"),
        (10, "a link in lines"),
    ]


@pytest.mark.usefixtures("project")
def test_hits_are_listed_with_their_places(capsys: pytest.CaptureFixture[str]) -> None:
    plainenglish.main(["--list", "tools"])

    assert "tools/module.py:6: name: found\n" in capsys.readouterr().out
