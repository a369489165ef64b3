"""
The time of hostile expressions relative to the reference: parsing, checking, planning and running to the end.

Each expression runs in its own process. Times are processor times, less the time of a trivial expression. `self` has
lists of 20,000 numbers and texts, a text of 3 million characters, and a map.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from conformance import test_cel
from oracle.options import UsageError

from benchmarks import peers
from benchmarks.figures import Figure
from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.jsonvalue import JSONValue

_MOST_SECONDS: Final = 40.0
_LEAST_SECONDS: Final = 0.01
_PEER: Final = "cel-go"
_NUMBERS: Final = 20_000
SELF: Final[Mapping[str, JSONValue]] = {
    "l": list(range(_NUMBERS)),
    "same": list(range(_NUMBERS)),
    "texts": [f"text {index}" for index in range(_NUMBERS)],
    "s": "a" * 3_000_000,
    "m": {f"key{index}": index for index in range(_NUMBERS)},
}
EXPRESSIONS: Final[Mapping[str, str]] = {
    # Syntax
    "names": "self" + ".a" * 30_000,
    "calls": "self" + ".f()" * 20_000,
    "indices": "self" + "[0]" * 30_000,
    "sums": "''+" * 30_000 + "''",
    "signs": "-" * 50_000 + "1",
    "parentheses": "(" * 40_000,
    "braces": "{" * 40_000,
    "conjunction": "true && " * 12_000 + "true",
    "no end": "a.b.c == " * 250 + "(",
    "nonsense": "$" * 50_000,
    "many items": "[" + "1," * 49_000 + "1] == []",
    "many entries": "{" + "".join(f"{index}:1," for index in range(12_000)) + "} == {}",
    # Loops
    "nested all": "self.l.all(a, self.l.all(b, self.l.all(c, c >= 0)))",
    "nested map": "self.l.map(a, self.l.map(b, a + b))",
    "nested transformMap": "self.l.transformMap(a, b, self.l.transformMap(c, d, b + d))",
    "filters": "self.l" + ".filter(a, a >= 0)" * 30,
    "in a list": "self.l.all(a, a in self.l)",
    "in a dyn list": "self.l.all(a, a in dyn(self.l))",
    "in a list of texts": "self.texts.all(a, a in dyn(self.texts))",
    "in a sum": "self.l.all(a, a in dyn(self.l + self.l))",
    "equal lists": "self.l.all(a, self.l == self.same)",
    "equal dyn lists": "self.l.all(a, dyn(self.l) == dyn(self.same))",
    "equal maps": "self.l.all(a, dyn(self.m) == dyn(self.m))",
    "sets": "sets.contains(self.l, self.l)",
    "dyn sets": "sets.equivalent(dyn(self.l), dyn(self.same))",
    "distinct": "self.l.distinct().size() > 0",
    "sort": "self.l.map(a, -a).sort()[0] <= 0",
    "indexOf": "self.l.all(a, dyn(self.l).indexOf(-1) < 0)",
    "sum": "self.l.all(a, dyn(self.l).sum() > 0)",
    # Texts
    "doubled text": "[self.s]" + ".map(a, a + a)" * 25 + "[0].size() > 0",
    "doubled list": "[self.l]" + ".map(a, a + a)" * 25 + "[0].size() > 0",
    "dyn contains": "self.l.all(a, !dyn(self.s).contains('b'))",
    "dyn matches": "self.l.all(a, !dyn(self.s).matches('b$'))",
    "matches": "self.s.matches('(a*)*(a*)*(a*)*(a*)*b')",
    "findAll": "self.s.findAll('a').size() > 0",
    "find": "self.s.find('a*b') == ''",
    "split": "self.s.split('').size() > 0",
    "replace": "self.s.replace('a', 'bb').size() > 0",
    "quote": "strings.quote(self.s).size() > 0",
    "format of a list": "'%s'.format([self.l]).size() > 0",
    "format of texts": "'%s'.format([self.texts]).size() > 0",
    "format of a map": "'%s'.format([self.m]).size() > 0",
    "format of a precision": "'%.1000000000f'.format([1.5]).size() > 0",
    "formats of texts": f"'{'%s' * 1_000}'.format([{'self.s, ' * 1_000}]).size() > 0",
    "doubled dyn text": "[dyn(self.s)]" + ".map(a, a + a)" * 25 + "[0].size() > 0",
    "texts added": "self.l.all(a, dyn(self.s) + dyn(self.s) != '')",
    "nested lists": "self.l.all(a, [self.l] == [self.same])",
    "equal trees": "[[1]].map(a, " + "[a, a].map(a, " * 22 + "a == a" + ")" * 23 + " == []",
    "formats": f"'{'%s' * 10_000}'.format(self.l.slice(0, 10000)).size() > 0",
    "quantity": "quantity(self.s).isGreaterThan(quantity('1'))",
    "url": "isURL('http://' + self.s)",
    "semver": "isSemver('1.' + self.s)",
}


def reference(program: Path, expression: str) -> tuple[str, float]:
    """Return the outcome of *expression* in the reference, and the seconds of its process."""
    question = json.dumps({"environment": profile.DEFAULT, "self": SELF, "expressions": [expression]}) + "\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        process = subprocess.run(
            [program], input=question, capture_output=True, text=True, check=True, timeout=_MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        outcome_ = "not ended"
    else:
        answer = json.loads(process.stdout)
        outcome_ = answer["problem"] if "problem" in answer else outcome(answer["answers"][0])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return outcome_, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(expression: str) -> tuple[str, float]:
    """Return the outcome of *expression* in this implementation, and its seconds; a slow run is killed."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_answer, args=(expression, sender))
    process.start()
    answer = receiver.recv() if receiver.poll(_MOST_SECONDS) else ("not ended", _MOST_SECONDS)
    process.kill()
    process.join()
    return answer


def _answer(expression: str, result: Any) -> None:
    start = time.process_time()
    try:
        outcome_ = outcome(test_cel.answer(expression, profile.DEFAULT, {"self": SELF}))
    except UnsupportedExpressionError as error:
        outcome_ = str(error)
    result.send((outcome_, time.process_time() - start))


def outcome(answer: Mapping[str, JSONValue]) -> str:
    """Return the error or the value of an answer as a text."""
    problem = answer.get("compile") or answer.get("program") or answer.get("error")
    return str(problem or answer["value"])


def measure(name: str, program: Path, idle: float) -> float:
    """Print the figures of one expression and return the ratio; *idle* is the time of a trivial expression in seconds."""
    their_outcome, theirs = reference(program, EXPRESSIONS[name])
    theirs = max(theirs - idle, _LEAST_SECONDS)
    our_outcome, our = ours(EXPRESSIONS[name])
    agree = "" if our_outcome == their_outcome else f"  {_short(our_outcome)}, not {_short(their_outcome)}"
    print(f"{name:24} {our / theirs:8.1f}  ({our:6.2f} s against {theirs:6.2f} s){agree}", flush=True)
    return our / theirs


def _short(text: str) -> str:
    return repr(text if len(text) < 80 else f"{text[:77]}...")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of expressions."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"(default: all) {', '.join(EXPRESSIONS)}")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the named expressions, or all."""
    if unknown := set(options.names) - EXPRESSIONS.keys():
        raise UsageError(f"no expression is called {', '.join(sorted(unknown))}")
    program = peers.needed_program("celeval", profile.DEFAULT)
    test_cel.answer("self.l.size() > 0", profile.DEFAULT, {"self": SELF})
    idle = min(reference(program, "true")[1] for _ in range(5))
    ratios = {name: measure(name, program, idle) for name in options.names or EXPRESSIONS}
    worst = max(ratios, key=ratios.__getitem__)
    yield Figure("an expression, at the median", statistics.median(ratios.values()), _PEER)
    yield Figure(f"{worst}, the worst", ratios[worst], _PEER)
