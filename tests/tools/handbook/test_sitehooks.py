"""MkDocs hooks of the site."""

from __future__ import annotations

import pytest
from handbook import sitehooks


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("<code>crd_case_files</code>", "<code>crd_<wbr>case_<wbr>files</code>"),
        ("<code>kubernetesVersion</code>, all", "<code>kubernetes<wbr>Version</code>, all"),
        ("<code>oldSelf</code> and GitLab", "<code>oldSelf</code> and GitLab"),
        ('<a href="crd_case_files">x</a>', '<a href="crd_case_files">x</a>'),
    ],
)
def test_long_names_in_tables_may_break_between_words(cell: str, expected: str) -> None:
    page = "<p>crd_case_files</p><td>{}</td><td>x</td>"

    assert sitehooks.on_post_page(page.format(cell)) == page.format(expected)
