"""A run beside a live server: the verdicts on the questions of tests, and the removal of the run's objects."""

from __future__ import annotations

import contextlib
import enum
import functools
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import yaml

from pytest_crd.cases.questions import AnyQuestion, CrdQuestion, PolicyQuestion, Question
from pytest_crd.engine import InputError, UnsupportedConstructError, UnsupportedExpressionError, jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import client, lease, remnants, sandbox
from pytest_crd.live.answerfacts import Facts
from pytest_crd.live.crdquestions import CrdJudge
from pytest_crd.live.judge import LiveJudge
from pytest_crd.live.lease import Remnant
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.stages import DisagreementError, InstalledStages, NotAskedError, OwnStages, Stages
from pytest_crd.live.transport import NoAnswerError


def find_differences(ours: Facts, theirs: Facts) -> Iterator[str]:
    """Yield the lines of a comparison: for each part that differs, its name, the server's value and the engine's."""
    for key in dict.fromkeys((*ours, *theirs)):
        mine, their_value = ours.get(key), theirs.get(key)
        if not jsonvalue.equal(jsonvalue.from_python(mine), jsonvalue.from_python(their_value)):
            yield f"{key}:"
            yield f"  server:     {_to_line(their_value)}"
            yield f"  pytest-crd: {_to_line(mine)}"


def write_recording(disagreement: DisagreementError, server_version: str, version: str) -> str:
    """
    Return the text that the issue template asks for.

    Args:
        disagreement: The disagreement.
        server_version: The version that the server reports.
        version: The Kubernetes version of the engine's answer.
    """
    request = dict(disagreement.request)
    declared = {
        f"**The {name}** (as small as it may be):": ("yaml", _yaml(_without_descriptions(request.pop(name))))
        for name in ("CRD", "policy")
        if name in request
    }
    parts = {
        **declared,
        "**The object, or the request**:": ("yaml", _yaml(request)),
        "**What the server answers**:": ("", _yaml(disagreement.theirs)),
        "**What pytest-crd answers**:": ("", _yaml(disagreement.ours)),
    }
    head = f"**Kubernetes version of the server**, and the one that pytest-crd answers for: {server_version}, {version}"
    blocks = (f"{title}\n\n```{kind}\n{content}```" for title, (kind, content) in parts.items())
    return "\n\n".join((head, *blocks))


def _yaml(value: JSONValue) -> str:
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - all are written out
            return True

    written: str = yaml.dump(value, Dumper=Plain, sort_keys=False, allow_unicode=True, width=120)
    return written


def _without_descriptions(value: JSONValue) -> JSONValue:
    """Return a CRD without its descriptions, which no answer depends on."""
    if isinstance(value, Mapping):
        return {
            key: _without_descriptions(item)
            for key, item in value.items()
            if not (key == "description" and isinstance(item, str))
        }
    return [_without_descriptions(item) for item in value] if isinstance(value, list) else value


def _to_line(value: JSONValue) -> str:
    if value is None:
        return "nothing"
    return (
        value
        if isinstance(value, str)
        else yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=float("inf"), sort_keys=False)
        .strip()
        .removesuffix("\n...")
    )


class LiveOutcome(enum.StrEnum):
    """Outcome of the questions of a test, from best to worst."""

    AGREED = "agreed"
    NOT_ASKED = "not asked"
    NO_ANSWER = "no answer"
    DISAGREED = "disagreed"


_ORDER: Final = tuple(LiveOutcome)
_THREADS: Final = 32


class LiveVerdict(NamedTuple):
    """
    Verdict on the questions of a test.

    Attributes:
        outcome: The worst outcome.
        reason: The reason why a question was not sent, or not answered.
        notes: Notes about the answered questions.
        differences: The lines of the comparison if the answers differ.
        recording: The disagreement as text for the issue template.
    """

    outcome: LiveOutcome
    reason: str = ""
    notes: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    recording: str = ""


class Judge(Protocol):
    """Comparison of the engine with a server about one kind of questions."""

    def judge(self, question: Any, /) -> list[str]:
        """
        Compare the server's answer with the engine's, and return notes if they agree.

        Raises:
            NotAskedError: No request asks this question.
            NoAnswerError: The server does not answer.
            DisagreementError: The answers differ.
        """

    def prepare(self, question: Any, /) -> None:
        """Create the objects that a question needs, as far as that saves time."""


# Takes the server, the CRDs on it, the sandbox and the Kubernetes version.
MakeJudge: TypeAlias = Callable[[client.Server, Stages, Sandbox, str], Judge]


@dataclass(frozen=True, slots=True)
class Target:
    """
    The live server.

    Attributes:
        server: Its client.
        version: Its Kubernetes version, `1.37`.
        release: Its full version, `v1.37.2`.
        command: The kubectl command that reaches it.
    """

    server: client.Server
    version: str
    release: str
    command: str

    def __str__(self) -> str:
        """Return the description for the header."""
        return f"{self.server.address}, Kubernetes {self.version} ({self.release})"


class Run:
    """
    The questions of one process to the live server, and the objects that they need there.

    Attributes:
        id: The label of all objects of the run, in all processes.
    """

    def __init__(
        self, target: Target, make_policy_judge: MakeJudge, *, run_id: str = "", installed: bool = False
    ) -> None:
        """
        Create the run; send nothing.

        Args:
            target: The server.
            make_policy_judge: Makes the judge of questions about admission policies.
            run_id: The label; empty for a new one.
            installed: Whether to use the installed CRDs and create nothing.
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
        self._judges: dict[type, Judge] = {
            Question: LiveJudge(target.server, stages, target.version),
            CrdQuestion: CrdJudge(target.server, stages, target.version),
            PolicyQuestion: make_policy_judge(target.server, stages, self._sandbox, target.version),
        }

    def ahead(self, questions: Sequence[AnyQuestion]) -> Future[LiveVerdict]:
        """Begin to send the questions of a test before it runs."""
        return self._threads.submit(self._in_turn, questions)

    def prepare(self, questions: Sequence[AnyQuestion]) -> None:
        """Begin to create the CRDs of questions, which may be sent much later."""
        for question in questions:
            prepare = functools.partial(self._judges[type(question)].prepare, question)
            self._makers.submit(self._make_in_turn, prepare)

    def _make_in_turn(self, prepare: Callable[[], None]) -> None:
        # Errors are ignored here: they are raised again when the questions are sent.
        with self._target.server.worker_lock.acquired(), contextlib.suppress(Exception):
            prepare()

    def _in_turn(self, questions: Sequence[AnyQuestion]) -> LiveVerdict:
        with self._target.server.worker_lock.acquired():
            return self.verdict(questions)

    def verdict(self, questions: Sequence[AnyQuestion]) -> LiveVerdict:
        """Return the verdict on the questions of a test."""
        verdicts = [self._verdict(question) for question in questions]
        if not verdicts:
            return LiveVerdict(LiveOutcome.NOT_ASKED, "the test itself asks nothing that has an answer")
        worst = max(verdicts, key=lambda verdict: _ORDER.index(verdict.outcome))
        return worst._replace(notes=tuple(dict.fromkeys(note for verdict in verdicts for note in verdict.notes)))

    def _verdict(self, question: AnyQuestion) -> LiveVerdict:
        try:
            notes = self._judges[type(question)].judge(question)
        except NotAskedError as error:
            return LiveVerdict(LiveOutcome.NOT_ASKED, str(error))
        except (InputError, UnsupportedConstructError, UnsupportedExpressionError) as error:
            # The project's Kubernetes version had an answer; the engine has none for the server's.
            return LiveVerdict(LiveOutcome.NOT_ASKED, f"what {self._target.version} answers is not known: {error}")
        except NoAnswerError as error:
            return LiveVerdict(LiveOutcome.NO_ANSWER, str(error))
        except DisagreementError as error:
            text = write_recording(error, f"{self._target.version} ({self._target.release})", self._target.version)
            differences = tuple(find_differences(error.ours, error.theirs))
            return LiveVerdict(LiveOutcome.DISAGREED, differences=differences, recording=text)
        return LiveVerdict(LiveOutcome.AGREED, notes=tuple(notes))

    def clear_up(self) -> tuple[list[Remnant], list[Remnant]]:
        """
        Remove remnants of earlier runs; return the removed and the remaining ones.

        Raises:
            NoAnswerError: The server does not list them.
        """
        if self._is_installed:
            return [], []
        foreign = [remnant for remnant in remnants.find_remnants(self._target.server) if remnant.run != self.id]
        expired = [remnant for remnant in foreign if remnant.is_left(sandbox.now())]
        remaining = remnants.remove(self._target.server, expired)
        removed = [remnant for remnant in expired if remnant not in remaining]
        return removed, [remnant for remnant in foreign if remnant not in removed]

    def end(self, *, whole: bool) -> list[str]:
        """
        Remove the objects of the run; return lines about objects that are left, with the command to remove them.

        Args:
            whole: Whether to remove the objects of the run's other processes, too.
        """
        lines: list[str] = []
        try:
            self._makers.shutdown(cancel_futures=True)
            self._threads.shutdown(cancel_futures=True)
            remaining = [str(remnant) for remnant in self._sandbox.end()]
            if whole and not self._is_installed:
                found_remnants = remnants.find_remnants(self._target.server)
                own = [remnant for remnant in found_remnants if remnant.run == self.id and remnant.is_ours]
                remaining += [str(remnant) for remnant in remnants.remove(self._target.server, own)]
        except NoAnswerError as error:
            remaining = self._sandbox.names
            lines = [f"the server does not answer any more: {error}"] if remaining or whole else []
        except BaseException:
            self._target.server.close()
            raise
        self._target.server.close()
        if not remaining and not lines:
            return []
        names = ", ".join(dict.fromkeys(remaining)) or "what the run has made"
        return [*lines, f"left on the server: {names}; to remove it: {self.command}"]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of CRDs that are ready or refused, and the number of all requested ones."""
        return self._stages.counts

    @property
    def names(self) -> list[str]:
        """The objects of this process that are not removed, by kubectl's names."""
        return self._sandbox.names

    @property
    def command(self) -> str:
        """The command that removes all objects of the run."""
        return f"{self._target.command} delete {','.join(self._sandbox.kinds)} -l {lease.LABEL}={self.id}"
