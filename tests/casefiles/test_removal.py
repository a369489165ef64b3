"""Cases are taken out of a file, with the headings that nothing is below any more, and nothing else."""

from __future__ import annotations

import pytest

from pytest_crd.casefiles import removal

HEAD = "crd: x\n"
KEPT = "- {name: kept, input: {}, accepted: true}\n"


def case(name: str) -> str:
    return f'- name: "{name}"\n  input: {{}}\n  accepted: true\n'


A = case("spec.a: may be set")
OF_UPDATE = A.replace("input", "old: {}\n  input")
B = case("spec.a.b: may be set")
NAMES = ("spec.a: may be set", "spec.a.b: may be set")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(f"create:\n{KEPT}{A}", f"create:\n{KEPT}", id="the last one"),
        pytest.param(f"create:\n{A}{KEPT}{B}", f"create:\n{KEPT}", id="on both sides"),
        pytest.param(f"create:\n{A}{KEPT}", f"create:\n{KEPT}", id="the first one"),
        pytest.param(
            f"create:\n{KEPT}\n# spec.a\n{A}{B}\n# spec.c\n{KEPT.replace('kept', 'c')}",
            f"create:\n{KEPT}\n# spec.c\n{KEPT.replace('kept', 'c')}",
            id="with their heading",
        ),
        pytest.param(
            f"create:\n\n# spec.a\n{A}{KEPT}",
            f"create:\n\n# spec.a\n{KEPT}",
            id="not with one that has another below it",
        ),
        pytest.param(
            f"create:\n{KEPT}\nupdate:\n# spec.a\n{OF_UPDATE}",
            f"create:\n{KEPT}",
            id="with their section",
        ),
        pytest.param(
            f"create:\n{KEPT}\n# spec.a\n{A}# spec.c: nothing\n",
            f"create:\n{KEPT}# spec.c: nothing\n",
            id="before a comment",
        ),
        pytest.param(
            f"create:\n{KEPT}# note\n{A}{B}", f"create:\n{KEPT}# note\n", id="not with a comment that is no heading"
        ),
        pytest.param(
            f"create:\n{KEPT}{A}---\ncrd: z\ncreate:\n{B}{KEPT.replace('kept', 'other')}",
            f"create:\n{KEPT}---\ncrd: z\ncreate:\n{KEPT.replace('kept', 'other')}",
            id="in each document",
        ),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_rest_of_a_file_stays(before: str, after: str, mark: str) -> None:
    remaining = removal.remove_cases(f"{mark}{HEAD}{before}".encode(), NAMES, source="a.yaml")

    assert remaining is not None
    assert remaining.content.decode() == f"{mark}{HEAD}{after}"
    assert not remaining.lost


def test_lost_comments_other_than_headings_are_reported() -> None:
    text = f"{HEAD}create:\n{KEPT}# spec.a\n{A.replace('input: {}', 'input: {} # why')}"

    remaining = removal.remove_cases(text.encode(), NAMES, source="a.yaml")

    assert remaining is not None
    assert remaining.lost == ((6, "# why"),)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{HEAD}create:\n{A}", id="nothing is left"),
        pytest.param(f'{HEAD}create: [{{name: "{NAMES[0]}", input: {{}}, accepted: true}}]\n', id="in brackets"),
        pytest.param(
            f"{HEAD}create:\n{A.replace('input: {}', 'input: &a {}')}{KEPT.replace('{}', '*a')}",
            id="others share what is in it",
        ),
        pytest.param(f'{{"crd": "x"}}\n---\n{HEAD}create:\n{A}{KEPT}', id="what is read otherwise"),
    ],
)
def test_cases_that_cannot_be_removed(text: str) -> None:
    assert removal.remove_cases(text.encode(), NAMES, source="a.yaml") is None
