"""Facts of an error come from its data: no code searches the words of a message for them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import pytest_crd

PACKAGE: Final = Path(pytest_crd.__file__).parent
# Attributes of errors with words.
WORDS: Final = frozenset({"message", "detail", "field"})
OF_TEXTS: Final = frozenset(
    {"split", "startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix"}
)
OF_PATTERNS: Final = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub", "split"})
# Modules that may search words, each with the reason.
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
    """Return whether an expression reads the words of an error, or a variable in *named* that holds them."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr in WORDS)
        or (isinstance(part, ast.Name) and part.id in named)
        or (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id == "str"
            and any(isinstance(argument, ast.Name) and "error" in argument.id for argument in part.args)
        )
        for part in ast.walk(node)
    )


def _is_text(value: ast.expr) -> bool:
    """Return whether a value is a text with the words of an error, not a list or object with them."""
    if isinstance(value, ast.IfExp):
        return _is_text(value.body) or _is_text(value.orelse)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return _is_text(value.func.value)  # `error.detail.lower()`
    is_spelled = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str"
    return (is_spelled or isinstance(value, ast.Attribute | ast.JoinedStr)) and _reads_words(value)


def _named(scope: ast.AST) -> frozenset[str]:
    """Return the variables of a function that hold words of errors."""
    assigned = (node_ for node_ in ast.walk(scope) if isinstance(node_, ast.Assign | ast.AnnAssign | ast.NamedExpr))
    return frozenset(
        target.id
        for item in assigned
        if item.value is not None and _is_text(item.value)
        for target in (item.targets if isinstance(item, ast.Assign) else [item.target])
        if isinstance(target, ast.Name)
    )


def searches(tree: ast.AST) -> list[ast.expr]:
    """Return the searches in words of errors, also through variables of a function."""
    functions: list[ast.FunctionDef] = []
    asking: list[ast.Compare | ast.Call] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif isinstance(node, ast.Compare | ast.Call):
            asking.append(node)
    searches = {id(item): item for item in asking if _searches(item, frozenset())}
    for scope in functions:
        inner = [item for item in asking if scope.lineno <= item.lineno <= (scope.end_lineno or 0)]
        if named := _named(scope) if inner else frozenset():
            searches |= {id(item): item for item in inner if _searches(item, named)}
    return sorted(searches.values(), key=lambda item: item.lineno)


def _searches(node: ast.Compare | ast.Call, named: frozenset[str]) -> bool:
    if isinstance(node, ast.Compare):
        is_asked = any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
        return is_asked and any(_reads_words(operand, named) for operand in (node.left, *node.comparators))
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in OF_TEXTS and _reads_words(node.func.value, named):
        return True
    return node.func.attr in OF_PATTERNS and any(_reads_words(argument, named) for argument in node.args)


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
def test_searches_in_words_are_recognized(code: str, *, is_search: bool) -> None:
    assert bool(searches(ast.parse(code))) is is_search


@pytest.mark.uncounted
def test_only_listed_modules_search_the_words_of_errors() -> None:
    searches_by_reader: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        reader = name if name in READERS else name.partition("/")[0]
        for search in searches(ast.parse(path.read_text(encoding="utf-8"))):
            searches_by_reader.setdefault(reader, []).append(f"{name}:{search.lineno}: {ast.unparse(search)}")

    unexpected = [line for reader, lines in searches_by_reader.items() if reader not in READERS for line in lines]
    assert unexpected == []
    assert READERS.keys() - {"report", "cli"} <= searches_by_reader.keys()  # else the reason of a reader is out of date
