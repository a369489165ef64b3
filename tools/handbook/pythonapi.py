"""The reference of the Python API, generated from signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import pytest_crd
from pytest_crd import classes, engine, strategies, synthesis
from pytest_crd.engine.errors.origin import FailedRule, Origin
from pytest_crd.engine.registry.response import FieldConflict
from pytest_crd.server.clock import Clock
from pytest_crd.server.faults import Fault, Faults, FaultSelection
from pytest_crd.server.runningcommands import RunningCommand

_LOADING: Final = "`pytest_crd.engine`"
# The public API by heading. The value lists the members of a class to document, in the order in which users need them.
_API: Final[Mapping[str, Mapping[Any, str]]] = {
    f"Loading: {_LOADING}": {
        engine.load: "",
        engine.CustomResourceDefinitions: "openapi notes",
    },
    "A CRD": {
        engine.CustomResourceDefinition: (
            "from_manifest name group kind scope versions version source kubernetes_version under manifest response create "
            "assert_accepted update_from patch apply conditions"
        ),
        engine.Condition: "",
    },
    "A version": {
        engine.CrdVersion: (
            "name served storage crd structural_errors is_structural assert_structural rules prune default create update update_status "
            "patch scale apply openapi json_schema"
        ),
        engine.Pruned: "value paths",
        engine.Defaulted: "value paths nulls",
        engine.Rule: "path steps rule message cost problem budget_share",
    },
    "An answer": {
        engine.Response: (
            "accepted code stored stored_if_accepted errors warnings message status pruned defaulted nulls lost managers conflicts scale changed "
            "assert_accepted"
        ),
        engine.FieldError: "type field path detail bad_value message told origin rule",
        engine.ErrorType: "",
        Origin: "keyword steps source",
        FailedRule: "text source parts",
        FieldConflict: "",
    },
    "A server: the fixture `crd_server`": {
        pytest_crd.CrdServer: (
            "url kubeconfig namespace __getitem__ requests faults clock reset run_command run_operator unvalidated unserved environ"
        ),
        pytest_crd.Resources: "create get list update patch apply delete wait wait_async ready available succeed fail",
        pytest_crd.Requests: "find",
        pytest_crd.LoggedRequest: "",
        Faults: "status delay cut overtake end_watch expire_watch lag_watch random",
        Fault: "hits end",
        FaultSelection: "",
        Clock: "now elapsed freeze advance resume reset",
        RunningCommand: "text output code stop",
        pytest_crd.RequestFailedError: "status code reason",
    },
    "A case: the fixture `crd_case`": {pytest_crd.BoundCase: "name case path check notes"},
    "What is raised": {
        engine.InputError: "",
        engine.ManifestError: "",
        engine.CrdError: "",
        engine.CrdLookupError: "",
        engine.UnknownVersionError: "",
        engine.NotAcceptedError: "",
        engine.NotStructuralError: "",
        engine.DecodeError: "",
        engine.UnsupportedConstructError: "",
        engine.UnsupportedExpressionError: "",
        engine.Mistake: "",
    },
    "Classes and CRDs: `pytest_crd.classes`": {
        classes.crd_of: "",
        classes.compare: "",
        classes.Divergence: "",
        classes.DivergenceKind: "",
    },
    "Objects from schemas: `pytest_crd.synthesis`": {
        synthesis.example: "",
        synthesis.boundary: "",
        synthesis.boundaries: "",
        synthesis.Boundary: "",
        synthesis.NoExampleError: "",
    },
    "Property tests: `pytest_crd.strategies`": {strategies.resources: ""},
}
_OMITTED: Final = ("Reference", "Errors")
_TITLE: Final = re.compile(r"^(Args|Returns|Raises|Yields|Attributes|Reference|Errors):$", re.MULTILINE)
_ITEM: Final = re.compile(r"^([\w., ]+?): ", re.MULTILINE)


def text() -> str:
    """Return the reference as Markdown."""
    return "\n\n".join(part for heading, things in _API.items() for part in (f"## {heading}", *_things(things.items())))


def _things(things: Iterable[tuple[Any, str]]) -> Iterator[str]:
    for thing, members in things:
        yield f"### {thing.__name__}"
        if inspect.isfunction(thing):
            yield _signature(thing, thing.__name__)
        names = [name for name in members.split() if not _is_documented_by_class(thing, name)]
        *paragraphs, last = _described(inspect.getdoc(thing) or "", members.split())
        values = "\n".join(_value(thing, name) for name in names if _is_value(thing, name))
        yield from paragraphs
        yield f"{last}\n{values}" if values and last.startswith("Attributes:") else last
        yield from [f"Attributes:\n\n{values}"] * (bool(values) and not last.startswith("Attributes:"))
        yield from _methods(thing, (name for name in names if not _is_value(thing, name)))


def _is_documented_by_class(thing: Any, name: str) -> bool:
    """Return True if the member is a plain attribute, which the docstring of its class documents."""
    member = inspect.getattr_static(thing, name, None)
    return not _is_value(thing, name) and not isinstance(member, classmethod) and not inspect.isfunction(member)


def _is_value(thing: Any, name: str) -> bool:
    return isinstance(inspect.getattr_static(thing, name, None), property | cached_property)


def _value(thing: Any, name: str) -> str:
    words, *raised = _described(inspect.getdoc(inspect.getattr_static(thing, name)) or "")
    more = [] if not raised else [textwrap.indent("\n\n".join(raised), "    ")]
    return "\n\n".join([f"- `{name}`: {' '.join(words.split())}", *more])


def _methods(thing: Any, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        member = inspect.getattr_static(thing, name)
        function = inspect.unwrap(member.__func__ if isinstance(member, classmethod) else member)
        yield f"#### {thing.__name__}.{name}()"
        yield _signature(function, name)
        yield from _described(inspect.getdoc(function) or "")


def _signature(function: Any, name: str) -> str:
    """Return the signature of a function as it is written, without `self` or `cls`, as a block of code."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if node.args.args and node.args.args[0].arg in ("self", "cls"):
        del node.args.args[0]
    parts = ", ".join(_arguments(node.args))
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    called = f"await {name}" if isinstance(node, ast.AsyncFunctionDef) else name
    line = f"{called}({parts}){returned}"
    if len(line) > 100:
        inner = "".join(f"    {part},\n" for part in _arguments(node.args))
        line = f"{called}(\n{inner}){returned}"
    return f"```python\n{line}\n```"


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    """Yield the source of each parameter, with `*` before keyword-only parameters."""
    padding = [None] * (len(arguments.args) - len(arguments.defaults))
    for argument, default in zip(arguments.args, [*padding, *arguments.defaults], strict=True):
        yield _argument(argument, default)
    if arguments.kwonlyargs:
        yield "*"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _argument(argument, default)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    written = "" if default is None else ast.unparse(default).replace("'", '"')
    equals = " = " if argument.annotation else "="
    return f"{ast.unparse(argument)}{equals if written else ''}{written}"


def _described(docstring: str, members: Sequence[str] = ()) -> Iterator[str]:
    """Yield the paragraphs of a docstring; sections become lists, and that of attributes is limited to *members*."""
    first, *sections = _TITLE.split(docstring)
    yield _lines_joined(first)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title not in _OMITTED:
            inner, after = _indented(body)
            yield f"{title}:\n\n{_listed(inner, title, members)}"
            if after:
                yield _lines_joined(after)


def _indented(body: str) -> tuple[str, str]:
    """Return the indented body of a section, and the text after it."""
    lines = body.strip("\n").splitlines()
    end = next((index for index, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip(), "\n".join(lines[end:]).strip()


def _lines_joined(words: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in words.strip().split("\n\n"))


def _listed(body: str, title: str, members: Sequence[str]) -> str:
    entries = re.sub(r"\n +", " ", body).splitlines()
    if title in ("Returns", "Yields"):
        return f"- {' '.join(entries)}"
    named = [entry for entry in entries if entry.partition(":")[0] in members] if title == "Attributes" else []
    return "\n".join(f"- {_ITEM.sub(_quoted, entry, count=1)}" for entry in named or entries if entry)


def _quoted(found: re.Match[str]) -> str:
    return f"{', '.join(f'`{name}`' for name in found[1].split(', '))}: "
