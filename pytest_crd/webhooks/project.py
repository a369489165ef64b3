"""The webhooks of a project: which transport reaches which webhook, and the webhook configurations."""

from __future__ import annotations

import base64
import binascii
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pytest_crd import folders
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.webhooks.commands import LIMITS, CommandLimits, CommandTransport
from pytest_crd.webhooks.endpoints import ALL, ROLES, Assignment, CommandEndpoint, UrlEndpoint
from pytest_crd.webhooks.functiontransport import FunctionTransport
from pytest_crd.webhooks.httptransport import HttpTransport
from pytest_crd.webhooks.transport import WebhookError, WebhookTransport

Role: TypeAlias = Literal["conversion", "admission"]
_NONE_FOUND: Final = (
    "no webhook configuration was found, so admission would call no webhook: set crd_webhook_configurations, or write "
    "conversion for the webhooks of CRDs alone"
)

_NOT_CONVERTED: Final = "{} the strategy Webhook in spec.conversion, so no webhook would be called: read the CRDs with the patch that sets it"


class ProjectWebhooks:
    """
    The webhooks of a project for one session.

    No program starts, and no connection opens, before the first review.
    """

    def __init__(
        self,
        assignments: Iterable[Assignment],
        *,
        base: Path,
        read_configurations: Callable[[], Sequence[Manifest]] = tuple,
        limits: CommandLimits = LIMITS,
    ) -> None:
        """
        Create it.

        Args:
            assignments: The endpoints.
            base: The working folder of commands, and the folder of relative paths.
            read_configurations: Returns the webhook configurations of the project.
            limits: The time limits of commands.

        Raises:
            WebhookError: Two assignments are for the same webhooks.
        """
        self._assignments: dict[str, Assignment] = {}
        self._base, self._limits = base, limits
        self._read_configurations = read_configurations
        self._transports: dict[object, HttpTransport | CommandTransport | FunctionTransport] = {}
        mistakes: list[Mistake] = []
        for assignment in assignments:
            first = self._assignments.setdefault(assignment.which, assignment)
            if first is not assignment:
                words = f"{assignment.which!r} has an endpoint from {first.source}, too: leave one of the two"
                mistakes.append(Mistake(assignment.source, 0, words))
        if mistakes:
            raise WebhookError(mistakes)

    @property
    def names(self) -> tuple[str, ...]:
        """The assignments for reports, such as `conversion: https://127.0.0.1:9443`."""
        return tuple(map(str, self._assignments.values()))

    @cached_property
    def configurations(self) -> Sequence[Manifest]:
        """
        The objects MutatingWebhookConfiguration and ValidatingWebhookConfiguration; empty if all assignments are for conversion.

        Raises:
            ManifestError: A file cannot be read, or matches nothing.
            WebhookError: `admission` has an endpoint, and there is no configuration.
        """
        if self._assignments.keys() == {"conversion"}:
            return ()
        configurations = self._read_configurations()
        if not configurations and (assignment := self._assignments.get("admission")) is not None:
            raise WebhookError.at(assignment.source, _NONE_FOUND)
        return configurations

    def check_names(self, crd_names: Iterable[str]) -> None:
        """
        Check that each assignment for a single name has a webhook.

        Args:
            crd_names: The names of the project's CRDs.

        Raises:
            WebhookError: A name is neither a webhook in a configuration nor a CRD.
        """
        names = {*crd_names, *ROLES, ALL}
        unknown = [assignment for which, assignment in self._assignments.items() if which not in names]
        webhooks = {*_webhook_names(self.configurations)} if unknown else set()
        mistakes = [
            Mistake(assignment.source, 0, _describe_unknown(assignment.which, webhooks))
            for assignment in unknown
            if assignment.which not in webhooks
        ]
        if mistakes:
            raise WebhookError(mistakes)

    def check_conversions(self, crds: Mapping[str, bool]) -> None:
        """
        Check that each assignment for conversion has a CRD that a webhook converts.

        Args:
            crds: Whether a webhook converts the objects of a CRD, by the names of the project's CRDs.

        Raises:
            WebhookError: An assignment has none, so that its webhook would never be called.
        """
        unused = {which for which, is_converted in crds.items() if not is_converted}
        unused |= {"conversion"} if not any(crds.values()) else set()
        mistakes = [
            Mistake(
                assignment.source,
                0,
                _NOT_CONVERTED.format("no CRD has" if which in ROLES else f"{which} does not have"),
            )
            for which, assignment in self._assignments.items()
            if which in unused
        ]
        if mistakes:
            raise WebhookError(mistakes)

    def transport_of(self, webhook_name: str, client_config: Mapping[str, Any], role: Role) -> WebhookTransport | None:
        """
        Return the transport to a webhook; None without an endpoint.

        The name counts first, then the role, then `all`.

        Args:
            webhook_name: The name of an admission webhook, or of a CRD for its conversion webhook.
            client_config: Its `clientConfig`, for the `caBundle`.
            role: Its role.

        Raises:
            WebhookError: A file with certificates cannot be read.
        """
        candidates = (self._assignments.get(which) for which in (webhook_name, role, ALL))
        assignment = next(filter(None, candidates), None)
        if assignment is None:
            return None
        match assignment.endpoint:
            case UrlEndpoint() as endpoint:
                return self._open_url(assignment, endpoint, client_config)
            case CommandEndpoint(command):
                key: object = command
                transport = self._transports.get(key) or CommandTransport(
                    command, folder=self._base, source=assignment.source, limits=self._limits
                )
            case function_endpoint:
                key = assignment
                transport = FunctionTransport(function_endpoint.function, source=assignment.source)
        return self._transports.setdefault(key, transport)

    @property
    def output_sizes(self) -> Mapping[str, int]:
        """The number of bytes of each command's output, by the words of the command."""
        return {transport.command: transport.output_size for transport in self._commands}

    def read_outputs(self, starts: Mapping[str, int]) -> Mapping[str, str]:
        """Return the last lines of each command's output after the sizes *starts*; without commands that wrote nothing since."""
        outputs = {item.command: item.read_output(starts.get(item.command, 0)) for item in self._commands}
        return {command: output for command, output in outputs.items() if output}

    @property
    def _commands(self) -> Sequence[CommandTransport]:
        return [transport for transport in self._transports.values() if isinstance(transport, CommandTransport)]

    def close(self) -> list[str]:
        """End all commands and connections, and return notes about commands that did not end by themselves."""
        notes = [transport.close() for transport in self._transports.values()]
        self._transports.clear()
        return [note for note in notes if note]

    def _open_url(
        self, assignment: Assignment, endpoint: UrlEndpoint, client_config: Mapping[str, Any]
    ) -> WebhookTransport:
        authority = self._read_authority(assignment, endpoint, client_config)
        key = (endpoint.url, authority)
        if key not in self._transports:
            try:
                self._transports[key] = HttpTransport(endpoint.url, authority=authority, source=assignment.source)
            except ssl.SSLError:
                place = endpoint.authority or "the caBundle"
                raise WebhookError.at(assignment.source, f"{place} has no certificates in PEM") from None
        return self._transports[key]

    def _read_authority(self, assignment: Assignment, endpoint: UrlEndpoint, client_config: Mapping[str, Any]) -> str:
        """Return the trusted certificates: from the setting, else from the `caBundle`; empty for the certificates of the system."""
        if endpoint.authority:
            try:
                return folders.read_file(self._base / endpoint.authority).decode("ascii")
            except (OSError, UnicodeDecodeError) as error:
                problem = f"ca={endpoint.authority} cannot be read: {getattr(error, 'strerror', None) or error}"
                raise WebhookError.at(assignment.source, problem) from None
        try:
            return base64.b64decode(str(client_config.get("caBundle") or "")).decode("ascii").strip()
        except (binascii.Error, UnicodeDecodeError):
            raise WebhookError.at(assignment.source, "the caBundle is no base64 of certificates in PEM") from None


def _webhook_names(configurations: Iterable[Manifest]) -> Iterable[str]:
    for configuration in configurations:
        webhooks = configuration.value.get("webhooks") if isinstance(configuration.value, dict) else None
        for webhook in webhooks if isinstance(webhooks, list) else ():
            if isinstance(webhook, dict):
                yield str(webhook.get("name"))


def _describe_unknown(which: str, webhooks: Iterable[str]) -> str:
    names = ", ".join(sorted(webhooks))
    return f"no CRD and no webhook is called {which!r}; the webhook configurations have {names or 'no webhook'}"
