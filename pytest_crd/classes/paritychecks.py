"""Checks that a class and a version of a CRD agree, with the allowances of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd.classes import parity
from pytest_crd.classes.divergences import AllowedDivergence, Divergence
from pytest_crd.classes.importpaths import FORM
from pytest_crd.engine import (
    CrdError,
    CrdVersion,
    Mistake,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.inputerror import WrongTypeError
from pytest_crd.synthesis import NoExampleError

_FORM: Final = f"MODULE:CLASS = CRD/VERSION, as in {FORM.partition('as in ')[2]} = backups.example.com/v1"


class ParityLine(NamedTuple):
    """
    An entry of `crd_parity`.

    Attributes:
        import_path: The module and the class, `myop.models:BackupSpec`.
        crd: The name of the CRD.
        version: The name of the version.
    """

    import_path: str
    crd: str
    version: str


def parse(line: str) -> ParityLine:
    """
    Parse one line of `crd_parity`.

    Raises:
        ValueError: The line is malformed; the message shows the expected form.
    """
    import_path, equals, target = (part.strip() for part in line.partition("="))
    try:
        crd, version = split_target(target)
    except ValueError:
        crd = ""
    if not (import_path and equals and crd):
        raise ValueError(f"{line.strip()!r} is not {_FORM}")
    return ParityLine(import_path, crd, version)


def split_target(target: str) -> tuple[str, str]:
    """
    Return the names in `CRD/VERSION`.

    Raises:
        ValueError: A name is missing.
    """
    crd, slash, version = target.partition("/")
    if not (crd and slash and version) or " " in target:
        raise ValueError(f"{target!r} is not CRD/VERSION, as in backups.example.com/v1")
    return crd, version


def name_of(model: Any) -> str:
    """Return the name of a class; of a pair of callables, the name of the first one."""
    named = model[0] if isinstance(model, tuple) and model else model
    return str(getattr(named, "__name__", type(named).__name__))


class ParityVerdict(NamedTuple):
    """
    The verdict of a parity check.

    Attributes:
        findings: The divergences that the project does not allow.
        allowed: The allowed divergences, each with its entry.
    """

    findings: tuple[Divergence, ...]
    allowed: tuple[tuple[Divergence, AllowedDivergence], ...]

    @property
    def used(self) -> frozenset[AllowedDivergence]:
        """The entries that allow a divergence."""
        return frozenset(entry for _, entry in self.allowed)


@dataclass(frozen=True)
class ParityCheck:
    """
    A check that a class and a version of a CRD agree.

    Attributes:
        subject: The name of the check without its kind: `backups.example.com-v1`.
        model: The class; see `parity.compare`.
        class_name: The name of the class for messages: its import path, or the place of the hook.
        version: The version of the CRD.
        path: The file of the CRD; None for output of a command, and for a CRD that Python code makes.
        line: The line of the CRD; 0 without a file.
        allowed: The allowances about the CRD.
    """

    subject: str
    model: Any
    class_name: str
    version: CrdVersion
    path: Path | None = None
    line: int = 0
    allowed: Sequence[AllowedDivergence] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The name of the check: `parity[backups.example.com-v1]`."""
        return f"parity[{self.subject}]"

    @property
    def target(self) -> str:
        """The version of the CRD as allowances name it: `backups.example.com/v1`."""
        return f"{self.version.crd.name}/{self.version.name}"

    @cached_property
    def verdict(self) -> ParityVerdict:
        """
        The verdict, found at first use.

        Raises:
            CrdError: The class and the CRD cannot be compared.
        """
        divergences = self._compare()
        by_entry = [
            (item, next((entry for entry in self.allowed if entry.covers(self.target, item)), None))
            for item in divergences
        ]
        findings = tuple(item for item, entry in by_entry if entry is None)
        return ParityVerdict(findings, tuple((item, entry) for item, entry in by_entry if entry is not None))

    def _compare(self) -> tuple[Divergence, ...]:
        crd = self.version.crd
        if not crd.first_response.accepted:
            raise CrdError([Mistake(crd.source, 0, f"the server refuses the CRD: {crd.first_response.message}")])
        try:
            return parity.compare(self.model, self.version)
        except CrdError as error:
            advice = "pass a tuple (load, dump), which needs no CRD of the class"
            mistakes = [Mistake(item.source, item.line, f"{item.message}; {advice}") for item in error.mistakes]
            raise CrdError(mistakes) from None
        except (NoExampleError, WrongTypeError, UnsupportedConstructError, UnsupportedExpressionError) as error:
            raise CrdError([Mistake(self.class_name, 0, str(error))]) from None
