"""
Compare the engine with the reference's packages on validation rules: messages, fields and cost estimates.

Schemas with rules, objects and their old objects are random; messages, fields and the remaining budget must be equal.
The expressions of each schema are also compiled and estimated one by one. A seed repeats a run.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from conformance import test_cel

from oracle import options as shared
from oracle.generators import rulegen
from oracle.judges import cel
from oracle.servers import programs
from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import CompileError, EvaluationError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, evaluation, schemadeclarations, tree, views
from pytest_crd.engine.rules.compilation import RuleScope
from pytest_crd.engine.rules.evaluation import RuleSubject
from pytest_crd.engine.rules.schemadeclarations import SchemaDeclarations
from pytest_crd.engine.rules.variables import Bindings
from pytest_crd.engine.schema import structural

Question = dict[str, JSONValue]

# The reference generates type names with a random number.
_TYPE_NAME: Final = re.compile(r"selfType[0-9]+")
_BATCH: Final = 50
# The reference iterates over maps in random order, which also changes costs.
_ATTEMPTS: Final = 12


def reference_answers(version: str, questions: Iterable[Question]) -> Iterator[JSONValue]:
    """Yield the reference's answer to each question."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    program = programs.build_for_version("celeval", version)
    process = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    yield from map(json.loads, process.stdout.splitlines())


def engine_answer(question: Question, kubernetes: Profile) -> JSONValue:
    """Return the engine's answer to *question*."""
    schema = structural.from_schema(question["schema"])
    if not question.get("rules"):
        return {"answers": estimate(question, schema, kubernetes)}
    root = tree.build_stored(schema, kubernetes, is_resource=question["root"])
    if root is None:
        raise AssertionError("a schema without rules")
    subject = RuleSubject(question["self"], question.get("oldSelf"), FieldPath(("self",)))
    findings = evaluation.validate(root, subject, kubernetes, budget=question["budget"])
    errors = [{"type": error.type.reason, "field": error.field, "message": error.message} for error in findings.errors]
    return {"errors": errors, "budget": findings.budget}


def estimate(question: Question, schema: structural.Structural, kubernetes: Profile) -> list[dict[str, JSONValue]]:
    """Return type, estimate, value and cost of each expression of *question*, or its compile error."""
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
            answers.append({})  # a part of the value is an error, which has no JSON
    return answers


def questions(maker: rulegen.Maker, objects: int) -> list[Question]:
    """Return questions about one schema: one about its expressions, and one for each of *objects* random objects."""
    schema = maker.schema(rules=12)
    base: Question = {"schema": schema, "root": maker.chance(0.3)}
    expressions = [maker.expression(schema, maker.random.choice(sorted(rulegen.TEMPLATES)), []) for _ in range(12)]
    result: list[Question] = [base | {"environment": "stored", "expressions": expressions, "self": maker.value(schema)}]
    for _ in range(objects):
        value = maker.value(schema)
        old = {"oldSelf": maker.changed(schema, value)} if maker.chance(0.5) else {}
        budget = maker.random.randint(1, 300) if maker.chance(0.1) else evaluation.BUDGET
        result.append(base | {"rules": True, "self": value, "budget": budget} | old)
    return result


def compare(question: Question, expected: JSONValue, kubernetes: Profile) -> list[str]:
    """Return descriptions of the differences between the answers to a question."""
    if re.search("panic|interface conversion|unknown |unsupported comprehension range", json.dumps(expected)):
        return []  # the reference crashes
    try:
        answer = engine_answer(question, kubernetes)
    except Exception as error:  # noqa: BLE001 - a crash is a finding like any other
        return [f"{json.dumps(question)}\n  {error!r}\n  {expected}"]
    if not question.get("rules"):
        pairs = zip(question["expressions"], expected["answers"], answer["answers"], strict=True)
        return [
            f"{json.dumps(question | {'expressions': [text]})}\n  expected {theirs}\n  actual   {ours}"
            for text, theirs, ours in pairs
            if ours and theirs != ours
        ]
    theirs, ours = _comparable(expected), _comparable(answer)
    if theirs == ours or (theirs["budget"] <= 0 and ours["budget"] <= 0):  # the rules that ran before are random
        return []
    missing = [error for error in theirs["errors"] if error not in ours["errors"]]
    unexpected = [error for error in ours["errors"] if error not in theirs["errors"]]
    budgets = f"{theirs['budget']} and {ours['budget']}"
    return [f"{json.dumps(question)}\n  expected {missing}\n  actual   {unexpected}\n  remaining budgets {budgets}"]


def compare_repeatedly(question: Question, expected: JSONValue, version: str) -> list[str]:
    """Return descriptions of the differences, empty if the reference sometimes answers as the engine does."""
    kubernetes = profile.named(version)
    differences = compare(question, expected, kubernetes)
    if not differences:
        return []
    again = [compare(question, answer, kubernetes) for answer in reference_answers(version, [question] * _ATTEMPTS)]
    return differences if all(again) else []


def _comparable(answer: JSONValue) -> JSONValue:
    errors = [error | {"message": _TYPE_NAME.sub("selfType", error["message"])} for error in answer.get("errors", ())]
    return {"errors": sorted(errors, key=json.dumps), "budget": answer["budget"]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the counts, the seed and the version."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schemas", type=int, default=100)
    parser.add_argument("--objects", type=int, default=8)
    parser.add_argument("--odd", type=float, default=0.0, help="share of values that do not match their schema")
    shared.add_version(parser, "--version", choices=cel.VERSIONS)


def main(options: argparse.Namespace) -> int:
    """Compare `--schemas` schemas; return 1 if an answer differs."""
    maker = rulegen.Maker(options.seed, odd=options.odd)
    version = options.kubernetes_version
    count = evaluations = 0
    for _ in range(0, options.schemas, _BATCH):
        batch = [each for _ in range(_BATCH) for each in questions(maker, options.objects)]
        for question, expected in zip(batch, reference_answers(version, batch), strict=True):
            evaluations += len(question.get("expressions", ())) or 12
            for difference in compare_repeatedly(question, expected, version):
                count += 1
                print(difference, flush=True)
    print(f"{evaluations} evaluations, {count} differences", file=sys.stderr)
    return int(bool(count))
