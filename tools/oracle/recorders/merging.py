"""
Run the tests of structured-merge-diff, in the reference's version, and record their calls and results.

Only values of the tests are kept: each call of the module is a fact with arguments and result. The files in
`reference/merging` are added to a copy of the module, and the functions that they wrap are renamed. Facts are in
tests/conformance/merging; `tests/conformance/merging.py` describes their form.
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
from typing import Final

from conformance import converters, merging

from oracle.recorders import files
from oracle.servers import programs
from oracle.servers.versions import NEWEST
from pytest_crd.engine.jsonvalue import JSONValue

MODULE: Final = "sigs.k8s.io/structured-merge-diff/v6"
WRAPPERS: Final = programs.REFERENCE / "merging"
# A function: the type of its receiver, if it has one, and its name.
_FUNCTION: Final = re.compile(r"^func (?:\(\w+ \*?(\w+)\) )?(\w+)\(", re.MULTILINE)
# Several runs, for functions that depend on Go's random map order.
_TIMES: Final = 2


def module(name: str = MODULE) -> Path:
    """Return the folder of a module in Go's module cache."""
    command = ("go", "list", f"-modfile=k8s-{NEWEST}.mod", "-m", "-f", "{{.Dir}}", name)
    process = subprocess.run(command, cwd=programs.REFERENCE, capture_output=True, text=True, check=True)
    return Path(process.stdout.strip())


def copy(module: Path, sources: Path) -> None:
    """Copy a module from Go's read-only module cache, and make the copy writable."""
    shutil.copytree(module, sources, copy_function=shutil.copyfile)
    for path in (sources, *sources.rglob("*/")):
        path.chmod(0o755)


def lay_over(sources: Path, wrappers: Path = WRAPPERS) -> None:
    """Rename the wrapped functions in a copy of the module, and add the wrappers."""
    for wrapper in sorted(wrappers.rglob("recording.go")):
        package = sources / wrapper.parent.relative_to(wrappers)
        package.mkdir(exist_ok=True)
        text = wrapper.read_text(encoding="utf-8")
        for source in sorted(package.glob("*.go")):
            if not source.name.endswith("_test.go"):
                source.write_text(rename_functions(source.read_text(encoding="utf-8"), text), encoding="utf-8")
        (package / wrapper.name).write_text(text, encoding="utf-8")


def rename_functions(source: str, wrapper: str) -> str:
    """Return the text of a Go file with each function that *wrapper* has, too, renamed to `unrecorded…`."""
    wrapped = set(_FUNCTION.findall(wrapper))

    def name(match: re.Match[str]) -> str:
        receiver, called = match.groups("")
        return f"{match[0][: -len(called) - 1]}unrecorded{called}(" if (receiver, called) in wrapped else match[0]

    return _FUNCTION.sub(name, source)


def recorded_facts() -> Iterator[JSONValue]:
    """Yield the facts of a run of all tests."""
    with tempfile.TemporaryDirectory() as folder:
        sources, out = Path(folder, "module"), Path(folder, "facts.jsonl")
        copy(module(), sources)
        lay_over(sources)
        # Random values come from a fixed seed.
        environment = os.environ | {"RECORDING": str(out), "GODEBUG": "randautoseed=0"}
        # Tests about Go types are skipped, because these have no JSON.
        command = ("go", "test", "-vet=off", f"-count={_TIMES}", "-p=1", "-skip=Reflect")
        packages = ("./value", "./fieldpath", "./typed", "./merge")
        subprocess.run([*command, *packages], cwd=sources, env=environment, stdout=sys.stderr, check=True)
        with out.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def check_conversion(fact: JSONValue) -> None:
    """
    Check that `converters` converts as the reference does.

    Raises:
        RuntimeError: The result differs from the reference's.
    """
    try:
        actual: JSONValue = converters.convert(fact["converter"], fact["object"], fact["version"])
        expected = fact.get("answer", fact.get("error"))
    except converters.ConversionError as error:
        actual, expected = (str(error), error.is_missing), (fact.get("error"), fact.get("missing"))
    if actual != expected:
        raise RuntimeError(f"{fact} is converted to {actual}")


def _without_conversions(facts: Iterable[JSONValue]) -> Iterator[JSONValue]:
    for fact in facts:
        if fact["call"] == merging.CONVERT:
            check_conversion(merging.with_type_names(fact))
        else:
            yield fact


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def main(options: argparse.Namespace) -> int:
    """Record the facts; return 1 if a check finds a difference."""
    changed = [
        files.keep(merging.FOLDER / name, text, check=options.check)
        for name, text in merging.file_texts(_without_conversions(recorded_facts())).items()
    ]
    return files.outcome(sum(changed), check=options.check)
