"""Tests of a Go module, built with one of its files replaced, and run each in a process of its own."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent import futures
from pathlib import Path
from typing import Final, NamedTuple

from oracle.servers import programs

_LANES: Final = 2
_VERDICT: Final = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)


class Module(NamedTuple):
    """
    A Go module whose tests are run.

    Attributes:
        name: `k8s.io/apiextensions-apiserver`.
        folder: Where a go.mod is that demands it, and all that its tests need.
    """

    name: str
    folder: Path

    @property
    def source(self) -> Path:
        """Where Go has it."""
        command = ["go", "list", "-m", "-f", "{{.Dir}}", self.name]
        subprocess.run(["go", "mod", "download", self.name], cwd=self.folder, check=True)
        return Path(subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip())


class Outcome(NamedTuple):
    """
    What came of a test.

    Attributes:
        failed: The parts of it that failed, of these the innermost; itself where nothing of it passed, or it did not come to its end.
        said: What it printed.
    """

    failed: tuple[str, ...]
    said: str


class Suite(NamedTuple):
    """
    Tests of one package, built.

    Attributes:
        program: What runs them.
        folder: Where they find their files.
    """

    program: Path
    folder: Path

    @property
    def names(self) -> list[str]:
        """The names of the tests, in the order of the files."""
        done = subprocess.run(
            [str(self.program), "-test.list", "."], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return [line for line in done.stdout.splitlines() if line.startswith("Test")]

    def run(self, name: str, environment: Mapping[str, str], patience: float) -> Outcome:
        """Run one test, and end it after *patience*, in seconds."""
        command = [str(self.program), "-test.v", "-test.run", f"^{name}$"]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=patience,
                check=False,
            )
            said = done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as error:
            said = (error.stdout or b"").decode(errors="replace")
        return outcome_of(name, said)


def build(module: Module, package: str, replaced: Mapping[str, Path] | None = None) -> Suite:
    """
    Return the tests of a package of a module, built where the cache does not hold them.

    Args:
        module: The module.
        package: The package, below the module.
        replaced: Files of the module that others stand in for, by their paths in it.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's words are on stderr.
    """
    replaced = replaced or {}
    source = module.source
    given = [(module.folder / "go.sum").read_bytes(), *(file.read_bytes() for file in replaced.values())]
    digest = hashlib.sha256(b"\0".join([package.encode(), *given])).hexdigest()[:12]
    folder = programs.cache() / f"tests-{digest}"
    # Named as `go test` names it: a test may look for the name that it has as a client.
    program = folder / f"{Path(package).name}.test"
    if not program.exists():
        print(f"building {program.name} …", file=sys.stderr)
        folder.mkdir(exist_ok=True)
        flags = _overlaid(module, source, folder, replaced)
        unfinished = program.with_suffix(".unfinished")
        command = ["go", "test", "-c", "-o", str(unfinished), *flags, f"{module.name}/{package}"]
        subprocess.run(command, cwd=module.folder, check=True)
        unfinished.rename(program)
    return Suite(program, source / package)


def outcome_of(name: str, said: str) -> Outcome:
    """Return what came of a test, as its process tells it."""
    verdicts = {test: verdict for verdict, test in _VERDICT.findall(said)}
    if name not in verdicts:  # it was ended, or ended its process
        return Outcome((name,), said)
    failed = [test for test, verdict in verdicts.items() if verdict != "PASS"]
    if len(failed) == len(verdicts):
        return Outcome((name,), said)
    innermost = [test for test in failed if not any(other.startswith(f"{test}/") for other in failed)]
    return Outcome(tuple(sorted(innermost)), said)


def run_all(suites: Mapping[str, Suite], environment: Mapping[str, str], patience: float) -> dict[str, Outcome]:
    """Return what comes of tests, by their names, each of which is run by its suite."""
    with futures.ThreadPoolExecutor(_LANES) as pool:
        outcomes = pool.map(lambda name: suites[name].run(name, environment, patience), suites)
        return dict(zip(suites, outcomes, strict=True))


def _overlaid(module: Module, source: Path, folder: Path, replaced: Mapping[str, Path]) -> list[str]:
    """Return flags that put files in the place of others. Go replaces none where it keeps modules, so the module gets another name there."""
    link, mod, overlay = folder / "upstream", folder / "go.mod", folder / "overlay.json"
    link.unlink(missing_ok=True)
    link.symlink_to(source)
    for name in (mod.name, "go.sum"):
        (folder / name).write_bytes((module.folder / name).read_bytes())
    subprocess.run(["go", "mod", "edit", "-replace", f"{module.name}={link}", str(mod)], check=True)
    places = {str(link / path): str(file.resolve()) for path, file in replaced.items()}
    overlay.write_text(json.dumps({"Replace": places}), encoding="utf-8")
    return [f"-modfile={mod}", f"-overlay={overlay}"]
