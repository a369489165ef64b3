"""Repositories with releases of a CRD that differ in its versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from support.git import commit, git, initialize

FILE: Final = "config/crd/bases/things.yaml"
NAME: Final = "things.example.com"
_VERSION: Final = """\
  - name: {name}
    served: true
    storage: {storage}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          # a comment
          spec: {{type: object, properties: {{{field}: {{type: string}}}}}}
"""


def crd(*names: str, field: str = "size", name: str = NAME) -> str:
    """Return the text of a CRD with one field in the spec; the first version is stored."""
    versions = "".join(
        _VERSION.format(name=version, storage=str(version == names[0]).lower(), field=field) for version in names
    )
    plural, _, group = name.partition(".")
    return (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        f"metadata: {{name: {name}}}\nspec:\n  group: {group}\n  scope: Namespaced\n"
        f"  names: {{plural: {plural}, singular: {plural}x, kind: Thing, listKind: ThingList}}\n  versions:\n{versions}"
    )


def write(folder: Path, text: str, file: str = FILE) -> None:
    """Write the file of the CRD."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def release(folder: Path, tag: str, text: str | None, file: str = FILE) -> None:
    """Commit the CRD as a release; without a text, remove its file."""
    if text is None:
        (folder / file).unlink(missing_ok=True)
    else:
        write(folder, text, file)
    if (folder / ".git").exists():
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", tag)
        git(folder, "tag", tag)
    else:
        write(folder, "", "README.md")
        commit(folder, tag=tag)


def release_all(folder: Path, releases: Sequence[tuple[str, str | None]]) -> None:
    """Commit releases in order; in an empty folder, create the repository with one process of git."""
    if any(folder.iterdir()):
        for tag, text in releases:
            release(folder, tag, text)
        return
    initialize(folder)
    lines = []
    for tag, text in releases:
        lines += ["commit HEAD", "committer n <e@example.com> now", f"data {len(tag)}", tag]
        lines += ["M 644 inline README.md", "data 0", ""]
        lines += [f"D {FILE}"] if text is None else [f"M 644 inline {FILE}", f"data {len(text.encode())}", text]
        lines += [f"reset refs/tags/{tag}", "from HEAD", ""]
    git(folder, "fast-import", "--quiet", "--date-format=now", stdin="\n".join(lines))
    git(folder, "reset", "-q", "--hard")
