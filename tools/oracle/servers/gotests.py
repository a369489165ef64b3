"""Tests of a Go module, built with replaced files; each test runs in its own process."""

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
    A Go module with tests.

    Attributes:
        name: The module path, such as `k8s.io/apiextensions-apiserver`.
        folder: A folder with a go.mod that requires the module and the dependencies of its tests.
    """

    name: str
    folder: Path

    @property
    def source(self) -> Path:
        """The folder of the module in Go's module cache."""
        command = ["go", "list", "-m", "-f", "{{.Dir}}", self.name]
        subprocess.run(["go", "mod", "download", self.name], cwd=self.folder, check=True)
        return Path(subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip())


class Outcome(NamedTuple):
    """
    The outcome of a test.

    Attributes:
        failed: Its innermost failed subtests. The test itself if nothing in it passed or it did not finish.
        output: Its output.
    """

    failed: tuple[str, ...]
    output: str


class Suite(NamedTuple):
    """
    The built tests of one package.

    Attributes:
        program: The test binary.
        folder: The working directory of the tests.
    """

    program: Path
    folder: Path

    def list_names(self, environment: Mapping[str, str]) -> list[str]:
        """Return the names of the tests, in the order of the files."""
        command = [str(self.program), "-test.list", "."]
        process = subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True)
        return [line for line in process.stdout.splitlines() if line.startswith("Test")]

    def run(self, name: str, environment: Mapping[str, str], patience: float) -> Outcome:
        """Run one test, for at most *patience* seconds."""
        command = [str(self.program), "-test.v", "-test.run", f"^{name}$"]
        try:
            process = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=patience,
                check=False,
            )
            output = process.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as error:
            output = (error.stdout or b"").decode(errors="replace")
        return parse_outcome(name, output)


def build(module: Module, package: str, replaced: Mapping[str, Path] | None = None) -> Suite:
    """
    Build the tests of a package unless they are in the cache, and return them.

    Args:
        module: The module.
        package: The path of the package in the module.
        replaced: Replacements of files of the module, by their paths in it.

    Raises:
        subprocess.CalledProcessError: The build failed; the compiler's messages are on stderr.
    """
    replaced = replaced or {}
    source = module.source
    sources = [module.folder / "go.sum", *sorted(module.folder.rglob("*.go"))]
    parts = [text.encode() for text in (package, *replaced)] + [file.read_bytes() for file in sources]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
    folder = programs.cache() / f"tests-{digest}"
    # Named as `go test` names it: tests may check their name as a client.
    program = folder / f"{Path(package).name}.test"
    if not program.exists():
        print(f"building {program.name} …", file=sys.stderr)
        folder.mkdir(exist_ok=True)
        flags = _overlay_flags(module, source, folder, replaced)
        unfinished = program.with_suffix(".unfinished")
        command = ["go", "test", "-c", "-o", str(unfinished), *flags, f"{module.name}/{package}"]
        subprocess.run(command, cwd=module.folder, check=True)
        unfinished.rename(program)
    return Suite(program, source / package)


def parse_outcome(name: str, output: str) -> Outcome:
    """Return the outcome of a test from its output."""
    verdicts = {test: verdict for verdict, test in _VERDICT.findall(output)}
    if name not in verdicts:  # it timed out, or its process ended early
        return Outcome((name,), output)
    failed = [test for test, verdict in verdicts.items() if verdict != "PASS"]
    if len(failed) == len(verdicts):
        return Outcome((name,), output)
    innermost = [test for test in failed if not any(subtest.startswith(f"{test}/") for subtest in failed)]
    return Outcome(tuple(sorted(innermost)), output)


def run_all(suites: Mapping[str, Suite], environment: Mapping[str, str], patience: float) -> dict[str, Outcome]:
    """Run each test with its suite, and return the outcomes by name."""
    with futures.ThreadPoolExecutor(_LANES) as pool:
        outcomes = pool.map(lambda name: suites[name].run(name, environment, patience), suites)
        return dict(zip(suites, outcomes, strict=True))


def _overlay_flags(module: Module, source: Path, folder: Path, replaced: Mapping[str, Path]) -> list[str]:
    """
    Return the build flags that replace files of a module.

    Go replaces no files inside its module cache, so go.mod redirects the module to a symbolic link. Builds with different
    replacements share the link, and therefore the compiled packages without replaced files.
    """
    link, mod, overlay = programs.cache() / source.name, folder / "go.mod", folder / "overlay.json"
    link.unlink(missing_ok=True)
    link.symlink_to(source)
    for name in (mod.name, "go.sum"):
        (folder / name).write_bytes((module.folder / name).read_bytes())
    subprocess.run(["go", "mod", "edit", "-replace", f"{module.name}={link}", str(mod)], check=True)
    places = {str(link / path): str(file.resolve()) for path, file in replaced.items()}
    overlay.write_text(json.dumps({"Replace": places}), encoding="utf-8")
    return [f"-modfile={mod}", f"-overlay={overlay}"]
