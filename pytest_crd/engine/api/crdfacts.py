"""Facts about a CRD: its declarations, its file, and its state beside other CRDs, under other webhooks or with another guard."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.context import ConversionWebhooks, CrdContext, Guard, Webhooks, WrittenCrd
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.errors.origin import Locate
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer

if TYPE_CHECKING:
    from pytest_crd.engine.crds.condition import Condition


class CrdFacts:
    """Facts about a CRD on a server of one Kubernetes version."""

    def __init__(self, answers: CrdAnswers, context: CrdContext) -> None:
        """Create from the compiled manifest and its context."""
        self._answers = answers
        self._context = context

    @property
    def name(self) -> str:
        """`crontabs.stable.example.com`."""
        return self._answers.spec.name

    @property
    def group(self) -> str:
        """`stable.example.com`."""
        return self._answers.spec.group

    @property
    def kind(self) -> str:
        """`CronTab`."""
        return self._answers.spec.kind

    @property
    def scope(self) -> str:
        """`Namespaced` or `Cluster`."""
        return self._answers.spec.scope

    @property
    def api_version(self) -> str:
        """`apiextensions.k8s.io/v1` or `…/v1beta1`."""
        return str(self._answers.manifest.value["apiVersion"])

    @property
    def kubernetes_version(self) -> str:
        """The Kubernetes version that answers."""
        return self._answers.profile.version

    @property
    def source(self) -> str:
        """Place of the manifest, `file:line`; empty if it was not read from a file."""
        return self._context.source

    @property
    def answers(self) -> CrdAnswers:
        """The answers behind the methods of this class, for callers that build requests themselves."""
        return self._answers

    @property
    def locate(self) -> Locate | None:
        """Returns `file:line` of a path in the manifest; None if the CRD was not read from a file. See `CrdContext`."""
        return self._context.locate

    @property
    def webhooks(self) -> Webhooks | None:
        """The webhooks that requests call; None if they call none."""
        return self._context.webhooks

    @property
    def written(self) -> WrittenCrd | None:
        """The manifest and its file; None if the CRD was not read from a file, or was altered since."""
        return self._context.written

    @property
    def guard(self) -> Guard | None:
        """Called before each answer about its custom resources; None if every request is answered."""
        return self._context.guard

    @property
    def observer(self) -> Observer:
        """The listeners that requests for its custom resources are reported to."""
        return self._context.observer

    @property
    def manifest(self) -> dict[str, JSONValue]:
        """A copy of the whole CRD as the server decodes it, without unknown fields."""
        copied: dict[str, JSONValue] = jsonvalue.copy(self._answers.manifest.value)
        return copied

    @property
    def declared(self) -> Mapping[str, JSONValue]:
        """The manifest itself, for use inside this package; callers must not change it."""
        value: Mapping[str, JSONValue] = self._answers.manifest.value
        return value

    @property
    def unknown_fields(self) -> tuple[SpelledPath, ...]:
        """The unknown fields of the manifest, spelled as in the server's warnings; at most a hundred."""
        return self._answers.manifest.unknown

    @property
    def repeated_fields(self) -> tuple[str, ...]:
        """The server's message for each key that is set twice in the manifest's file; the last value wins."""
        return self._answers.manifest.duplicates

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """
        The conditions of the stored CRD; in a collection, with the CRDs before it already created.

        `NamesAccepted` and `Established` are false if another CRD of the group already has one of its names.
        """
        return self._answers.conditions(self._context.naming)

    @property
    def naming(self) -> Naming:
        """The names that the server accepts beside the other CRDs of the group, and why it refuses the rest."""
        return self._context.naming

    def with_naming(self, naming: Naming) -> Self:
        """Return this CRD with *naming*: the same object if reason and message are unchanged, otherwise a new one."""
        current = self._context.naming
        is_same = (naming.reason, naming.message) == (current.reason, current.message)
        return self if is_same else self._with(naming=naming)

    def with_webhooks(self, webhooks: Webhooks | None) -> Self:
        """
        Return the same CRD with other webhooks, or with none; compiled schemas and rules are shared.

        Args:
            webhooks: The webhooks that requests for its custom resources call.
        """
        return self._with(webhooks=webhooks)

    def without_admission(self) -> Self:
        """Return the same CRD with its conversion webhook alone; compiled schemas and rules are shared."""
        return self if self.webhooks is None else self.with_webhooks(ConversionWebhooks(self.webhooks))

    def guarded(self, guard: Guard | None) -> Self:
        """
        Return the same CRD with another guard, or with none; compiled schemas and rules are shared.

        Args:
            guard: Called with the CRD before each answer about its custom resources.
        """
        return self._with(guard=guard)

    def _with(self, **changes: Any) -> Self:
        """Return the same CRD with a changed context; the answers are shared."""
        return type(self)(self._answers, self._context._replace(**changes))
