"""
`python -m handbook.sitesearch SITE`: check that the search of a built site finds the expected pages.

It searches and sorts as the search in the browser does: each term is a prefix, pages rank above their sections, and
results with more of the terms rank higher.
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

# The page of recipes, and the rows of its index, with the words that people type.
RECIPES: Final = "how-to/recipes/"
_DOCS: Final = Path(__file__).parents[2] / "docs"
_INDEX: Final = re.compile(r"^\| (.+) \| \[.+\]\(#.+\) \|$", re.MULTILINE)
# Queries, each with a page that has to be among the first three results.
QUERIES: Final[Mapping[str, str]] = {
    "only run checks": "how-to/check-without-cases/",
    "regenerate a file": "how-to/generate-cases/",
    "what to commit": "tutorials/ci-for-a-go-operator/",
    "where case files go in a Go repository": "tutorials/ci-for-a-go-operator/",
    "allow a change": "how-to/guard-upgrades/",
    "exclude a path": "how-to/find-crds/",
    "several Kubernetes versions": "how-to/several-versions/",
    "live with a kubeconfig": "how-to/ask-a-live-server/",
    "what lost means": "reference/case-file/",
    "which Kubernetes versions": "reference/kubernetes-versions/",
    **{
        word: RECIPES
        for words in _INDEX.findall((_DOCS / f"{RECIPES.rstrip('/')}.md").read_text(encoding="utf-8"))
        for word in words.split(", ")
    },
}
_FIRST: Final = 3
_SEPARATOR: Final = re.compile(r"[\s\-]+")
_TAG: Final = re.compile(r"<[^>]+>")


def main(arguments: Sequence[str]) -> int:
    """Run all queries on the site in a folder; return 1 if an expected page is missing, else 0."""
    index = json.loads((Path(arguments[0]) / "search/search_index.json").read_text(encoding="utf-8"))
    search = Search(index)
    missed = 0
    for query, wanted in QUERIES.items():
        results = search.pages(query)[:_FIRST]
        if wanted not in results:
            missed += 1
            sys.stderr.write(f"{query}: {wanted} is not among the first: {', '.join(results)}\n")
    return 1 if missed else 0


class Search:
    """The search index of a site."""

    def __init__(self, index: Any) -> None:
        """Index the sections of the site, with the boosts of its configuration."""
        from lunr import builder, stop_word_filter  # installed only to build the site

        self._unless_stopped = stop_word_filter.stop_word_filter
        index_builder = builder.Builder()
        index_builder.b(0)
        index_builder.pipeline.add(self._unless_stopped)
        index_builder.search_pipeline.add(self._unless_stopped)
        index_builder.ref("location")
        for name in ("title", "text"):
            index_builder.field(name, boost=index["config"]["fields"][name]["boost"])
        for section in index["docs"]:
            index_builder.add({**section, "title": _words(section["title"]), "text": _words(section["text"])})
        self._index = index_builder.build()

    def pages(self, query: str) -> list[str]:
        """Return the pages that match *query*, the best first."""
        terms = [*filter(None, (term.rstrip(":") for term in _SEPARATOR.split(query.lower())))]
        results = self._index.search(" ".join(f"{term}*" for term in terms))
        ranked = sorted(results, key=lambda result: -self._score(result, terms))
        return [*dict.fromkeys(result["ref"].partition("#")[0] for result in ranked)]

    def _score(self, result: Any, terms: Sequence[str]) -> float:
        words = [*result["match_data"].metadata]
        is_matched = [any(word.startswith(term) for word in words) for term in terms]
        counted = [
            matched for matched, term in zip(is_matched, terms, strict=True) if matched or self._unless_stopped(term)
        ]
        weight = ("#" not in result["ref"]) + sum(counted) / len(counted)
        return float(result["score"] * (1 + weight**2))


def _words(text: str) -> list[str]:
    return [*filter(None, _SEPARATOR.split(html.unescape(_TAG.sub(" ", text)).lower()))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
