"""
Compare what rules say of objects, and what their expressions are estimated to cost, with the reference's own packages.

Schemas, rules all over them, objects and the objects that they replace are made by chance; words, fields, and the budget that is left
must be the same. The expressions of each schema are also compiled and estimated one by one. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from conformance import test_cel

from oracle import options as shared
from oracle.generators import rulegen
from oracle.judges import cel
from oracle.servers import programs
from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import CompileError, EvaluationError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, ruleevaluation, ruletree, schemadeclarations, views
from pytest_crd.engine.rules.compilation import RuleScope
from pytest_crd.engine.rules.ruleevaluation import RuleSubject
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.rules.variables import Bindings
from pytest_crd.engine.schema import structural

JSONValue = Any
Question = dict[str, JSONValue]

# The reference makes the name of a type with a random number in it.
_TYPE_NAME: Final = re.compile(r"selfType[0-9]+")
_BATCH: Final = 50
# The reference goes through maps in random order, and what that costs, too.
_ATTEMPTS: Final = 12


def ask(version: str, questions: Iterable[Question]) -> Iterator[JSONValue]:
    """Yield what the reference answers to each question."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    program = programs.build_for_version("celeval", version)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    yield from map(json.loads, done.stdout.splitlines())


def found(question: Question, kubernetes: Profile) -> JSONValue:
    """Return what the engine answers to *question*."""
    schema = structural.from_schema(question["schema"])
    if not question.get("rules"):
        return {"answers": estimated(question, schema, kubernetes)}
    root = ruletree.build_stored(schema, kubernetes, is_resource=question["root"])
    if root is None:
        raise AssertionError("a schema without rules")
    subject = RuleSubject(question["self"], question.get("oldSelf"), FieldPath(("self",)))
    findings = ruleevaluation.validate(root, subject, kubernetes, budget=question["budget"])
    errors = [{"type": error.type.reason, "field": error.field, "message": error.message} for error in findings.errors]
    return {"errors": errors, "budget": findings.budget}


def estimated(question: Question, schema: structural.Structural, kubernetes: Profile) -> list[dict[str, JSONValue]]:
    """Return what each expression of *question* is: its type, its estimate, its value and its cost."""
    declared = schemadeclarations.declare(schema, kubernetes, "selfType1", is_resource=question["root"])
    if declared is None:
        raise AssertionError("a schema without a type")
    scope = RuleScope(SchemaDeclarations(declared, schemadeclarations.structs(declared)), lambda: scope.declarations)
    environment = environments.stored(kubernetes)
    variables = Bindings()
    variables.bind("self", views.compile(schema, kubernetes), question["self"])
    answers = []
    for text in question["expressions"]:
        try:
            checked = scope.compile(text, environment, optional=False).checked
        except CompileError as error:
            answers.append({"compile": str(error)})
            continue
        try:
            answers.append(test_cel.of_checked(checked, environment, scope, variables))
        except (EvaluationError, KeyError):
            answers.append({})  # a part of the value is an error, and cannot be printed
    return answers


def questions(maker: rulegen.Maker, objects: int) -> list[Question]:
    """Return questions about one schema: of its expressions, and of *objects*."""
    schema = maker.schema(rules=12)
    asked: Question = {"schema": schema, "root": maker.chance(0.3)}
    expressions = [maker.expression(schema, maker.random.choice(sorted(rulegen.TEMPLATES)), []) for _ in range(12)]
    made: list[Question] = [asked | {"environment": "stored", "expressions": expressions, "self": maker.value(schema)}]
    for _ in range(objects):
        value = maker.value(schema)
        old = {"oldSelf": maker.changed(schema, value)} if maker.chance(0.5) else {}
        budget = maker.random.randint(1, 300) if maker.chance(0.1) else ruleevaluation.BUDGET
        made.append(asked | {"rules": True, "self": value, "budget": budget} | old)
    return made


def compared(question: Question, expected: JSONValue, kubernetes: Profile) -> list[str]:
    """Return what is to be said of a question that is answered differently."""
    if re.search("panic|interface conversion|unknown |unsupported comprehension range", json.dumps(expected)):
        return []  # the reference itself fails
    try:
        answer = found(question, kubernetes)
    except Exception as error:  # noqa: BLE001 - a crash is a finding like any other
        return [f"{json.dumps(question)}\n  {error!r}\n  {expected}"]
    if not question.get("rules"):
        pairs = zip(question["expressions"], expected["answers"], answer["answers"], strict=True)
        return [
            f"{json.dumps(question | {'expressions': [text]})}\n  expected {theirs}\n  found    {ours}"
            for text, theirs, ours in pairs
            if ours and theirs != ours
        ]
    theirs, ours = _comparable(expected), _comparable(answer)
    if theirs == ours or (theirs["budget"] <= 0 and ours["budget"] <= 0):  # which rules were run before is random
        return []
    gone = [error for error in theirs["errors"] if error not in ours["errors"]]
    new = [error for error in ours["errors"] if error not in theirs["errors"]]
    left = f"{theirs['budget']} and {ours['budget']}"
    return [f"{json.dumps(question)}\n  expected {gone}\n  found    {new}\n  budgets left {left}"]


def steady(question: Question, expected: JSONValue, version: str) -> list[str]:
    """Return what is to be said of a question; nothing where the reference, asked again, now and then answers as the engine."""
    kubernetes = profile.named(version)
    differences = compared(question, expected, kubernetes)
    if not differences:
        return []
    again = [compared(question, answer, kubernetes) for answer in ask(version, [question] * _ATTEMPTS)]
    return differences if all(again) else []


def _comparable(answer: JSONValue) -> JSONValue:
    errors = [error | {"message": _TYPE_NAME.sub("selfType", error["message"])} for error in answer.get("errors", ())]
    return {"errors": sorted(errors, key=json.dumps), "budget": answer["budget"]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how much of what is made, and of which seed."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schemas", type=int, default=100)
    parser.add_argument("--objects", type=int, default=8)
    parser.add_argument("--odd", type=float, default=0.0, help="how many values are none of their schemas")
    shared.add_version(parser, "--version", choices=cel.VERSIONS)


def main(options: argparse.Namespace) -> int:
    """Compare as many schemas as are asked for; return 1 where one is answered differently."""
    maker = rulegen.Maker(options.seed, odd=options.odd)
    version = options.kubernetes_version
    count = evaluations = 0
    for _ in range(0, options.schemas, _BATCH):
        asked = [each for _ in range(_BATCH) for each in questions(maker, options.objects)]
        for question, expected in zip(asked, ask(version, asked), strict=True):
            evaluations += len(question.get("expressions", ())) or 12
            for difference in steady(question, expected, version):
                count += 1
                print(difference, flush=True)
    print(f"{evaluations} evaluations, {count} differences", file=sys.stderr)
    return int(bool(count))
