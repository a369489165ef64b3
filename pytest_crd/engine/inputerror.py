"""
Mistakes in the user's input: files, CRDs, cases.

An InputError is never a verdict (verdicts are data) and never a bug of this package (bugs keep their traceback).
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_crd.records import dataclass
from pytest_crd.wording import escape, escape_lines


@dataclass(frozen=True, order=True)
class Mistake:
    """
    A mistake with its place.

    Attributes:
        source: The file as the user named it, or `<text>`.
        line: 1-based line, or 0 if the mistake concerns the whole file.
        message: The mistake, and its correction if one is known.
    """

    source: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return `file:line: message`, which editors and terminals turn into a link."""
        source, message = escape(self.source), escape_lines(self.message)
        return f"{source}:{self.line}: {message}" if self.line else f"{source}: {message}"


class WrongTypeError(TypeError):
    """An argument of a wrong Python type in a call of the API."""


class WrongValueError(ValueError):
    """An argument with an unknown value in a call of the API."""


class InputError(ValueError):
    """All mistakes of one or several files; `str()` has one line for each."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        """Create from *mistakes* in their display order."""
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Mistake, ...]]]:
        """Return the arguments to unpickle an equal error."""
        return type(self), (self.mistakes,)


class ManifestError(InputError):
    """A file that the server cannot read as YAML or JSON."""


class CrdError(InputError):
    """A CustomResourceDefinition that the server cannot decode, or that exists twice."""


class NoCrdError(CrdError):
    """A project without CRDs."""
