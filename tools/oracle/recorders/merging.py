"""
Run the tests of structured-merge-diff that the reference is built with, and write down what these call and what it answers.

Nothing of the tests is kept but values: each call of the module that a test makes is a fact, of its arguments and of its answer. The files
in `reference/merging` are added to the packages of a copy of the module, in which what they wrap gets another name. Facts are in tests/conformance/merging;
`tests/conformance/merging.py` says how they are written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from conformance import converters, merging

from oracle.recorders import files
from oracle.servers import programs
from oracle.servers.versions import NEWEST

JSONValue = Any

MODULE: Final = "sigs.k8s.io/structured-merge-diff/v6"
WRAPPERS: Final = programs.REFERENCE / "merging"
# A function that other packages see: its receiver's type, where it is one, and its name.
_FUNCTION: Final = re.compile(r"^func (?:\(\w+ \*?(\w+)\) )?([A-Z]\w*)\(", re.MULTILINE)
# What depends on the order of Go's maps is called often.
_TIMES: Final = 2


def module(name: str = MODULE) -> Path:
    """Return the folder of a module in Go's cache."""
    where = ("go", "list", f"-modfile=k8s-{NEWEST}.mod", "-m", "-f", "{{.Dir}}", name)
    found = subprocess.run(where, cwd=programs.REFERENCE, capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


def copy(module: Path, sources: Path) -> None:
    """Copy a module of Go's cache, which can only be read."""
    shutil.copytree(module, sources, copy_function=shutil.copyfile)
    for path in (sources, *sources.rglob("*/")):
        path.chmod(0o755)


def lay_over(sources: Path, wrappers: Path = WRAPPERS) -> None:
    """Give what the wrappers wrap another name in a copy of the module, and add them."""
    for wrapper in sorted(wrappers.rglob("recording.go")):
        package = sources / wrapper.parent.relative_to(wrappers)
        text = wrapper.read_text(encoding="utf-8")
        for source in sorted(package.glob("*.go")):
            if not source.name.endswith("_test.go"):
                source.write_text(renamed(source.read_text(encoding="utf-8"), text), encoding="utf-8")
        (package / wrapper.name).write_text(text, encoding="utf-8")


def renamed(source: str, wrapper: str) -> str:
    """Return the text of a Go file in which each function that is in *wrapper* too is called `unrecorded…`."""
    wrapped = set(_FUNCTION.findall(wrapper))

    def name(match: re.Match[str]) -> str:
        receiver, called = match.groups("")
        return f"{match[0][: -len(called) - 1]}unrecorded{called}(" if (receiver, called) in wrapped else match[0]

    return _FUNCTION.sub(name, source)


def called() -> Iterator[JSONValue]:
    """Yield the facts of a run of all tests."""
    with tempfile.TemporaryDirectory() as folder:
        sources, out = Path(folder, "module"), Path(folder, "facts.jsonl")
        copy(module(), sources)
        lay_over(sources)
        # What is random is made of one seed.
        environment = os.environ | {"RECORDING": str(out), "GODEBUG": "randautoseed=0"}
        # Types of Go are none of JSON.
        command = ("go", "test", "-vet=off", f"-count={_TIMES}", "-p=1", "-skip=Reflect")
        packages = ("./value", "./fieldpath", "./typed", "./merge")
        subprocess.run([*command, *packages], cwd=sources, env=environment, stdout=sys.stderr, check=True)
        with out.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def check_conversion(fact: JSONValue) -> None:
    """
    Convert as `converters` does.

    Raises:
        RuntimeError: The answer is another one than that of the reference.
    """
    try:
        found: JSONValue = converters.converted(fact["converter"], fact["object"], fact["version"])
        expected = fact.get("answer", fact.get("error"))
    except converters.ConversionError as error:
        found, expected = (str(error), error.is_missing), (fact.get("error"), fact.get("missing"))
    if found != expected:
        raise RuntimeError(f"{fact} is converted to {found}")


def _without_conversions(facts: Iterable[JSONValue]) -> Iterator[JSONValue]:
    for fact in facts:
        if fact["call"] == merging.CONVERT:
            check_conversion(merging.named(fact))
        else:
            yield fact


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add nothing."""


def main(options: argparse.Namespace) -> int:
    """Record; return 1 where a check finds something else than the recorded."""
    changed = [
        files.keep(merging.FOLDER / name, text, check=options.check)
        for name, text in merging.written(_without_conversions(called())).items()
    ]
    return files.outcome(sum(changed), check=options.check)
