"""
`python -m handbook.sitesearch SITE`: fail where the search of a site that was built does not find what people ask for.

It asks and sorts as the search in the browser does: each word is the beginning of a word, a page counts more than a section of it, and so
does what has more of the words.
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

# What is asked, and a page that has to be among the first three.
QUESTIONS: Final[Mapping[str, str]] = {
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
}
_FIRST: Final = 3
_SEPARATOR: Final = re.compile(r"[\s\-]+")
_TAG: Final = re.compile(r"<[^>]+>")


def main(arguments: Sequence[str]) -> int:
    """Ask the search of the site in a folder; 1 where it does not find a page."""
    index = json.loads((Path(arguments[0]) / "search/search_index.json").read_text(encoding="utf-8"))
    search = Search(index)
    missed = 0
    for question, wanted in QUESTIONS.items():
        found = search.pages(question)[:_FIRST]
        if wanted not in found:
            missed += 1
            sys.stderr.write(f"{question}: {wanted} is not among the first: {', '.join(found)}\n")
    return 1 if missed else 0


class Search:
    """The search of a site."""

    def __init__(self, index: Any) -> None:
        """Index the sections of the site as its configuration says."""
        from lunr import builder, stop_word_filter  # which there is only where the site is built

        self._unless_stopped = stop_word_filter.stop_word_filter
        made = builder.Builder()
        made.b(0)
        made.pipeline.add(self._unless_stopped)
        made.search_pipeline.add(self._unless_stopped)
        made.ref("location")
        for name in ("title", "text"):
            made.field(name, boost=index["config"]["fields"][name]["boost"])
        for section in index["docs"]:
            made.add({**section, "title": _words(section["title"]), "text": _words(section["text"])})
        self._index = made.build()

    def pages(self, question: str) -> list[str]:
        """Return the pages that are found, the best first."""
        terms = [*filter(None, _SEPARATOR.split(question.lower()))]
        found = self._index.search(" ".join(f"{term}*" for term in terms))
        ranked = sorted(found, key=lambda one: -self._score(one, terms))
        return [*dict.fromkeys(one["ref"].partition("#")[0] for one in ranked)]

    def _score(self, found: Any, terms: Sequence[str]) -> float:
        words = [*found["match_data"].metadata]
        met = [any(word.startswith(term) for word in words) for term in terms]
        counted = [one for one, term in zip(met, terms, strict=True) if one or self._unless_stopped(term)]
        weight = ("#" not in found["ref"]) + sum(counted) / len(counted)
        return float(found["score"] * (1 + weight**2))


def _words(text: str) -> list[str]:
    return [*filter(None, _SEPARATOR.split(html.unescape(_TAG.sub(" ", text)).lower()))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
