"""
Mistakes in what the user wrote: files, CRDs, cases.

An InputError is never a verdict (those are data) and never our bug (those keep their traceback).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """
    One mistake, and where it stands.

    Attributes:
        source: The file as the user named it, or `<text>`.
        line: 1-based line, or 0 where the mistake concerns the whole file.
        message: What is wrong, and what to write instead where that is known.
    """

    source: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return `file:line: message`, which editors and terminals turn into a link."""
        return f"{self.source}:{self.line}: {self.message}" if self.line else f"{self.source}: {self.message}"


class InputError(ValueError):
    """All the mistakes of one or several files at once; `str()` is one line for each."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        """Take *mistakes* in the order in which they are to be shown."""
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Mistake, ...]]]:
        """Return what makes the same error again, in another process."""
        return type(self), (self.mistakes,)


class ManifestError(InputError):
    """A file that cannot be read as the YAML or JSON that Kubernetes reads."""


class CrdError(InputError):
    """A CustomResourceDefinition that the server could not even decode, or that is there twice."""
