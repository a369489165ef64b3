"""A run beside a server: what became of each test's questions, and what is left on the server in the end."""

from __future__ import annotations

import contextlib
import enum
import functools
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

from pytest_crd.cases.questions import AnyQuestion, CrdQuestion
from pytest_crd.engine import InputError, UnsupportedConstructError, UnsupportedExpressionError
from pytest_crd.live import client, lease, recording, remnants, sandbox
from pytest_crd.live.crdquestions import CrdJudge
from pytest_crd.live.judge import LiveJudge
from pytest_crd.live.lease import Remnant
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.stages import DisagreementError, InstalledStages, NotAskedError, OwnStages, Stages
from pytest_crd.live.transport import NoAnswerError


class LiveOutcome(enum.StrEnum):
    """What became of the questions of a test; the later, the worse."""

    AGREED = "agreed"
    NOT_ASKED = "not asked"
    NO_ANSWER = "no answer"
    DISAGREED = "disagreed"


_ORDER: Final = tuple(LiveOutcome)
_THREADS: Final = 32


class LiveVerdict(NamedTuple):
    """
    What became of the questions of a test.

    Attributes:
        outcome: The worst.
        reason: Why they were not asked, or not answered.
        notes: What is worth to know of those that were answered.
        differences: Where the answers differ, a line each.
        recording: The disagreement, for our issue template.
    """

    outcome: LiveOutcome
    reason: str = ""
    notes: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    recording: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """
    The server that is asked.

    Attributes:
        server: Asks it.
        version: Its Kubernetes version, `1.37`.
        release: The same as the server states it, `v1.37.2`.
        command: How kubectl reaches it.
    """

    server: client.Server
    version: str
    release: str
    command: str

    def __str__(self) -> str:
        """Return what is printed first."""
        return f"{self.server.address}, Kubernetes {self.version} ({self.release})"


class Run:
    """
    The questions of one process, and what it makes on the server.

    Attributes:
        id: The label of all that the processes of a run make.
    """

    def __init__(self, target: Target, *, run_id: str = "", installed: bool = False) -> None:
        """
        Take what is asked.

        Args:
            target: The server.
            run_id: The label; empty for a new one.
            installed: Whether CRDs are those that are installed, and nothing is made.
        """
        self.id = run_id or secrets.token_hex(5)
        self._target = target
        self._sandbox = Sandbox(target.server, self.id)
        self._is_installed = installed
        stages: Stages
        if installed:
            stages = InstalledStages(target.server, target.version)
        else:
            stages = OwnStages(target.server, target.version, self._sandbox)
        self._threads = ThreadPoolExecutor(_THREADS, "pytest-crd live")
        self._makers = ThreadPoolExecutor(_THREADS, "pytest-crd CRDs")
        self._stages = stages
        self._judge = LiveJudge(target.server, stages, target.version)
        self._crd_judge = CrdJudge(target.server, stages, target.version)

    def ahead(self, questions: Sequence[AnyQuestion]) -> Future[LiveVerdict]:
        """Begin to ask what a test will ask when it is run."""
        return self._threads.submit(self._in_turn, questions)

    def prepare(self, questions: Sequence[AnyQuestion]) -> None:
        """Begin to make the CRDs that questions are about, which may be asked much later."""
        for question in questions:
            if isinstance(question, CrdQuestion):
                prepare = functools.partial(self._crd_judge.prepare, question)
            else:
                prepare = functools.partial(self._judge.prepare, question)
            self._makers.submit(self._make_in_turn, prepare)

    def _make_in_turn(self, prepare: Callable[[], None]) -> None:
        # Whatever is wrong is raised where the questions are asked.
        with self._target.server.worker_lock.held(), contextlib.suppress(Exception):
            prepare()

    def _in_turn(self, questions: Sequence[AnyQuestion]) -> LiveVerdict:
        with self._target.server.worker_lock.held():
            return self.verdict(questions)

    def verdict(self, questions: Sequence[AnyQuestion]) -> LiveVerdict:
        """Return what becomes of the questions of a test."""
        verdicts = [self._verdict(question) for question in questions]
        if not verdicts:
            return LiveVerdict(LiveOutcome.NOT_ASKED, "the test itself asks nothing that has an answer")
        worst = max(verdicts, key=lambda one: _ORDER.index(one.outcome))
        return worst._replace(notes=tuple(dict.fromkeys(note for one in verdicts for note in one.notes)))

    def _verdict(self, question: AnyQuestion) -> LiveVerdict:
        try:
            if isinstance(question, CrdQuestion):
                notes = self._crd_judge.judge(question)
            else:
                notes = self._judge.judge(question)
        except NotAskedError as error:
            return LiveVerdict(LiveOutcome.NOT_ASKED, str(error))
        except (InputError, UnsupportedConstructError, UnsupportedExpressionError) as error:
            # What was answered for one Kubernetes version, and is not known of that of the server.
            return LiveVerdict(LiveOutcome.NOT_ASKED, f"what {self._target.version} answers is not known: {error}")
        except NoAnswerError as error:
            return LiveVerdict(LiveOutcome.NO_ANSWER, str(error))
        except DisagreementError as error:
            text = recording.text(error, f"{self._target.version} ({self._target.release})", self._target.version)
            differences = tuple(recording.differences(error.ours, error.theirs))
            return LiveVerdict(LiveOutcome.DISAGREED, differences=differences, recording=text)
        return LiveVerdict(LiveOutcome.AGREED, notes=tuple(notes))

    def clear_up(self) -> tuple[list[Remnant], list[Remnant]]:
        """
        Remove what earlier runs have left, and return it, and what may be left and is not removed.

        Raises:
            NoAnswerError: The server does not say.
        """
        if self._is_installed:
            return [], []
        found = [one for one in remnants.find(self._target.server) if one.run != self.id]
        expired = [one for one in found if one.is_left(sandbox.now())]
        left = remnants.remove(self._target.server, expired)
        removed = [one for one in expired if one not in left]
        return removed, [one for one in found if one not in removed]

    def end(self, *, whole: bool) -> list[str]:
        """
        Remove what was made, and return what is left all the same: a line for each thing, and how to remove it.

        Args:
            whole: Whether what other processes of the run have made is removed, too.
        """
        lines: list[str] = []
        try:
            self._makers.shutdown(cancel_futures=True)
            self._threads.shutdown(cancel_futures=True)
            left = [str(one) for one in self._sandbox.end()]
            if whole and not self._is_installed:
                others = [one for one in remnants.find(self._target.server) if one.run == self.id and one.is_ours]
                left += [str(one) for one in remnants.remove(self._target.server, others)]
        except NoAnswerError as error:
            left = self._sandbox.names
            lines = [f"the server does not answer any more: {error}"] if left or whole else []
        except BaseException:
            self._target.server.close()
            raise
        self._target.server.close()
        if not left and not lines:
            return []
        named = ", ".join(dict.fromkeys(left)) or "what the run has made"
        return [*lines, f"left on the server: {named}; to remove it: {self.command}"]

    @property
    def counts(self) -> tuple[int, int]:
        """How many CRDs are there, or cannot be, of how many that were asked about."""
        return self._stages.counts

    @property
    def names(self) -> list[str]:
        """What was made and not removed, as kubectl calls it."""
        return self._sandbox.names

    @property
    def command(self) -> str:
        """What removes all that the run has made."""
        return f"{self._target.command} delete customresourcedefinitions,namespaces -l {lease.LABEL}={self.id}"
