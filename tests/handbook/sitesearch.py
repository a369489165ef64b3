"""`python -m handbook.sitesearch SITE`: fail where the search of a site that was built does not find what people ask for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
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
# As the site's own search weighs them.
_FIELDS: Final = ({"field_name": "title", "boost": 1000}, {"field_name": "text", "boost": 1})


def main(arguments: Sequence[str]) -> int:
    """Ask the search of the site in a folder; 1 where it does not find a page."""
    index = json.loads((Path(arguments[0]) / "search/search_index.json").read_text(encoding="utf-8"))
    missed = [*_missed(index["docs"])]
    for question, wanted, found in missed:
        sys.stderr.write(f"{question}: {wanted} is not among the first: {', '.join(found)}\n")
    return 1 if missed else 0


def _missed(sections: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, list[str]]]:
    from lunr import lunr  # which there is only where the site is built

    search = lunr(ref="location", fields=_FIELDS, documents=sections)
    for question, wanted in QUESTIONS.items():
        pages = dict.fromkeys(one["ref"].partition("#")[0] for one in search.search(question))
        if wanted not in [*pages][:_FIRST]:
            yield question, wanted, [*pages][:_FIRST]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
