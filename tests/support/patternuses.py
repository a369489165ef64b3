"""Regular expressions of `re` in the package, with the methods that use them."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

PACKAGE: Final = Path(__file__).parents[2] / "pytest_crd"
# The position of the flags among the arguments of each function.
_FLAGS: Final = {
    "compile": 1,
    "match": 2,
    "search": 2,
    "fullmatch": 2,
    "sub": 4,
    "subn": 4,
    "split": 3,
    "findall": 2,
    "finditer": 2,
}
_METHODS: Final = frozenset(_FLAGS) - {"compile"}
_COMPILERS: Final = frozenset({"re", "lazyre"})


class Use(NamedTuple):
    """
    A use of an expression.

    Attributes:
        module: The module that compiles the expression, relative to the package.
        name: The name of the compiled expression there; empty without one.
        pattern: The expression.
        flags: Its flags.
        method: The method that is called; `scan` for `match` from an index.
    """

    module: str
    name: str
    pattern: str | bytes
    flags: int
    method: str


class _Module(NamedTuple):
    """A module with its syntax tree and the methods of expressions that it calls, by the name of the object."""

    path: Path
    tree: ast.Module
    calls: Mapping[str, frozenset[str]]


def find_uses(values: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Use]:
    """
    Yield each use of an expression.

    Args:
        values: By module, the values of the names in expressions that are built at run time; one mapping for each expression.

    Raises:
        NameError: An expression is built of names without values.
    """
    modules = [*_read_modules()]
    for module in modules:
        name = module.path.relative_to(PACKAGE).as_posix()
        for call, target in _find_calls(module.tree):
            methods = [call.func.attr] if call.func.attr != "compile" else _find_methods(module, target, modules)  # type: ignore[attr-defined]
            for pattern, flags in _evaluate(call, name, values.get(name, ({},))):
                yield from (Use(name, target, pattern, flags, method) for method in sorted(methods))


def _read_modules() -> Iterator[_Module]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name == "lazyre.py":
            continue  # its pattern comes from the modules that call it
        source = path.read_text("utf-8")
        if re.search(rf"\.(?:{'|'.join(_FLAGS)})\b", source):
            tree = ast.parse(source)
            calls: dict[str, set[str]] = {}
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and node.attr in _METHODS:
                    calls.setdefault(_final_name(node.value), set()).add(node.attr)
            for node in ast.walk(tree):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "match"
                    and len(node.args) > 1
                ):
                    calls[_final_name(node.func.value)].add("scan")
            yield _Module(path, tree, {name: frozenset(methods) for name, methods in calls.items()})


def _final_name(node: ast.expr) -> str:
    """Return the last name of an expression: `_FORM` of `_FORM`, `words._FORM` and `_FORM[key]`."""
    if isinstance(node, ast.Subscript):
        return _final_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _find_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of `re` and `lazyre`, each with the name of the constant that it is assigned to."""
    assigned = {
        id(inner): _final_name(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        for inner in ast.walk(node.value)
    }
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if (
            isinstance(node, ast.Call)
            and isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id in _COMPILERS
            and function.attr in _FLAGS
        ):
            yield node, assigned.get(id(node), "")


def _find_methods(module: _Module, target: str, modules: Sequence[_Module]) -> frozenset[str]:
    """Return the methods that are called on an expression; all of its module if it has no name there or is passed on."""
    methods = module.calls.get(target, frozenset())
    if not target.startswith("_"):
        methods = methods.union(*(user.calls.get(target, ()) for user in modules))
    constants = {name for _, name in _find_calls(module.tree)} | _COMPILERS
    passed = (calls for name, calls in module.calls.items() if name not in constants)
    return methods or frozenset[str]().union(*passed) or frozenset({"search"})


def _evaluate(call: ast.Call, name: str, values: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str | bytes, int]]:
    module = importlib.import_module(
        ".".join(("pytest_crd", *Path(name).with_suffix("").parts)).removesuffix(".__init__")
    )
    place = _FLAGS[call.func.attr]  # type: ignore[attr-defined]
    flags_of = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] + call.args[place : place + 1]
    evaluated = set()
    for local in values:
        names = {**vars(module), **local, "re": re}
        nodes = (call.args[0], *flags_of)
        pattern, *flags = (eval(compile(ast.Expression(node), name, "eval"), names) for node in nodes)  # noqa: S307 - source of the package
        if pattern not in evaluated:
            evaluated.add(pattern)
            yield pattern, flags[0] if flags else 0
