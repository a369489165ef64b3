"""`python -m handbook`: write the generated parts of the documentation, its pictures, and the schema of case files."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from support.sessions import Folder

from handbook import parts, pictures
from pytest_crd.cases import caseformat

_SCHEMA: Final = "pytest_crd/cases/case-file.schema.json"


def main() -> int:
    """Write all outdated files and print their paths; return 0."""
    for path in write([(parts.ROOT / _SCHEMA, caseformat.schema_text()), *_pages(), *_pictures()]):
        sys.stdout.write(f"{path.relative_to(parts.ROOT)}\n")
    return 0


def write(files: Iterable[tuple[Path, str]]) -> Iterator[Path]:
    """Write the outdated files among *files*, and yield their paths."""
    for path, current in files:
        if not path.exists() or path.read_text(encoding="utf-8") != current:
            path.parent.mkdir(exist_ok=True)
            path.write_text(current, encoding="utf-8")
            yield path


def _pages() -> Iterator[tuple[Path, str]]:
    for path in parts.pages():
        yield path, parts.current(path.read_text(encoding="utf-8"))


def _pictures() -> Iterator[tuple[Path, str]]:
    os.environ.update(pictures.ENVIRONMENT)
    for name in pictures.PICTURES:
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(Path(path))
            for file, text in pictures.files(name, folder, folder.start):
                yield pictures.FOLDER / file, text


if __name__ == "__main__":
    sys.exit(main())
