"""Facts stay facts: nobody finds out from the words of an error what the engine knew when it made it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import pytest_crd

PACKAGE: Final = Path(pytest_crd.__file__).parent
# What an error is spelled as.
WORDS: Final = frozenset({"message", "detail", "field"})
OF_TEXTS: Final = frozenset(
    {"split", "startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix"}
)
OF_PATTERNS: Final = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub", "split"})
# Where words are what it is about.
READERS: Final = {
    "report": "words for people are made there",
    "cli": "words for people are made there",
    "cases/refusals.py": "holds what users wrote against the words of errors",
    "coverage/recognition.py": "tells what users wrote of the words of errors",
    "cases/strays.py": "of the fields that an apply is refused for, as no schema has them, there is one message",
    "upgrades/applyeffects.py": "a set of objects is refused in words alone, as one of its items",
    "checks/applycauses.py": "of an apply that is refused there is one message, whatever is wrong with which lists",
    "live/obstacles.py": "a real server gives nothing but its words",
    "engine/rules/rulemessages.py": "words an error of CEL as servers do, which look at its words too",
    "engine/yaml/yamlwords.py": "words an error of YAML as servers do, where it is one of JSON as that",
    "engine/crds/validation/selectablefields.py": "panics where servers do, by the words of the path",
    "engine/registry/response.py": "shows errors on one line",
}


def _reads_words(node: ast.AST, named: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression has the words of an error in it, or one of the names that they were *named*."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr in WORDS)
        or (isinstance(part, ast.Name) and part.id in named)
        or (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id == "str"
            and any(isinstance(one, ast.Name) and "error" in one.id for one in part.args)
        )
        for part in ast.walk(node)
    )


def _is_text(value: ast.expr) -> bool:
    """Return whether a value is the words of an error, or made of them alone: no list, and no object that has them."""
    if isinstance(value, ast.IfExp):
        return _is_text(value.body) or _is_text(value.orelse)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return _is_text(value.func.value)  # `error.detail.lower()`
    is_spelled = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str"
    return (is_spelled or isinstance(value, ast.Attribute | ast.JoinedStr)) and _reads_words(value)


def _named(scope: ast.AST) -> frozenset[str]:
    """Return the names that a function gives to words of errors."""
    assigned = (one for one in ast.walk(scope) if isinstance(one, ast.Assign | ast.AnnAssign | ast.NamedExpr))
    return frozenset(
        target.id
        for one in assigned
        if one.value is not None and _is_text(one.value)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    )


def searches(tree: ast.AST) -> list[ast.expr]:
    """Return what looks for something in the words of an error, also under a name that a function gives them."""
    functions: list[ast.FunctionDef] = []
    asking: list[ast.Compare | ast.Call] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif isinstance(node, ast.Compare | ast.Call):
            asking.append(node)
    found = {id(one): one for one in asking if _searches(one, frozenset())}
    for scope in functions:
        inner = [one for one in asking if scope.lineno <= one.lineno <= (scope.end_lineno or 0)]
        if named := _named(scope) if inner else frozenset():
            found |= {id(one): one for one in inner if _searches(one, named)}
    return sorted(found.values(), key=lambda one: one.lineno)


def _searches(node: ast.Compare | ast.Call, named: frozenset[str]) -> bool:
    if isinstance(node, ast.Compare):
        is_asked = any(isinstance(one, ast.In | ast.NotIn) for one in node.ops)
        return is_asked and any(_reads_words(one, named) for one in (node.left, *node.comparators))
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in OF_TEXTS and _reads_words(node.func.value, named):
        return True
    return node.func.attr in OF_PATTERNS and any(_reads_words(one, named) for one in node.args)


@pytest.mark.parametrize(
    ("code", "is_search"),
    [
        ("'a' in error.message", True),
        ("'a' not in str(error)", True),
        ("error.field.split('.')", True),
        ("re.search('a', error.detail)", True),
        ("error.detail.removeprefix('a')", True),
        ("def f(error):\n    text = str(error)\n    return any(one in text for one in SAYS)", True),
        ("def f(error):\n    return (text := error.detail) and text.startswith('a')", True),
        ("def f(error):\n    text = error.detail.lower() if error else ''\n    return re.search('a', text)", True),
        ("def f(errors):\n    found = [Finding(str(error)) for error in errors]\n    return one in found", False),
        ("def f(text):\n    return 'a' in text\ndef g(error):\n    text = str(error)", False),
        ("error.field == 'a'", False),
        ("'a' in texts", False),
        ("pattern.search(text)", False),
        ("str(path).split('.')", False),
    ],
)
def test_what_a_search_of_words_is(code: str, *, is_search: bool) -> None:
    assert bool(searches(ast.parse(code))) is is_search


@pytest.mark.uncounted
def test_the_words_of_errors_are_searched_by_nobody_but_who_is_about_words() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        reader = name if name in READERS else name.partition("/")[0]
        for search in searches(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(reader, []).append(f"{name}:{search.lineno}: {ast.unparse(search)}")

    unexpected = [line for reader, lines in found.items() if reader not in READERS for line in lines]
    assert unexpected == []
    assert READERS.keys() - {"report", "cli"} <= found.keys()  # else its reason is out of date
