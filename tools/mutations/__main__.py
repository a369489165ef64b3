"""`python -m mutations`: make random mutations of the package, one at a time, and print the share that its tests notice."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mutations import edits

_PACKAGE: Final = "pytest_crd"
# The tests of the whole engine come after the tests of the mutated module.
_WHOLE: Final = ("tests/conformance", "tests/properties")
_CACHE: Final = ".pytest_cache/v/cache/lastfailed"
# A mutation that makes a loop endless is noticed.
_LIMIT: Final = 1800


def main(arguments: Sequence[str] | None = None) -> None:
    """Mutate a copy of the repository, and print a line for each mutation and the share that tests notice."""
    parser = argparse.ArgumentParser(prog="python -m mutations", description=__doc__)
    parser.add_argument("--number", type=int, default=30, help="the number of mutations")
    parser.add_argument("--seed", type=int, default=0, help="other mutations for another number")
    parser.add_argument("--repository", type=Path, default=Path.cwd(), help="the checkout, which stays as it is")
    parser.add_argument(
        "--below", default="", metavar="FOLDER", help=f"mutate only modules below a folder of {_PACKAGE}"
    )
    parser.add_argument("--workers", type=int, default=0, help="the workers of pytest-xdist")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = copy_files(options.repository, Path(folder) / "copy")
        paths = [path.relative_to(copy) for path in (copy / _PACKAGE / options.below).rglob("*.py")]
        drawn = edits.draw(copy, paths, options.number, options.seed)
        noticed = 0
        for edit in drawn:
            source = (copy / edit.path).read_bytes()
            place = notice(copy, edit, ["-n", f"{options.workers}"] if options.workers else [])
            noticed += bool(place)
            print(f"{place or 'UNNOTICED'}: {edit.describe(source)}", flush=True)
        print(f"{noticed} of {len(drawn)} mutations noticed")


def copy_files(repository: Path, folder: Path) -> Path:
    """Copy the tracked files of a checkout, as a repository, and return *folder*."""
    subprocess.run(["git", "clone", "--quiet", "--shared", repository, folder], check=True)
    return folder


def notice(copy: Path, edit: edits.Edit, options: Sequence[str] = ()) -> str:
    """
    Make a mutation, run tests until one fails, and undo it.

    A test that fails without the mutation, too, is left out.

    Returns:
        The folder of the failed test; empty if all tests pass.
    """
    done: list[str] = []
    for folder in folders(copy, edit.path):
        skipped = [f"--ignore={each}" for each in done if each != folder]
        while failed := _run(copy, edit, [folder, *skipped, *options]):
            if failed == [""] or not _run(copy, None, failed):
                return folder
            skipped += [f"--{'deselect' if '::' in each else 'ignore'}={each}" for each in failed]
        done.append(folder)
    return ""


def folders(copy: Path, module: Path) -> Iterator[str]:
    """Yield the folders of tests, first the mirror of the module's folder, then the wider ones."""
    mirrors = [Path("tests", *module.parent.parts[1:depth]) for depth in range(len(module.parent.parts), 1, -1)]
    listed = [*(mirror.as_posix() for mirror in mirrors), *_WHOLE, "tests"]
    yield from (each for each in listed if any((copy / each).rglob("test_*.py")))


def _run(copy: Path, edit: edits.Edit | None, arguments: Sequence[str]) -> list[str]:
    """Run tests, with the mutation if there is one; return the first failed tests: `[""]` if none could run."""
    file = copy / edit.path if edit else None
    source = file.read_bytes() if file else b""
    (copy / _CACHE).unlink(missing_ok=True)
    try:
        if file and edit:
            _write(file, edit.apply(source))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", *arguments]
        # Processes that tests start import the copy, too, not the package of the environment.
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        code = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, check=False, timeout=_LIMIT
        ).returncode
    except subprocess.TimeoutExpired:
        code = 2
    finally:
        if file:
            _write(file, source)
    if code in (0, 5):  # all passed, or the folder has no test in this selection
        return []
    cache = copy / _CACHE
    return [*json.loads(cache.read_text(encoding="utf-8"))] if cache.exists() else [""]


def _write(file: Path, source: bytes) -> None:
    """Write a module without its bytecode, which looks up to date within a second."""
    file.write_bytes(source)
    for bytecode in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        bytecode.unlink()


if __name__ == "__main__":
    main()
