"""
`python -m handbook.plainenglish`: list riddles in docstrings, comments, names and pages.

A riddle is a relative clause in place of a noun ("what comes of those that are told"), or a name without a noun (`of`, `found`). A few are right as
they are, so each kind of text in each tree has a limit. The program fails above a limit. Then it lists the hits of that kind last.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from handbook import markdown

ROOT: Final = Path(__file__).parents[2]
RIDDLE: Final = re.compile(
    r"\b(what|nobody|none of|who(ever|m|se)?|(that|those|one) (of|that|which|who)|one by one|of (it|that|them|those|which|whom)"
    r"|with who|(is|are) (asked|known|none|not so|so|told)|know(s|n)? of|(come|make)s? of|stands? (for|in|there))\b",
    re.IGNORECASE,
)
RARE: Final = re.compile(
    r"\b(whilst|lest|there(of|in)|whichever|whoever|whom|upon|shall|thus|hence|albeit|amongst|heretofore|aforementioned|utili[sz]e)\b",
    re.IGNORECASE,
)
VAGUE: Final = re.compile(
    r"_*(alike|another|ask(ed|er)?|found|given|held|its?|kept|known|left|made|making|meant|of|ones?|other|sa(id|ys?)|seen|shown|stated|stray|taken"
    r"|tell|them|they|told|way|what)_*"
)
_DIRECTIVE: Final = re.compile(r"#\s*(!|noqa|pragma|type:)")
_GENERATED: Final = re.compile(r"^<!-- [\w ]+: made by .*?^<!-- end -->$", re.DOTALL | re.MULTILINE)
LONGEST: Final = 25  # words of a sentence

# The largest share of hits, in percent, by tree and kind. Limits only go down: lower one if the counts allow it.
LIMITS: Final[Mapping[str, Mapping[str, float]]] = {
    "pytest_crd": {"docstring": 1.5, "comment": 1.5, "name": 0.2},
    "tests": {"docstring": 2, "comment": 2, "name": 0.2},
    "tools": {"docstring": 3.5, "comment": 1, "name": 0.2},
    "pages": {"sentence": 3, "long sentence": 0, "rare word": 0},
}


class Text(NamedTuple):
    """A text in a file; *kind* is a kind of `LIMITS`."""

    line: int
    kind: str
    text: str
    is_riddle: bool


def python_texts(source: str) -> Iterator[Text]:
    """Yield the docstring summaries, comments and names of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            summary = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
            if summary:
                yield Text(node.body[0].lineno, "docstring", summary, is_riddle=bool(RIDDLE.search(summary)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Text(node.lineno, "name", node.name, is_riddle=bool(VAGUE.fullmatch(node.name)))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Text(node.lineno, "name", node.id, is_riddle=bool(VAGUE.fullmatch(node.id)))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
            yield Text(token.start[0], "comment", token.string, is_riddle=bool(RIDDLE.search(token.string)))


def page_texts(page: str) -> Iterator[Text]:
    """Yield the sentences of a page, without its generated parts, and those that are too long or have a rare word."""
    for line, words, text in markdown.sentences(_GENERATED.sub(lambda match: "\n" * match[0].count("\n"), page)):
        yield Text(line, "sentence", text, is_riddle=bool(RIDDLE.search(words)))
        yield Text(line, "long sentence", text, is_riddle=len(words.split()) > LONGEST)
        yield Text(line, "rare word", text, is_riddle=bool(RARE.search(words)))


def tree_texts(tree: str) -> Iterator[tuple[Path, Text]]:
    """Yield the texts of the files of *tree*, a key of `LIMITS`."""
    if tree == "pages":
        for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]:
            yield from ((path, text) for text in page_texts(path.read_text(encoding="utf-8")))
    else:
        for path in sorted((ROOT / tree).rglob("*.py")):
            yield from ((path, text) for text in python_texts(path.read_text(encoding="utf-8")))


def summarize(tree: str, texts: Sequence[Text], limits: Mapping[str, float]) -> tuple[list[str], dict[str, str]]:
    """Return a line for each kind of text of *tree* within its limit, and the lines of the other kinds by kind."""
    by_kind = {kind: [text.is_riddle for text in texts if text.kind == kind] for kind in limits}
    shares = {kind: 100 * sum(hits) / max(len(hits), 1) for kind, hits in by_kind.items()}
    lines = {
        kind: f"{tree}: {sum(hits)} of {len(hits)} {kind}s ({shares[kind]:.1f} %, limit {limits[kind]} %)"
        for kind, hits in by_kind.items()
    }
    failing = {kind: line for kind, line in lines.items() if shares[kind] > limits[kind]}
    return [line for kind, line in lines.items() if kind not in failing], failing


def main(arguments: list[str] | None = None) -> int:
    """Print the counts, and with `--list` each hit; return 1 if a share is above its limit, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print each hit with its place")
    parser.add_argument("trees", nargs="*", metavar="TREE", help=f"of {', '.join(LIMITS)}; default: all")
    options = parser.parse_args(arguments)
    last: list[str] = []
    for tree in options.trees or LIMITS:
        texts = [*tree_texts(tree)]
        lines, failing = summarize(tree, [text for _, text in texts], LIMITS[tree])
        if options.list:
            lines += _hits(texts, LIMITS[tree].keys() - failing.keys())
        for kind, line in failing.items():
            last += [*_hits(texts, {kind}), f"{line}: FAILED; reword one of the lines above"]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.write("".join(f"{line}\n" for line in last))
    return 1 if last else 0


def _hits(texts: Iterable[tuple[Path, Text]], kinds: Collection[str]) -> Iterator[str]:
    """Yield a line for each riddle of *kinds*, with its place."""
    for path, text in texts:
        if text.is_riddle and text.kind in kinds:
            yield f"{path.relative_to(ROOT)}:{text.line}: {text.kind}: {text.text}"


if __name__ == "__main__":
    sys.exit(main())
